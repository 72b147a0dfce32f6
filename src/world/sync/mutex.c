/* mutex.c: events of mutexes, those of POSIX and those of C11, which are the same inside. */
#include <errno.h>

#include "world/sync/sync_priv.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "an mtx_t is a pthread_mutex_t: sync_owner looks into it");

/* The low bits of the kind are the type that the program asked for. */
static inline enum lock_mode mode_of(const volatile void *mutex)
{
	int kind = ((const volatile pthread_mutex_t *)mutex)->__data.__kind;
	return (kind & 3) == PTHREAD_MUTEX_RECURSIVE_NP ? LOCK_RECURSIVE : LOCK_EXCLUSIVE;
}

/* Passes the result on. A mutex whose owner died is taken, too. thrd_success is 0. */
static inline int taken(int result, const volatile void *mutex, bool is_try, uintptr_t code)
{
	if (result == 0 || result == EOWNERDEAD)
		observe_locked(mutex, mode_of(mutex), is_try, code);
	return result;
}

int control_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	observe_forget(mutex);
	return interpose_real(pthread_mutex_init)(mutex, attributes);
}

int control_mtx_init(mtx_t *mutex, int type)
{
	observe_forget(mutex);
	return interpose_real(mtx_init)(mutex, type);
}

int control_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return taken(interpose_real(pthread_mutex_lock)(mutex), mutex, false, code_here());
}

int control_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	bool is_again = announce_try(HEDDLE_EVENT_MUTEX_TRYLOCK, mutex);
	int result = after_try(is_again, interpose_real(pthread_mutex_trylock)(mutex), EBUSY);
	return taken(result, mutex, true, code_here());
}

int control_pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return taken(interpose_real(pthread_mutex_timedlock)(mutex, until), mutex, false, code_here());
}

int control_pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
				    const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return taken(interpose_real(pthread_mutex_clocklock)(mutex, clock, until), mutex, false, code_here());
}

int control_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	announce(HEDDLE_EVENT_MUTEX_UNLOCK, mutex);
	observe_unlocked(mutex);
	return interpose_real(pthread_mutex_unlock)(mutex);
}

int control_mtx_lock(mtx_t *mutex)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return taken(interpose_real(mtx_lock)(mutex), mutex, false, code_here());
}

int control_mtx_trylock(mtx_t *mutex)
{
	bool is_again = announce_try(HEDDLE_EVENT_MUTEX_TRYLOCK, mutex);
	int result = after_try(is_again, interpose_real(mtx_trylock)(mutex), thrd_busy);
	return taken(result, mutex, true, code_here());
}

int control_mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_MUTEX_LOCK, mutex);
	return taken(interpose_real(mtx_timedlock)(mutex, until), mutex, false, code_here());
}

int control_mtx_unlock(mtx_t *mutex)
{
	announce(HEDDLE_EVENT_MUTEX_UNLOCK, mutex);
	observe_unlocked(mutex);
	return interpose_real(mtx_unlock)(mutex);
}
