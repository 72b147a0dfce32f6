/*
 * hold.h: chooses the thread that continues when a strategy holds threads back (thread->is_at_point) until others have
 * reached certain points. Holding threads causes no failure that the program does not have: if no other thread can
 * continue, time passes once, and then a random held thread is released. If the others only wait by polling, one is
 * released at once.
 */
#ifndef WORLD_SCHEDULE_HOLD_H
#define WORLD_SCHEDULE_HOLD_H

#include "world/world.h"

struct hold {
	bool is_random;  /* the others run at random, not by their priorities: a larger one runs first */
	bool has_passed; /* time has passed since any thread ran */
	uint32_t passes_left;
	uint64_t fall_next; /* the priority that the next yielding thread gets, below all others */
};

/* Call random_start first. */
void hold_start(struct hold *hold, bool is_random);

/* Call it for each thread that exists at the start, and for each new one. Gives it a random priority; it is not held
 * back. */
void hold_add(struct thread *thread);

/* Call it when the thread yields. */
void hold_yielded(struct hold *hold, struct thread *thread);

/* Returns the thread that runs next, and clears the marks of those that yielded. If it is held back, the strategy must
 * release it. Returns null if the caller should let time pass and then ask again. */
struct thread *hold_next(struct hold *hold);

#endif
