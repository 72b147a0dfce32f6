/* detect.c: see detect.h: the threads and the locks; detect/order.h knows what follows from them. */
#include "detect/detect.h"

#include <errno.h>

#include "detect/finding.h"
#include "detect/locks.h"
#include "detect/order.h"
#include "detect/pool.h"
#include "detect/shadow.h"
#include "detect/track.h"
#include "detect/watch.h"
#include "world/parts.h"

struct detect detect;

static struct track *track_new(struct order *order)
{
	struct track *track = pool_take(sizeof *track);
	*track = (struct track){ .order = order };
	return track;
}

int detect_start(void)
{
	int code = shadow_start();
	if (code < 0)
		return code;
	world.current->track = track_new(order_first());
	order_name(order_now, world.current->index);
	detect.is_on = true;
	return 0;
}

void detect_begin(void)
{
	if (detect.is_on)
		watch_start();
}

void detect_end(void)
{
	if (detect.is_watching)
		watch_done();
	detect_stop();
}

void detect_heap_called(void)
{
	if (detect.is_watching)
		watch_heap();
}

void detect_stop(void)
{
	detect.is_on = detect.is_watching = false;
	detect.epoch = ~0ul; /* no word of the shadow is like it, and the hooks look at is_on */
}

void detect_thread_new(struct thread *thread, struct thread *creator)
{
	if (!detect.is_on)
		return;
	thread->track = track_new(order_new(creator->track->order));
	order_name(thread->track->order, thread->index);
	if (detect.is_watching)
		watch_thread(thread->index);
}

void detect_thread_end(struct thread *thread)
{
	if (!detect.is_on)
		return;
	order_end(thread->track->order, (const void *)thread->fs_base); /* its pthread_t */
}

void detect_joined(const volatile void *thread)
{
	if (detect.is_on)
		order_join(thread);
}

void detect_switched(struct thread *thread)
{
	if (!detect.is_on)
		return;
	if (detect.is_watching)
		watch_done();
	order_now = thread->track->order;
	detect.epoch = (uint64_t)order_now->slot << WORD_SLOT_SHIFT |
		       (uint64_t)vector_at(&order_now->seen, order_now->slot) << WORD_CLOCK_SHIFT;
}

void detect_acquire(const volatile void *object)
{
	if (detect.is_on)
		order_acquire(object);
}

void detect_release(const volatile void *object)
{
	if (detect.is_on)
		order_release(object);
}

void detect_release_more(const volatile void *object)
{
	if (detect.is_on)
		order_release_more(object);
}

void detect_forget(const volatile void *object)
{
	if (detect.is_on)
		order_forget(object);
}

/* Locks. */

static struct held *find_held(struct track *track, const volatile void *lock)
{
	for (uint32_t i = track->held_count; i-- > 0;)
		if (track->held[i].lock == lock)
			return &track->held[i];
	return NULL;
}

static void add_held(struct track *track, struct held held)
{
	if (track->held_count == track->held_room) {
		uint32_t room = track->held_room ? 2 * track->held_room : 8;
		struct held *moved = pool_take(room * sizeof *moved);
		for (uint32_t i = 0; i < track->held_count; i++)
			moved[i] = track->held[i];
		if (track->held_room)
			pool_give(track->held, track->held_room * sizeof *moved);
		track->held = moved;
		track->held_room = room;
	}
	track->held[track->held_count++] = held;
}

static void remove_held(struct track *track, struct held *held)
{
	for (track->held_count--; held < track->held + track->held_count; held++)
		held[0] = held[1];
}

void detect_locked(const volatile void *lock, enum detect_lock mode, bool is_try, uintptr_t code)
{
	if (!detect.is_on)
		return;
	struct track *track = world.current->track;
	struct held *held = find_held(track, lock);
	if (held) {
		held->depth++;
		return;
	}
	if (mode == DETECT_SHARED)
		order_acquire(lock);
	else
		order_acquire_alone(lock);
	const struct held taken = { lock, code, world_events(), 1, mode == DETECT_SHARED, is_try };
	if (track->held_count && !is_try)
		locks_ordered(track, &taken);
	add_held(track, taken);
}

void detect_unlocked(const volatile void *lock)
{
	if (!detect.is_on)
		return;
	struct track *track = world.current->track;
	struct held *held = find_held(track, lock);
	if (held && --held->depth)
		return;
	if (!held) { /* not its own: what the owner releases must not be lost */
		order_release_more(lock);
		return;
	}
	if (held->is_shared)
		order_release_shared(lock);
	else
		order_release(lock);
	remove_held(track, held);
}

void detect_wait(const volatile void *mutex)
{
	if (!detect.is_on)
		return;
	struct track *track = world.current->track;
	track->again = (struct held){ .lock = mutex, .depth = 1 };
	struct held *held = find_held(track, mutex);
	if (held) {
		track->again = *held;
		remove_held(track, held);
	}
	order_release(mutex);
}

void track_have_again(struct track *track)
{
	const volatile void *mutex = track->again.lock;
	order_acquire_alone(mutex);
	add_held(track, track->again);
	track->again.lock = NULL;
}

void detect_waited(const volatile void *mutex)
{
	if (detect.is_on && world.current->track->again.lock == mutex)
		track_have_again(world.current->track);
}

void detect_barrier_made(const volatile void *barrier, uint32_t count)
{
	if (detect.is_on)
		order_barrier_made(barrier, count);
}

void detect_barrier_reached(const volatile void *barrier)
{
	if (detect.is_on)
		order_barrier_reached(barrier);
}

void detect_barrier_left(const volatile void *barrier)
{
	if (detect.is_on)
		order_barrier_left(barrier);
}

void detect_memory_new(const volatile void *start, size_t size_bytes)
{
	if (detect.is_on)
		shadow_clear((uintptr_t)start, size_bytes);
}

void detect_memory_freed(const volatile void *start, size_t size_bytes, uintptr_t code)
{
	if (!detect.is_on)
		return;
	access_forget_block();
	shadow_end((uintptr_t)start, size_bytes, code);
}
