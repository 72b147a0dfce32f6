/* steps.h: lists of the switches of a schedule (struct heddle_step in heddle/abi.h). */
#ifndef TRACE_STEPS_H
#define TRACE_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "heddle/abi.h"

/* Start with { 0 }. */
struct steps {
	struct heddle_step *items; /* in the order of the run */
	size_t count, room;
};

/* Replaces the list by the steps that a run with HEDDLE_CONTROL_STEPS reported. False: there was no room for all. */
bool steps_take(struct steps *self, const struct heddle_channel *channel);
void steps_add(struct steps *self, const struct heddle_step *step);
void steps_release(struct steps *self);

/* Whether it is no switch: the sleep or time-out of a thread ends early. */
static inline bool step_is_early(const struct heddle_step *step)
{
	return step->next & HEDDLE_STEP_EARLY;
}

/* Whether the thread could have continued. */
static inline bool step_is_preemption(const struct heddle_step *step)
{
	return !step_is_early(step) && !(step->when & 2);
}

/* How many there are of each. */
size_t steps_preemptions(const struct heddle_step *steps, size_t count);
size_t steps_early(const struct heddle_step *steps, size_t count);

/* Sorts them as the channel requires: by thread, then in the order of the thread's events. */
void steps_sort(struct heddle_step *steps, size_t count);

#endif
