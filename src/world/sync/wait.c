/* wait.c: events of semaphores, barriers and what is done once. */
#include "world/sync/sync_priv.h"

/* Passes the result on. Who gets through is behind all that posted. */
static inline int behind(int result, const volatile void *object)
{
	if (result == 0)
		observe_acquire(object);
	return result;
}

int control_sem_init(sem_t *semaphore, int is_shared, unsigned value)
{
	observe_forget(semaphore);
	return interpose_real(sem_init)(semaphore, is_shared, value);
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
	observe_release_more(semaphore);
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
	struct round *round = observe_barrier_reached(barrier);
	int result = interpose_real(pthread_barrier_wait)(barrier);
	observe_barrier_left(barrier, round);
	return result;
}

int control_pthread_barrier_init(pthread_barrier_t *restrict barrier, const pthread_barrierattr_t *restrict attributes,
				 unsigned count)
{
	int result = interpose_real(pthread_barrier_init)(barrier, attributes, count);
	if (result == 0)
		observe_barrier_made(barrier, count);
	return result;
}
