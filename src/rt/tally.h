/*
 * tally.h: the counters and data that the entries of accesses (rt/shortcut.h) use. It is in the lowest 2 GB of the address
 * space, so that an instruction can name it wherever it is: the entries are copied to near each object, because a jump
 * from there to the runtime, which is farther away than 2 GB, takes the processor several cycles at each access.
 */
#ifndef RT_TALLY_H
#define RT_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/places.h"

#define TALLY_RESTS 30
#define TALLY_HOT 10u
#define TALLY_TOUCHES 2u
#define TALLY_GUARDED (TALLY_HOT + TALLY_TOUCHES)

struct tally {
	/* How many events may pass before world_slow must be called; negative: call. */
	int64_t countdown;
	uint64_t access_sum; /* of what and where the accesses of woven code were: goes into the world's hash */
	uint64_t horizon;    /* number of the event at which countdown is 0 */
	/* Of detection: the current thread's slot and clock, as in the words of detect/shadow.h, with all bytes of eight; and the
	 * address of an access that the entry could not do. */
	uint64_t epoch_all;
	uint64_t address;
	/* Of quiet accesses in a detailed run: r10, r11 and the flags of the program. */
	uint64_t touch_r10, touch_r11, touch_flags;
	void (*rests[TALLY_RESTS])(void); /* continuations of entries in the runtime, set by the mode */
	void (*hot[TALLY_HOT])(void);     /* of calls that are hot, see world/shortcut.h */
	void (*touches[TALLY_TOUCHES])(void);
	void (*guarded[TALLY_GUARDED])(void); /* of guarded calls: those that are hot, then those of touches */
};

#define TALLY ((struct tally *)PLACE_TALLY)

/* The fields in assembly. */
#define TALLY_COUNTDOWN "0x7fff0000"
#define TALLY_ACCESS_SUM "0x7fff0000 + 8"
#define TALLY_HORIZON "0x7fff0000 + 16"
#define TALLY_EPOCH_ALL "0x7fff0000 + 24"
#define TALLY_ADDRESS "0x7fff0000 + 32"
#define TALLY_TOUCH_R10 "0x7fff0000 + 40"
#define TALLY_TOUCH_R11 "0x7fff0000 + 48"
#define TALLY_TOUCH_FLAGS "0x7fff0000 + 56"
#define TALLY_RESTS_START "0x7fff0000 + 64"
_Static_assert(PLACE_TALLY == 0x7fff0000ul && offsetof(struct tally, countdown) == 0 &&
		       offsetof(struct tally, access_sum) == 8 && offsetof(struct tally, horizon) == 16 &&
		       offsetof(struct tally, epoch_all) == 24 && offsetof(struct tally, address) == 32 &&
		       offsetof(struct tally, touch_r10) == 40 && offsetof(struct tally, touch_r11) == 48 &&
		       offsetof(struct tally, touch_flags) == 56 && offsetof(struct tally, rests) == 64 &&
		       sizeof(struct tally) <= PLACE_TALLY_ROOM,
	       "the above, and that it has one page");

/* Maps it. Before anything is counted. Returns 0 or a negative errno. */
int tally_start(void);

/* The number of the current event. */
static inline uint64_t tally_events(void)
{
	return TALLY->horizon - (uint64_t)TALLY->countdown;
}

static inline bool place_is_tally(uintptr_t address)
{
	return address - PLACE_TALLY < PLACE_TALLY_ROOM;
}

#endif
