/* sync_rwlock.c: events of read-write locks. */
#include <errno.h>

#include "world/sync_priv.h"

int control_pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	announce(HEDDLE_EVENT_RWLOCK_READ_LOCK, lock);
	return interpose_real(pthread_rwlock_rdlock)(lock);
}

int control_pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	bool is_again = announce_try(HEDDLE_EVENT_RWLOCK_READ_LOCK, lock);
	int result = interpose_real(pthread_rwlock_tryrdlock)(lock);
	if (result == EBUSY && is_again)
		thread_yield();
	return result;
}

int control_pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_RWLOCK_READ_LOCK, lock);
	return interpose_real(pthread_rwlock_timedrdlock)(lock, until);
}

int control_pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
				       const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_RWLOCK_READ_LOCK, lock);
	return interpose_real(pthread_rwlock_clockrdlock)(lock, clock, until);
}

int control_pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	announce(HEDDLE_EVENT_RWLOCK_WRITE_LOCK, lock);
	return interpose_real(pthread_rwlock_wrlock)(lock);
}

int control_pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	bool is_again = announce_try(HEDDLE_EVENT_RWLOCK_WRITE_LOCK, lock);
	int result = interpose_real(pthread_rwlock_trywrlock)(lock);
	if (result == EBUSY && is_again)
		thread_yield();
	return result;
}

int control_pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_RWLOCK_WRITE_LOCK, lock);
	return interpose_real(pthread_rwlock_timedwrlock)(lock, until);
}

int control_pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
				       const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_RWLOCK_WRITE_LOCK, lock);
	return interpose_real(pthread_rwlock_clockwrlock)(lock, clock, until);
}

int control_pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	announce(HEDDLE_EVENT_RWLOCK_UNLOCK, lock);
	return interpose_real(pthread_rwlock_unlock)(lock);
}
