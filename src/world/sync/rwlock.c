/* rwlock.c: events of read-write locks. */
#include <errno.h>

#include "world/sync/sync_priv.h"

/* Passes the result on. */
static inline int taken(int result, const volatile void *lock, enum lock_mode mode, bool is_try, uintptr_t code)
{
	if (result == 0)
		observe_locked(lock, mode, is_try, code);
	return result;
}

int control_pthread_rwlock_init(pthread_rwlock_t *restrict lock, const pthread_rwlockattr_t *restrict attributes)
{
	observe_forget(lock);
	return interpose_real(pthread_rwlock_init)(lock, attributes);
}

int control_pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	announce(HEDDLE_EVENT_RWLOCK_READ_LOCK, lock);
	return taken(interpose_real(pthread_rwlock_rdlock)(lock), lock, LOCK_SHARED, false, code_here());
}

int control_pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	bool is_again = announce_try(HEDDLE_EVENT_RWLOCK_READ_LOCK, lock);
	int result = after_try(is_again, interpose_real(pthread_rwlock_tryrdlock)(lock), EBUSY);
	return taken(result, lock, LOCK_SHARED, true, code_here());
}

int control_pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_RWLOCK_READ_LOCK, lock);
	return taken(interpose_real(pthread_rwlock_timedrdlock)(lock, until), lock, LOCK_SHARED, false, code_here());
}

int control_pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
				       const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_RWLOCK_READ_LOCK, lock);
	return taken(interpose_real(pthread_rwlock_clockrdlock)(lock, clock, until), lock, LOCK_SHARED, false,
		     code_here());
}

int control_pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	announce(HEDDLE_EVENT_RWLOCK_WRITE_LOCK, lock);
	return taken(interpose_real(pthread_rwlock_wrlock)(lock), lock, LOCK_EXCLUSIVE, false, code_here());
}

int control_pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	bool is_again = announce_try(HEDDLE_EVENT_RWLOCK_WRITE_LOCK, lock);
	int result = after_try(is_again, interpose_real(pthread_rwlock_trywrlock)(lock), EBUSY);
	return taken(result, lock, LOCK_EXCLUSIVE, true, code_here());
}

int control_pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_RWLOCK_WRITE_LOCK, lock);
	return taken(interpose_real(pthread_rwlock_timedwrlock)(lock, until), lock, LOCK_EXCLUSIVE, false, code_here());
}

int control_pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
				       const struct timespec *restrict until)
{
	announce(HEDDLE_EVENT_RWLOCK_WRITE_LOCK, lock);
	return taken(interpose_real(pthread_rwlock_clockwrlock)(lock, clock, until), lock, LOCK_EXCLUSIVE, false,
		     code_here());
}

int control_pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	announce(HEDDLE_EVENT_RWLOCK_UNLOCK, lock);
	observe_unlocked(lock);
	return interpose_real(pthread_rwlock_unlock)(lock);
}
