/*
 * once.c: what is done once: by pthread_once, by call_once, and by the initialisation of a local static variable of
 * C++, which is done by these functions of the C++ library (Itanium C++ ABI, 3.3.2). What the routine did is ordered
 * before every return, so it is released before the library marks it as done. When the routine leaves by an exception
 * or a cancellation, the next call starts anew, ordered after what was done until then.
 */
#include "world/sync/sync_priv.h"

/* libc calls the routine without an argument: the thread knows which one it is. */
static void once_routine(void)
{
	const struct thread *self = world.current;
	const volatile void *once = self->once;
	observe_acquire(once);
	self->once_routine();
	observe_release(once);
}

/* The routine is called through ours. What the thread knew before is for once calls inside of once calls. */
bool once_before(struct operation *operation)
{
	struct thread *self = world.current;
	operation->own[2] = observe_is_on();
	if (!operation->own[2])
		return false;
	operation->own[0] = (uintptr_t)self->once;
	operation->own[1] = (uintptr_t)self->once_routine;
	self->once = operation_object(operation);
	self->once_routine = (void (*)(void))operation->arguments[1];
	operation->arguments[1] = (uintptr_t)once_routine;
	return false;
}

void once_after(struct operation *operation)
{
	struct thread *self = world.current;
	if (!operation->own[2])
		return;
	self->once = (const volatile void *)operation->own[0];
	self->once_routine = (void (*)(void))operation->own[1];
	if (operation->end == OPERATION_RETURNED)
		observe_acquire(operation_object(operation));
}

bool guard_release_before(struct operation *operation)
{
	observe_release(operation_object(operation));
	return false;
}
