/*
 * spin.c: spin locks. libc's pthread_spin_lock would spin for good, as nobody else runs meanwhile; so it is trylock
 * here, and a thread that does not get the lock is blocked until somebody gives it back. A deadlock among spin locks is
 * recognised like any other. A lock that another process may give back is tried again from time to time.
 */
#include <errno.h>

#include "world/kernel/share.h"
#include "world/sync/sync_priv.h"

static uint32_t waiting_count; /* threads blocked below; may be too large after one of them was cancelled */

/* Who holds a spin lock, for reports: the last taker of each lock that no other lock has pushed out. */
static struct spin_holder {
	const volatile void *lock;
	uint32_t index;
} holders[1024];

static struct spin_holder *holder_of(const volatile void *lock)
{
	return &holders[(uintptr_t)lock * 0x9e3779b97f4a7c15ul >> 54];
}

uint32_t spin_owner(const volatile void *lock)
{
	const struct spin_holder *holder = holder_of(lock);
	return holder->lock == lock ? holder->index : 0;
}

static void note_taken(const volatile void *lock)
{
	if (world.is_on)
		*holder_of(lock) = (struct spin_holder){ lock, world.current->index };
}

static void note_given(const volatile void *lock)
{
	struct spin_holder *holder = holder_of(lock);
	if (!world.is_on)
		return;
	if (holder->lock == lock)
		holder->lock = NULL;
	sync_changed(lock);
}

void sync_changed(const volatile void *object)
{
	if (waiting_count == 0)
		return;
	for (uint32_t i = 0; i < world.live_count; i++) {
		struct thread *thread = world.live[i];
		if (thread->state == THREAD_BLOCKED && thread->wait.kind == WAIT_CHANGE &&
		    thread->wait.object == object)
			thread_wake(thread, WAKE_DONE);
	}
}

int control_pthread_spin_init(pthread_spinlock_t *lock, int is_shared)
{
	observe_forget(lock);
	int result = interpose_real(pthread_spin_init)(lock, is_shared);
	note_given(lock);
	return result;
}

int control_pthread_spin_lock(pthread_spinlock_t *lock)
{
	if (!world.is_on)
		return interpose_real(pthread_spin_lock)(lock);
	for (;;) {
		announce(HEDDLE_EVENT_SPIN_LOCK, lock);
		bool is_outside = share_is_outside(lock); /* before: the holder may give it back and end */
		if (interpose_real(pthread_spin_trylock)(lock) == 0)
			break;
		if (share_wait(is_outside))
			continue;
		struct thread *self = world.current;
		self->wait = (struct wait){
			.kind = WAIT_CHANGE, .object = lock, .deadline_ns = NO_DEADLINE, .is_interruptible = true
		};
		waiting_count++;
		thread_block(self);
		waiting_count--;
	}
	note_taken(lock);
	observe_locked(lock, LOCK_EXCLUSIVE, false, code_here());
	return 0;
}

int control_pthread_spin_trylock(pthread_spinlock_t *lock)
{
	bool is_again = announce_try(HEDDLE_EVENT_SPIN_LOCK, lock);
	int result = interpose_real(pthread_spin_trylock)(lock);
	if (result == 0) {
		note_taken(lock);
		observe_locked(lock, LOCK_EXCLUSIVE, true, code_here());
	} else if (result == EBUSY && is_again) {
		thread_yield();
	}
	return result;
}

int control_pthread_spin_unlock(pthread_spinlock_t *lock)
{
	announce(HEDDLE_EVENT_SPIN_UNLOCK, lock);
	observe_unlocked(lock);
	int result = interpose_real(pthread_spin_unlock)(lock);
	note_given(lock);
	return result;
}
