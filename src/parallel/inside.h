/*
 * inside.h: whether this thread is in a part of ours that it must not enter twice: then it is in a signal handler that interrupted that part. The
 * handler may leave it for good by siglongjmp. That is noticed by the stack: what a handler calls lies deeper than what it interrupted. On another
 * stack, or if the program then goes on deeper, it is noticed after INSIDE_MAX_IGNORED attempts.
 */
#ifndef PARALLEL_INSIDE_H
#define PARALLEL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#define INSIDE_MAX_IGNORED 10000u

/* Thread-local, all zero at first. */
struct inside {
	uintptr_t at; /* the frame that entered; 0: outside */
	uint32_t ignored;
};

static inline __attribute__((always_inline)) bool inside_is(struct inside *self)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (__builtin_expect(!self->at, 1))
		return false;
	bool is_above = here >= self->at && here - self->at < 8u << 20;
	if (!is_above && ++self->ignored < INSIDE_MAX_IGNORED)
		return true;
	self->at = 0;
	return false;
}

static inline __attribute__((always_inline)) void inside_enter(struct inside *self)
{
	self->ignored = 0;
	self->at = (uintptr_t)__builtin_frame_address(0);
}

static inline void inside_leave(struct inside *self)
{
	self->at = 0;
}

#endif
