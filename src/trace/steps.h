/*
 * steps.h: the switches of a log as steps (struct heddle_step in heddle/abi.h): what a steered schedule needs to be the
 * same. The log is not trusted.
 */
#ifndef TRACE_STEPS_H
#define TRACE_STEPS_H

#include "base/err.h"
#include "heddle/abi.h"
#include "trace/trace.h"

/* Start with { 0 }. */
struct steps {
	struct heddle_step *items; /* in the order of the run */
	size_t count, room;
};

/* Reads the switches of trace's log. Returns 0, or a negative errno with err set: the log is damaged or cannot be read. */
int steps_read(struct steps *self, const struct trace *trace, struct err *err);
void steps_add(struct steps *self, const struct heddle_step *step);
void steps_release(struct steps *self);

/* Whether the thread could have gone on. */
static inline bool step_is_preemption(const struct heddle_step *step)
{
	return !(step->when & 2);
}

/* In the order that the channel wants: by thread, and within a thread as they come. */
void steps_sort(struct heddle_step *steps, size_t count);

#endif
