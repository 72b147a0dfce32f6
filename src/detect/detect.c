/* detect.c: see detect.h: the threads and the locks; detect/order.h knows what follows from them. */
#include "detect/detect.h"

#include <errno.h>

#include "detect/finding.h"
#include "detect/locks.h"
#include "detect/order.h"
#include "detect/pool.h"
#include "detect/shadow.h"
#include "detect/site.h"
#include "detect/sync.h"
#include "detect/track.h"
#include "detect/watch.h"
#include "world/heap.h"
#include "world/parts.h"
#include "world/shortcut.h"
#include "world/sync.h"

struct detect detect;

static struct track *track_new(struct order *order)
{
	struct track *track = pool_take(sizeof *track);
	*track = (struct track){ .order = order };
	return track;
}

void track_settle(struct track *track)
{
	if (track->again.lock && sync_owner(HEDDLE_EVENT_MUTEX_LOCK, track->again.lock) == world.current->index)
		track_have_again(track);
}

/* The current thread's, which has the mutex again that it had before a wait, when it does. */
static struct track *current(void)
{
	struct track *track = world.current->track;
	track_settle(track);
	return track;
}

void track_ease(const struct track *track)
{
	detect.is_easy = detect.is_on && !detect.is_watching && !track->again.lock && !track->ignoring;
}

int detect_start(void)
{
	int code = shadow_start();
	if (code == 0)
		code = sync_start();
	if (code < 0)
		return code;
	world.current->track = track_new(order_first());
	order_name(order_now, world.current->index);
	detect.is_on = true;
	track_ease(world.current->track);
	return 0;
}

void detect_begin(void)
{
	if (!detect.is_on)
		return;
	watch_start();
	/* A detailed run is about events: it writes down what is quiet, and not all rounds of a loop. */
	if (world.channel->flags & HEDDLE_CONTROL_AUDIT && !world.is_detailed && shortcut_hear() < 0)
		report_note("what was proved is not checked: its code cannot be changed", NULL);
	order_tell_epoch();
	track_ease(world.current->track);
}

void detect_end(void)
{
	if (detect.is_on)
		site_tell_limit();
	if (detect.is_watching)
		watch_done();
	detect_stop();
}

void detect_heap_called(void)
{
	if (detect.is_watching)
		watch_heap();
}

void detect_bad_free(const void *block, bool is_resize, uintptr_t code)
{
	if (!detect.is_on)
		return;
	if (detect.is_watching)
		watch_bad_free();
	finding_bad_free(block, is_resize, code);
}

void detect_stop(void)
{
	detect.is_on = detect.is_watching = detect.is_easy = false;
	detect.epoch = TALLY->epoch_all = ~0ul; /* no word of the shadow is like it, and the hooks look at is_on */
}

/* For who joins: its pthread_t, made a number that is no address, so that it is known when its stack is gone. */
#define ENDED 0xd800000000000000ul

static const volatile void *end_of(uintptr_t handle)
{
	return (const volatile void *)(handle | ENDED);
}

void detect_thread_new(struct thread *thread, bool is_hidden)
{
	if (!detect.is_on)
		return;
	struct order *order = current()->order;
	thread->track = track_new(is_hidden ? order_share(order) : order_new(order));
	order_name(thread->track->order, thread->index);
	if (detect.is_watching)
		watch_thread(thread->index);
}

void detect_thread_end(struct thread *thread)
{
	if (!detect.is_on)
		return;
	struct track *track = current();
	/* Who gets a lock that was never given back, as of a robust mutex, is behind. */
	for (uint32_t i = 0; i < track->held_count; i++)
		order_release_more(track->held[i].lock);
	order_end(track->order, end_of(thread->fs_base));
	if (track->held_room)
		pool_give(track->held, track->held_room * sizeof *track->held);
	pool_give(track, sizeof *track);
	thread->track = NULL;
}

void detect_joined(const volatile void *thread)
{
	if (!detect.is_on)
		return;
	order_join(end_of((uintptr_t)thread));
	sync_forget(end_of((uintptr_t)thread));
}

void detect_cancelled(struct thread *thread)
{
	if (!detect.is_on || !thread->track)
		return;
	current();
	order_pass(thread->track->order);
}

void detect_switched(struct thread *thread)
{
	if (!detect.is_on)
		return;
	if (detect.is_watching)
		watch_done();
	order_now = thread->track->order;
	access_switched();
	order_tell_epoch();
	track_ease(thread->track);
}

void detect_acquire(const volatile void *object)
{
	if (detect.is_on)
		order_acquire(object);
}

void detect_release(const volatile void *object)
{
	if (!detect.is_on)
		return;
	current();
	order_release(object);
}

void detect_release_more(const volatile void *object)
{
	if (!detect.is_on)
		return;
	current();
	order_release_more(object);
}

void detect_forget(const volatile void *object)
{
	if (detect.is_on)
		sync_forget(object);
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
	struct track *track = current();
	struct held *held = find_held(track, lock);
	if (mode == DETECT_SHARED)
		order_acquire(lock);
	else
		order_acquire_alone(lock);
	if (held && mode != DETECT_EXCLUSIVE) {
		held->depth++;
		return;
	}
	if (held) /* somebody else gave it back */
		remove_held(track, held);
	const struct held taken = {
		lock, code, world_events(), 1, mode == DETECT_SHARED, is_try, detect.is_watching ? watch_callers() : 0
	};
	if (track->held_count && !is_try)
		locks_ordered(track, &taken);
	if (detect.is_watching)
		watch_locked(lock);
	add_held(track, taken);
}

/* Somebody else gives it back. */
static void remove_held_anywhere(const volatile void *lock)
{
	for (uint32_t i = 0; i < world.live_count; i++) {
		struct track *track = world.live[i]->track;
		struct held *held = track ? find_held(track, lock) : NULL;
		if (held) {
			remove_held(track, held);
			return;
		}
	}
}

void detect_unlocked(const volatile void *lock)
{
	if (!detect.is_on)
		return;
	struct track *track = current();
	struct held *held = find_held(track, lock);
	if (held && --held->depth)
		return;
	if (!held) { /* not its own: what the owner releases must not be lost */
		order_release_more(lock);
		remove_held_anywhere(lock);
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
	struct track *track = current();
	struct held *held = find_held(track, mutex);
	track->again = (struct held){ .lock = mutex };
	if (held) {
		track->again = *held;
		remove_held(track, held);
	}
	track_ease(track);
	order_release(mutex);
}

void track_have_again(struct track *track)
{
	order_acquire_alone(track->again.lock);
	if (track->again.depth)
		add_held(track, track->again);
	track->again.lock = NULL;
	track_ease(track);
}

void detect_waited(const volatile void *mutex)
{
	if (!detect.is_on)
		return;
	if (world.current->track->again.lock == mutex)
		track_have_again(world.current->track);
	else /* it was thought to have it while libc had not given it back yet */
		order_acquire_alone(mutex);
}

void detect_barrier_made(const volatile void *barrier, uint32_t count)
{
	if (detect.is_on)
		order_barrier_made(barrier, count);
}

struct round *detect_barrier_reached(const volatile void *barrier)
{
	if (!detect.is_on)
		return NULL;
	current();
	return order_barrier_reached(barrier);
}

void detect_barrier_left(const volatile void *barrier, struct round *round)
{
	if (detect.is_on && round)
		order_barrier_left(barrier, round);
}

void detect_memory_new(const volatile void *start, size_t size_bytes)
{
	if (!detect.is_on)
		return;
	sync_forget_range((uintptr_t)start, size_bytes);
	finding_forget((uintptr_t)start, size_bytes);
	shadow_clear((uintptr_t)start, size_bytes);
}

void detect_memory_freed(const volatile void *start, size_t size_bytes, uintptr_t code)
{
	if (!detect.is_on)
		return;
	access_forget_blocks((uintptr_t)start, size_bytes);
	current();
	sync_forget_range((uintptr_t)start, size_bytes);
	finding_forget((uintptr_t)start, size_bytes);
	/* The first access to a block asks the heap (is_good), which makes a note of large ones. */
	if (heap_is_noted((const void *)start))
		shadow_end((uintptr_t)start, size_bytes, code);
}
