/*
 * inside.h: detects that a thread is about to enter a part of the runtime for the second time, which can only happen in
 * a signal handler that interrupted that part. The handler may leave by siglongjmp, so that the interrupted part never
 * continues. The address of the frame shows this: the frames of a handler lie deeper than the frame that it
 * interrupted. If the program then runs on another stack or in deeper frames, the mark is dropped after
 * INSIDE_MAX_IGNORED attempts to enter.
 */
#ifndef PARALLEL_INSIDE_H
#define PARALLEL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#define INSIDE_MAX_IGNORED 10000u

/* A thread-local variable, initially all zero. */
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
