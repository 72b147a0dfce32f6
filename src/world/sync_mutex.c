/* sync_mutex.c: events of mutexes, those of POSIX and those of C11, which are the same inside. */
#include <errno.h>

#include "world/sync_priv.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "an mtx_t is a pthread_mutex_t: sync_owner looks into it");

int control_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return interpose_real(pthread_mutex_lock)(mutex);
}

int control_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	bool is_again = announce_try(HEDDLE_EVENT_MUTEX_TRYLOCK, mutex);
	int result = interpose_real(pthread_mutex_trylock)(mutex);
	if (result == EBUSY && is_again)
		thread_yield();
	return result;
}

int control_pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return interpose_real(pthread_mutex_timedlock)(mutex, until);
}

int control_pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
				    const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return interpose_real(pthread_mutex_clocklock)(mutex, clock, until);
}

int control_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	announce(HEDDLE_EVENT_MUTEX_UNLOCK, mutex);
	return interpose_real(pthread_mutex_unlock)(mutex);
}

int control_mtx_lock(mtx_t *mutex)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return interpose_real(mtx_lock)(mutex);
}

int control_mtx_trylock(mtx_t *mutex)
{
	bool is_again = announce_try(HEDDLE_EVENT_MUTEX_TRYLOCK, mutex);
	int result = interpose_real(mtx_trylock)(mutex);
	if (result == thrd_busy && is_again)
		thread_yield();
	return result;
}

int control_mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return interpose_real(mtx_timedlock)(mutex, until);
}

int control_mtx_unlock(mtx_t *mutex)
{
	announce(HEDDLE_EVENT_MUTEX_UNLOCK, mutex);
	return interpose_real(mtx_unlock)(mutex);
}
