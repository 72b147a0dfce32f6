/*
 * waits.c: see waits.h. Waiting threads are in a list of slots. A thread takes a free slot by a compare and exchange,
 * because others may try to take the same one at the same time. If no slot is free, the thread waits without being
 * listed.
 */
#include "parallel/waits.h"

#include <errno.h>
#include <pthread.h>
#include <sys/uio.h>

#include "rt/enter/interpose.h"
#include "rt/sys.h"

#define WAITERS 1024u

enum lock_kind { LOCK_NONE, LOCK_MUTEX, LOCK_READ_WRITE };

/* The lowest bits of the address of a lock are its kind. */
static uintptr_t waiters[WAITERS];
static uint32_t waiter_end; /* slots from here on were never used */

static uintptr_t *begin_wait(const volatile void *lock, enum lock_kind kind)
{
	uintptr_t value = (uintptr_t)lock | kind;
	for (uint32_t i = 0; i < WAITERS; i++) {
		uintptr_t none = 0;
		if (__atomic_load_n(&waiters[i], __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&waiters[i], &none, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		uint32_t end = __atomic_load_n(&waiter_end, __ATOMIC_RELAXED);
		while (end <= i && !__atomic_compare_exchange_n(&waiter_end, &end, i + 1, false, __ATOMIC_RELAXED,
								__ATOMIC_RELAXED))
			;
		return &waiters[i];
	}
	return NULL;
}

static void end_wait(uintptr_t *slot)
{
	if (slot)
		__atomic_store_n(slot, 0, __ATOMIC_RELAXED);
}

/* Returns the id of the owner, or 0 if there is none or the lock is gone. The kernel reads the memory, which may no
 * longer exist: the wait may have ended, and slots stay taken when the waiting thread does not exist in a forked child,
 * is cancelled, or leaves by siglongjmp. */
static uint32_t owner_of(uintptr_t value)
{
	const uintptr_t lock = value & -(uintptr_t)4;
	void *const owner = (value & 3) == LOCK_MUTEX ? (void *)&((pthread_mutex_t *)lock)->__data.__owner
						      : (void *)&((pthread_rwlock_t *)lock)->__data.__cur_writer;
	uint32_t tid = 0;
	struct iovec to = { &tid, sizeof tid }, from = { owner, sizeof tid };
	const long got = sys_call(SYS_process_vm_readv, sys_pid(), (long)&to, 1, (long)&from, 1, 0);
	return got == (long)sizeof tid ? tid : 0;
}

bool waits_is_awaited(uint32_t tid)
{
	uint32_t end = __atomic_load_n(&waiter_end, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < end; i++) {
		uintptr_t value = __atomic_load_n(&waiters[i], __ATOMIC_RELAXED);
		if (value && owner_of(value) == tid)
			return true;
	}
	return false;
}

static int waits_mutex_lock(pthread_mutex_t *mutex)
{
	int result = interpose_real(pthread_mutex_trylock)(mutex);
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(mutex, LOCK_MUTEX);
	result = interpose_real(pthread_mutex_lock)(mutex);
	end_wait(slot);
	return result;
}

static int waits_mutex_timed_lock(pthread_mutex_t *mutex, const struct timespec *until)
{
	int result = interpose_real(pthread_mutex_trylock)(mutex);
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(mutex, LOCK_MUTEX);
	result = interpose_real(pthread_mutex_timedlock)(mutex, until);
	end_wait(slot);
	return result;
}

static int waits_mutex_clock_lock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	/* Not of a clock that it refuses. */
	int result = clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME ? interpose_real(pthread_mutex_trylock)(mutex)
									 : EBUSY;
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(mutex, LOCK_MUTEX);
	result = interpose_real(pthread_mutex_clocklock)(mutex, clock, until);
	end_wait(slot);
	return result;
}

/* glibc's mtx_t is a mutex. */
static int waits_mtx_lock(mtx_t *mutex)
{
	int result = interpose_real(mtx_trylock)(mutex);
	if (result != thrd_busy)
		return result;
	uintptr_t *slot = begin_wait(mutex, LOCK_MUTEX);
	result = interpose_real(mtx_lock)(mutex);
	end_wait(slot);
	return result;
}

static int waits_mtx_timed_lock(mtx_t *mutex, const struct timespec *until)
{
	int result = interpose_real(mtx_trylock)(mutex);
	if (result != thrd_busy)
		return result;
	uintptr_t *slot = begin_wait(mutex, LOCK_MUTEX);
	result = interpose_real(mtx_timedlock)(mutex, until);
	end_wait(slot);
	return result;
}

static int waits_read_lock(pthread_rwlock_t *lock)
{
	int result = interpose_real(pthread_rwlock_tryrdlock)(lock);
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(lock, LOCK_READ_WRITE);
	result = interpose_real(pthread_rwlock_rdlock)(lock);
	end_wait(slot);
	return result;
}

static int waits_write_lock(pthread_rwlock_t *lock)
{
	int result = interpose_real(pthread_rwlock_trywrlock)(lock);
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(lock, LOCK_READ_WRITE);
	result = interpose_real(pthread_rwlock_wrlock)(lock);
	end_wait(slot);
	return result;
}

/* Read-write locks with a time-out refuse a wrong clock or time even if they are free. */
static bool is_valid(clockid_t clock, const struct timespec *until)
{
	return (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME) && until->tv_nsec >= 0 &&
	       until->tv_nsec < 1000000000;
}

static int waits_read_timed_lock(pthread_rwlock_t *lock, const struct timespec *until)
{
	int result = is_valid(CLOCK_REALTIME, until) ? interpose_real(pthread_rwlock_tryrdlock)(lock) : EBUSY;
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(lock, LOCK_READ_WRITE);
	result = interpose_real(pthread_rwlock_timedrdlock)(lock, until);
	end_wait(slot);
	return result;
}

static int waits_read_clock_lock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	int result = is_valid(clock, until) ? interpose_real(pthread_rwlock_tryrdlock)(lock) : EBUSY;
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(lock, LOCK_READ_WRITE);
	result = interpose_real(pthread_rwlock_clockrdlock)(lock, clock, until);
	end_wait(slot);
	return result;
}

static int waits_write_timed_lock(pthread_rwlock_t *lock, const struct timespec *until)
{
	int result = is_valid(CLOCK_REALTIME, until) ? interpose_real(pthread_rwlock_trywrlock)(lock) : EBUSY;
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(lock, LOCK_READ_WRITE);
	result = interpose_real(pthread_rwlock_timedwrlock)(lock, until);
	end_wait(slot);
	return result;
}

static int waits_write_clock_lock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	int result = is_valid(clock, until) ? interpose_real(pthread_rwlock_trywrlock)(lock) : EBUSY;
	if (result != EBUSY)
		return result;
	uintptr_t *slot = begin_wait(lock, LOCK_READ_WRITE);
	result = interpose_real(pthread_rwlock_clockwrlock)(lock, clock, until);
	end_wait(slot);
	return result;
}

void *waits_slot(size_t index)
{
	switch (index) {
	case INTERPOSE_pthread_mutex_lock:
		return (void *)waits_mutex_lock;
	case INTERPOSE_pthread_mutex_timedlock:
		return (void *)waits_mutex_timed_lock;
	case INTERPOSE_pthread_mutex_clocklock:
		return (void *)waits_mutex_clock_lock;
	case INTERPOSE_mtx_lock:
		return (void *)waits_mtx_lock;
	case INTERPOSE_mtx_timedlock:
		return (void *)waits_mtx_timed_lock;
	case INTERPOSE_pthread_rwlock_rdlock:
		return (void *)waits_read_lock;
	case INTERPOSE_pthread_rwlock_timedrdlock:
		return (void *)waits_read_timed_lock;
	case INTERPOSE_pthread_rwlock_clockrdlock:
		return (void *)waits_read_clock_lock;
	case INTERPOSE_pthread_rwlock_wrlock:
		return (void *)waits_write_lock;
	case INTERPOSE_pthread_rwlock_timedwrlock:
		return (void *)waits_write_timed_lock;
	case INTERPOSE_pthread_rwlock_clockwrlock:
		return (void *)waits_write_clock_lock;
	}
	return NULL;
}
