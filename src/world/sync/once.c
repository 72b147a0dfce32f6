/*
 * once.c: events of what is done once: by pthread_once, by call_once, and by the initialisation of a local static
 * variable of C++, which is done by these functions of the C++ library (Itanium C++ ABI, 3.3.2). What the routine did is
 * before all that return, so it is released before the library says that it is done. When the routine leaves by an exception
 * or a cancellation, the next call starts anew, behind what was done until then.
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

/* What the thread knew before, for once calls inside of once calls. */
struct outer {
	const volatile void *once;
	void (*routine)(void);
};

static struct outer begin(const volatile void *once, void (*routine)(void))
{
	struct thread *self = world.current;
	struct outer outer = { self->once, self->once_routine };
	self->once = once;
	self->once_routine = routine;
	return outer;
}

static void end(const volatile void *once, struct outer outer)
{
	world.current->once = outer.once;
	world.current->once_routine = outer.routine;
	observe_acquire(once);
}

int control_pthread_once(pthread_once_t *once, void (*routine)(void))
{
	announce(HEDDLE_EVENT_ONCE, once);
	if (!observe_is_on())
		return interpose_real(pthread_once)(once, routine);
	struct outer outer = begin(once, routine);
	int result = interpose_real(pthread_once)(once, once_routine);
	end(once, outer);
	return result;
}

void control_call_once(once_flag *once, void (*routine)(void))
{
	announce(HEDDLE_EVENT_ONCE, once);
	if (!observe_is_on()) {
		interpose_real(call_once)(once, routine);
		return;
	}
	struct outer outer = begin(once, routine);
	interpose_real(call_once)(once, once_routine);
	end(once, outer);
}

int control___cxa_guard_acquire(long long *guard)
{
	announce(HEDDLE_EVENT_ONCE, guard);
	int result = interpose_real(__cxa_guard_acquire)(guard);
	observe_acquire(guard);
	return result;
}

void control___cxa_guard_release(long long *guard)
{
	observe_release(guard);
	interpose_real(__cxa_guard_release)(guard);
}

void control___cxa_guard_abort(long long *guard)
{
	observe_release(guard);
	interpose_real(__cxa_guard_abort)(guard);
}
