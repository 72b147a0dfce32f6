/*
 * waits.c: see waits.h. Waiting threads are in a list of slots; a thread takes one that is free, which others may take at the same
 * time, so each is taken by a compare and exchange. When there is no free one, the thread waits without being listed.
 */
#include "parallel/waits.h"

#include <errno.h>
#include <pthread.h>

#include "rt/enter/interpose.h"

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

bool waits_is_awaited(uint32_t tid)
{
	uint32_t end = __atomic_load_n(&waiter_end, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < end; i++) {
		uintptr_t value = __atomic_load_n(&waiters[i], __ATOMIC_RELAXED);
		/* The lock exists: somebody waits for it, or has just got it. */
		uintptr_t lock = value & -(uintptr_t)4;
		if ((value & 3) == LOCK_MUTEX &&
		    (uint32_t)__atomic_load_n(&((pthread_mutex_t *)lock)->__data.__owner, __ATOMIC_RELAXED) == tid)
			return true;
		if ((value & 3) == LOCK_READ_WRITE &&
		    (uint32_t)__atomic_load_n(&((pthread_rwlock_t *)lock)->__data.__cur_writer, __ATOMIC_RELAXED) ==
			    tid)
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

void *waits_slot(size_t index)
{
	switch (index) {
	case INTERPOSE_pthread_mutex_lock:
		return (void *)waits_mutex_lock;
	case INTERPOSE_pthread_rwlock_rdlock:
		return (void *)waits_read_lock;
	case INTERPOSE_pthread_rwlock_wrlock:
		return (void *)waits_write_lock;
	}
	return NULL;
}
