/* cond.c: events of condition variables. libc gives the mutex back and takes it again by itself; when it has to wait
 * for it, it is by a futex. */
#include "world/sync/sync_priv.h"

/* Passes the result on; the mutex is the caller's again whatever it is. */
static inline int waited(int result, const volatile void *mutex)
{
	observe_waited(mutex);
	return result;
}

int control_pthread_cond_wait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex)
{
	announce(HEDDLE_EVENT_COND_WAIT, condition);
	observe_wait(mutex);
	return waited(interpose_real(pthread_cond_wait)(condition, mutex), mutex);
}

int control_pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
				   const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_COND_WAIT, condition);
	observe_wait(mutex);
	return waited(interpose_real(pthread_cond_timedwait)(condition, mutex, until), mutex);
}

int control_pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
				   const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_COND_WAIT, condition);
	observe_wait(mutex);
	return waited(interpose_real(pthread_cond_clockwait)(condition, mutex, clock, until), mutex);
}

int control_pthread_cond_signal(pthread_cond_t *condition)
{
	announce(HEDDLE_EVENT_COND_SIGNAL, condition);
	return interpose_real(pthread_cond_signal)(condition);
}

int control_pthread_cond_broadcast(pthread_cond_t *condition)
{
	announce(HEDDLE_EVENT_COND_BROADCAST, condition);
	return interpose_real(pthread_cond_broadcast)(condition);
}

int control_cnd_wait(cnd_t *condition, mtx_t *mutex)
{
	announce(HEDDLE_EVENT_COND_WAIT, condition);
	observe_wait(mutex);
	return waited(interpose_real(cnd_wait)(condition, mutex), mutex);
}

int control_cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_COND_WAIT, condition);
	observe_wait(mutex);
	return waited(interpose_real(cnd_timedwait)(condition, mutex, until), mutex);
}

int control_cnd_signal(cnd_t *condition)
{
	announce(HEDDLE_EVENT_COND_SIGNAL, condition);
	return interpose_real(cnd_signal)(condition);
}

int control_cnd_broadcast(cnd_t *condition)
{
	announce(HEDDLE_EVENT_COND_BROADCAST, condition);
	return interpose_real(cnd_broadcast)(condition);
}
