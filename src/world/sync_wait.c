/* sync_wait.c: events of semaphores, barriers and what is done once. */
#include "world/sync_priv.h"

int control_sem_wait(sem_t *semaphore)
{
	announce(HEDDLE_EVENT_SEM_WAIT, semaphore);
	return interpose_real(sem_wait)(semaphore);
}

int control_sem_trywait(sem_t *semaphore)
{
	bool is_again = announce_try(HEDDLE_EVENT_SEM_WAIT, semaphore);
	int result = interpose_real(sem_trywait)(semaphore);
	if (result != 0 && is_again)
		thread_yield();
	return result;
}

int control_sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_SEM_WAIT, semaphore);
	return interpose_real(sem_timedwait)(semaphore, until);
}

int control_sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_SEM_WAIT, semaphore);
	return interpose_real(sem_clockwait)(semaphore, clock, until);
}

int control_sem_post(sem_t *semaphore)
{
	announce(HEDDLE_EVENT_SEM_POST, semaphore);
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
	return interpose_real(pthread_barrier_wait)(barrier);
}

int control_pthread_once(pthread_once_t *once, void (*routine)(void))
{
	announce(HEDDLE_EVENT_ONCE, once);
	return interpose_real(pthread_once)(once, routine);
}

void control_call_once(once_flag *once, void (*routine)(void))
{
	announce(HEDDLE_EVENT_ONCE, once);
	interpose_real(call_once)(once, routine);
}
