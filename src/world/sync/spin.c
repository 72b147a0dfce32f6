/*
 * spin.c: spin locks. libc's pthread_spin_lock would spin forever, as no other thread runs meanwhile; so it is
 * trylock here, and a thread that does not get the lock is blocked until the lock is released. A deadlock among spin
 * locks is recognised like any other. A lock that another process may release is tried again from time to time.
 */
#include "world/kernel/share.h"
#include "world/sync/sync_priv.h"

static uint32_t waiting_count; /* threads blocked below; may be too large after one of them was cancelled */

/* The holder of a spin lock, for reports: the last taker of each lock that no other lock has evicted. */
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

void spin_init_after(struct operation *operation)
{
	note_given(operation_object(operation));
}

/* Does the work of pthread_spin_lock; of pthread_spin_trylock the real function does. */
bool spin_lock_before(struct operation *operation)
{
	pthread_spinlock_t *lock = (pthread_spinlock_t *)operation->arguments[0];
	if (!world.is_on || operation->row->is_try)
		return false;
	for (;;) {
		announce(operation, HEDDLE_EVENT_SPIN_LOCK);
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
	operation->result = 0;
	return true;
}

void spin_locked(const struct operation_row *row, const volatile void *object, uintptr_t code)
{
	note_taken(object);
	observe_locked(object, LOCK_EXCLUSIVE, row->is_try, code);
}

void spin_unlock_after(struct operation *operation)
{
	note_given(operation_object(operation));
}
