/* track.h: what detection knows of a thread. */
#ifndef DETECT_TRACK_H
#define DETECT_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/observe.h"

struct track {
	uint32_t index;    /* of its thread */
	uint32_t position; /* among those of all threads that have not ended */
	struct order *order;
	struct held *held; /* in the order of acquisition */
	uint32_t held_count, held_room;
	struct held again; /* lock not null: the thread waits for a condition and then owns this lock again */
	uint32_t ignoring; /* nesting depth of "ignore" annotations */
};

extern struct track *track_now; /* the current thread's; null when that ends */

/* How many threads have not ended. */
extern uint32_t track_count;

/* Blocks of the heap are freed or change their size. */
void access_forget_blocks(uintptr_t start, size_t size_bytes);

/* Another thread runs: blocks that it is not known to be ordered after are looked up again. */
void access_switched(void);

/* Updates detect.is_fast, after another thread became the current one, or its members again or ignoring changed. */
void track_update_fast(const struct track *track);

/* The current thread owns the lock in again. */
void track_have_again(struct track *track);
/* The same, if the thread owns it again. Call it before the current thread's next access or synchronisation. */
void track_settle(struct track *track);

#endif
