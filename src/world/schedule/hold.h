/*
 * hold.h: which thread goes on when a strategy holds threads back (thread->is_at_point) until others have come to where it wants them.
 * It causes no failure that the program does not have: when no other thread can go on, time passes once, then a random one of the
 * held threads is let go; the same when the others only wait by polling.
 */
#ifndef WORLD_SCHEDULE_HOLD_H
#define WORLD_SCHEDULE_HOLD_H

#include "world/world.h"

struct hold {
	bool is_random;  /* the others run at random, not by their priorities: a larger one runs first */
	bool has_passed; /* time, since any thread ran */
	uint32_t passes_left;
	uint64_t fall_next; /* the priority that the next thread that yields falls to, below all others */
};

/* Call random_start first. */
void hold_start(struct hold *hold, bool is_random);

/* For each thread that is there at the start, and for each new one: it gets a random priority and is not held back. */
void hold_add(struct thread *thread);

/* The thread makes no progress until others run. */
void hold_yielded(struct hold *hold, struct thread *thread);

/* The thread that runs next; the marks of those that yielded are cleared. If it is held back, the strategy has to let it go. Null: let
 * time pass, then ask again. */
struct thread *hold_next(struct hold *hold);

#endif
