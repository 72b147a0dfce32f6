/* detect.c: see detect.h: the threads and the locks; detect/order.h knows what follows from them. */
#include "detect/detect.h"

#include "detect/finding.h"
#include "detect/instances.h"
#include "detect/locks.h"
#include "detect/order.h"
#include "detect/pool.h"
#include "detect/shadow.h"
#include "detect/site.h"
#include "detect/sync.h"
#include "detect/track.h"
#include "detect/watch.h"
#include "rt/tally.h"

struct detect detect;
struct track *track_now;

/* Of all threads that have not ended. */
static struct track **tracks;
uint32_t track_count;
static uint32_t track_room;

static void add_track(struct track *track)
{
	if (track_count == track_room) {
		uint32_t room = track_room ? 2 * track_room : 8;
		tracks = pool_grow(tracks, track_room * sizeof(struct track *), room * sizeof(struct track *));
		track_room = room;
	}
	track->position = track_count;
	tracks[track_count++] = track;
}

static void remove_track(const struct track *track)
{
	struct track *last = tracks[--track_count];
	tracks[track->position] = last;
	last->position = track->position;
}

static struct track *track_new(struct order *order, uint32_t index)
{
	struct track *track = pool_take(sizeof *track);
	*track = (struct track){ .index = index, .order = order };
	order_name(order, index);
	add_track(track);
	return track;
}

void track_settle(struct track *track)
{
	if (track->again.lock && observed->has_mutex(track->again.lock))
		track_have_again(track);
}

/* The current thread's, which has the mutex again that it had before a wait, when it does. */
static inline struct track *current(void)
{
	struct track *track = track_now;
	if (__builtin_expect(track->again.lock != NULL, 0))
		track_settle(track);
	return track;
}

void track_update_fast(const struct track *track)
{
	detect.is_fast = detect.is_on && !detect.is_watching && !listener && !track->again.lock && !track->ignoring;
}

int detect_start(uint32_t index, struct track **first)
{
	int code = shadow_start();
	if (code == 0)
		code = sync_start();
	if (code < 0)
		return code;
	*first = track_now = track_new(order_first(), index);
	detect.is_on = true;
	track_update_fast(track_now);
	return 0;
}

void detect_begin(void)
{
	watch_start();
	order_set_epoch();
	track_update_fast(track_now);
}

void detect_end(void)
{
	site_report_limit();
	if (detect.is_watching)
		watch_done();
}

void detect_heap_called(void)
{
	if (detect.is_watching)
		watch_heap();
}

void detect_bad_free(const void *block, bool is_resize, uintptr_t code)
{
	if (detect.is_watching)
		watch_bad_free();
	finding_bad_free(block, is_resize, code);
}

void detect_stop(void)
{
	detect.is_on = detect.is_watching = detect.is_fast = false;
	detect.epoch = TALLY->epoch_all = ~0ul; /* no word of the shadow is like it, and the hooks look at is_on */
}

/* For the joining thread: the pthread_t, made into a number that is not an address, so that it stays known when the
 * stack is gone. */
#define ENDED 0xd800000000000000ul

static const volatile void *end_of(uintptr_t handle)
{
	return (const volatile void *)(handle | ENDED);
}

struct track *detect_thread_new(uint32_t index, bool is_hidden)
{
	struct order *order = current()->order;
	struct track *track = track_new(is_hidden ? order_share(order) : order_new(order), index);
	if (detect.is_watching)
		watch_thread(index);
	return track;
}

void detect_thread_end(uintptr_t handle)
{
	struct track *track = current();
	/* A thread that gets a lock that was never released, such as a robust mutex, is ordered after this. */
	for (uint32_t i = 0; i < track->held_count; i++)
		order_release_more(track->held[i].lock);
	order_end(track->order, end_of(handle));
	remove_track(track);
	if (track->held_room)
		pool_give(track->held, track->held_room * sizeof *track->held);
	pool_give(track, sizeof *track);
	track_now = NULL;
}

void detect_joined(uintptr_t handle)
{
	order_join(end_of(handle));
	sync_forget(end_of(handle));
}

void detect_cancelled(struct track *track)
{
	current();
	order_pass(track->order);
}

void detect_switched(struct track *track)
{
	if (detect.is_watching)
		watch_done();
	track_now = track;
	order_now = track->order;
	access_switched();
	order_set_epoch();
	track_update_fast(track);
}

const struct held *detect_held(const struct track *track, uint32_t *count)
{
	*count = track->held_count;
	return track->held;
}

void detect_acquire(const volatile void *object)
{
	order_acquire(object);
}

void detect_release(const volatile void *object)
{
	current();
	order_release(object);
}

void detect_release_more(const volatile void *object)
{
	current();
	order_release_more(object);
}

void detect_forget(const volatile void *object)
{
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

static __attribute__((noinline)) void grow_held(struct track *track)
{
	uint32_t room = track->held_room ? 2 * track->held_room : 8;
	track->held = pool_grow(track->held, track->held_room * sizeof *track->held, room * sizeof *track->held);
	track->held_room = room;
}

static void add_held(struct track *track, const struct held *held)
{
	if (track->held_count == track->held_room)
		grow_held(track);
	track->held[track->held_count++] = *held;
}

static void remove_held(struct track *track, struct held *held)
{
	for (track->held_count--; held < track->held + track->held_count; held++)
		held[0] = held[1];
}

void detect_locked(const volatile void *lock, enum lock_mode mode, bool is_try, uintptr_t code)
{
	struct track *track = current();
	struct held *held = find_held(track, lock);
	if (mode == LOCK_SHARED)
		order_acquire(lock);
	else
		order_acquire_alone(lock);
	if (held && mode != LOCK_EXCLUSIVE) {
		held->depth++;
		return;
	}
	if (held) /* another thread released it */
		remove_held(track, held);
	const struct held taken = {
		lock, code, tally_events(), 1, mode == LOCK_SHARED, is_try, detect.is_watching ? watch_callers() : 0
	};
	if (track->held_count && !is_try)
		locks_ordered(track, &taken);
	if (detect.is_watching)
		watch_locked(lock);
	add_held(track, &taken);
}

/* Another thread releases it. */
static void remove_held_anywhere(const volatile void *lock)
{
	for (uint32_t i = 0; i < track_count; i++) {
		struct held *held = find_held(tracks[i], lock);
		if (held) {
			remove_held(tracks[i], held);
			return;
		}
	}
}

void detect_unlocked(const volatile void *lock)
{
	struct track *track = current();
	struct held *held = find_held(track, lock);
	if (held && --held->depth)
		return;
	if (!held) { /* not the owner: what the owner releases must not be lost */
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
	struct track *track = current();
	struct held *held = find_held(track, mutex);
	track->again = (struct held){ .lock = mutex };
	if (held) {
		track->again = *held;
		remove_held(track, held);
	}
	track_update_fast(track);
	order_release(mutex);
}

void track_have_again(struct track *track)
{
	order_acquire_alone(track->again.lock);
	if (track->again.depth)
		add_held(track, &track->again);
	track->again.lock = NULL;
	track_update_fast(track);
}

void detect_waited(const volatile void *mutex)
{
	if (track_now->again.lock == mutex)
		track_have_again(track_now);
	else /* it was assumed to have it while libc had not yet taken it again */
		order_acquire_alone(mutex);
}

void detect_barrier_made(const volatile void *barrier, uint32_t count)
{
	order_barrier_made(barrier, count);
}

struct round *detect_barrier_reached(const volatile void *barrier)
{
	current();
	return order_barrier_reached(barrier);
}

void detect_barrier_left(const volatile void *barrier, struct round *round)
{
	order_barrier_left(barrier, round);
}

void detect_memory_new(const volatile void *start, size_t size_bytes)
{
	sync_forget_range((uintptr_t)start, size_bytes);
	finding_forget((uintptr_t)start, size_bytes);
	shadow_clear((uintptr_t)start, size_bytes);
	if (listener)
		listener->forget(start, size_bytes);
	if (detect.is_watching)
		instances_forget((uintptr_t)start, size_bytes);
}

void detect_memory_freed(const volatile void *start, size_t size_bytes, uintptr_t code)
{
	access_forget_blocks((uintptr_t)start, size_bytes);
	current();
	sync_forget_range((uintptr_t)start, size_bytes);
	finding_forget((uintptr_t)start, size_bytes);
	if (listener)
		listener->forget(start, size_bytes);
	if (detect.is_watching) {
		watch_free((uintptr_t)start, size_bytes);
		instances_freed((uintptr_t)start, size_bytes, code);
	}
	/* The first access to a block asks the heap (is_good), which makes a note of large ones. */
	if (observed->heap_is_noted((const void *)start))
		shadow_end((uintptr_t)start, size_bytes, code);
}
