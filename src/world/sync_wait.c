/* sync_wait.c: events of semaphores, barriers and what is done once. */
#include "world/sync_priv.h"

/* Passes the result on. Who gets through is behind all that posted. */
static inline int behind(int result, const volatile void *object)
{
	if (result == 0)
		detect_acquire(object);
	return result;
}

int control_sem_wait(sem_t *semaphore)
{
	announce(HEDDLE_EVENT_SEM_WAIT, semaphore);
	return behind(interpose_real(sem_wait)(semaphore), semaphore);
}

int control_sem_trywait(sem_t *semaphore)
{
	bool is_again = announce_try(HEDDLE_EVENT_SEM_WAIT, semaphore);
	int result = after_try(is_again, interpose_real(sem_trywait)(semaphore), -1);
	return behind(result, semaphore);
}

int control_sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_SEM_WAIT, semaphore);
	return behind(interpose_real(sem_timedwait)(semaphore, until), semaphore);
}

int control_sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_SEM_WAIT, semaphore);
	return behind(interpose_real(sem_clockwait)(semaphore, clock, until), semaphore);
}

int control_sem_post(sem_t *semaphore)
{
	announce(HEDDLE_EVENT_SEM_POST, semaphore);
	detect_release_more(semaphore);
	return interpose_real(sem_post)(semaphore);
}

int control_sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
	bool is_again = announce_try(HEDDLE_EVENT_ATOMIC, semaphore);
	int result = interpose_real(sem_getvalue)(semaphore, value);
	if (is_again)
		thread_yield();
	return result;
}

int control_pthread_barrier_wait(pthread_barrier_t *barrier)
{
	announce(HEDDLE_EVENT_BARRIER_WAIT, barrier);
	detect_barrier_reached(barrier);
	int result = interpose_real(pthread_barrier_wait)(barrier);
	detect_barrier_left(barrier);
	return result;
}

int control_pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attributes,
				 unsigned count)
{
	int result = interpose_real(pthread_barrier_init)(barrier, attributes, count);
	if (result == 0)
		detect_barrier_made(barrier, count);
	return result;
}

/*
 * What the routine did is before all that return, so it is released before libc says that it is done. libc calls the
 * routine without an argument: the thread knows which one it is. When the routine leaves by an exception, nothing is
 * done once, and the next call starts anew.
 */
struct once_call {
	const volatile void *once;
	void (*routine)(void);
};

static void once_routine(void)
{
	const struct once_call *call = world.current->once;
	const volatile void *once = call->once;
	call->routine();
	detect_release(once);
}

int control_pthread_once(pthread_once_t *once, void (*routine)(void))
{
	announce(HEDDLE_EVENT_ONCE, once);
	if (!detect.is_on)
		return interpose_real(pthread_once)(once, routine);
	struct thread *self = world.current;
	const struct once_call call = { once, routine }, *outer = self->once;
	self->once = &call;
	int result = interpose_real(pthread_once)(once, once_routine);
	self->once = outer;
	detect_acquire(once);
	return result;
}

void control_call_once(once_flag *once, void (*routine)(void))
{
	announce(HEDDLE_EVENT_ONCE, once);
	if (!detect.is_on) {
		interpose_real(call_once)(once, routine);
		return;
	}
	struct thread *self = world.current;
	const struct once_call call = { once, routine }, *outer = self->once;
	self->once = &call;
	interpose_real(call_once)(once, once_routine);
	self->once = outer;
	detect_acquire(once);
}
