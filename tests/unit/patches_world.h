/* patches_world.h: a world of one hook, for tests/unit/patches.c. */
#ifndef PATCHES_WORLD_H
#define PATCHES_WORLD_H

#include "heddle/abi.h"
#include "rt/enter/entrance.h"

/* Serves the call; null: the kernel does. */
extern void (*world_hook)(struct registers *registers);
extern uint64_t world_calls; /* that came through trampolines, in all threads */

void world_pass(struct registers *registers);

/* Of tests/unit/patches_sample.c, a library. */
void sample_before(void);
void sample_behind(void);
enum { SAMPLE_BEFORE_CALL_END = 6, SAMPLE_BEHIND_CALL_END = 2 };

/* Loads all general registers but rsp and the flags, calls code, and stores what it comes back with. */
extern struct registers trip_in, trip_out;
void trip(void (*code)(void));
extern const char trip_landing[]; /* to go to instead of returning; any rsp will do */

#endif
