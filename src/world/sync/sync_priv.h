/* sync_priv.h: what the control functions of the threads library share. */
#ifndef WORLD_SYNC_SYNC_PRIV_H
#define WORLD_SYNC_SYNC_PRIV_H

#include "rt/observe.h"
#include "world/functions.h"
#include "world/sync/sync.h"

/* Where the program called the control function that calls this. */
static inline __attribute__((always_inline)) uintptr_t code_here(void)
{
	return (uintptr_t)__builtin_return_address(0);
}

/* The event of the control function that calls this: its return address is the program's code, since the exported
 * function jumped to it. */
static inline __attribute__((always_inline)) void announce(enum heddle_event_kind kind, const volatile void *object)
{
	world_event(kind, object, (uintptr_t)__builtin_return_address(0));
}

/*
 * The event of a function that tries and does not wait. Returns whether the thread did nothing else than access memory since
 * it tried this object at this place: then it is a loop that waits, and when the try fails again, the caller yields by
 * after_try, or strategies that do not preempt would run the loop forever.
 */
static inline __attribute__((always_inline)) bool announce_try(enum heddle_event_kind kind, const volatile void *object)
{
	uintptr_t code = (uintptr_t)__builtin_return_address(0);
	if (!world.is_on)
		return false;
	struct thread *self = world.current;
	bool is_again =
		self->tried.object == object && self->tried.code == code && self->tried.call == self->call_count;
	self->tried.object = object;
	self->tried.code = code;
	self->tried.call = self->call_count + 1;
	world_event(kind, object, code);
	return is_again;
}

/* The end of such a function: result is what it returns, busy what it returns when it failed because it would have had to
 * wait. */
static inline int after_try(bool is_again, int result, int busy)
{
	if (result == busy && is_again)
		thread_yield();
	return result;
}

/* Code as the object of an event. */
static inline const volatile void *object_of_code(uintptr_t code)
{
	return (const volatile void *)code;
}

/* The index of the thread that holds this spin lock, or 0. */
uint32_t spin_owner(const volatile void *lock);

#endif
