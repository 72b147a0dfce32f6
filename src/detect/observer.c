/* observer.c: detection as an observer: the table that the world calls (rt/observe.h). */
#include "detect/detect.h"
#include "detect/maker.h"
#include "detect/order.h"
#include "detect/site.h"
#include "rt/object.h"

static const struct shortcut_code *attach(const struct object *object, struct heddle_hooks *hooks)
{
	site_add(object->sites, object->sites_end, object->build);
	maker_add_object(object);
	if (listener)
		listener->attach(object);
	detect_hooks(hooks);
	return detect_entries();
}

static uint32_t number_of(const struct heddle_site *site)
{
	return site_number(site);
}

static uint64_t epoch_now(void)
{
	return (uint64_t)order_now->slot << WORD_SLOT_SHIFT | (uint64_t)vector_at(&order_now->seen, order_now->slot)
								      << WORD_CLOCK_SHIFT;
}

static bool order_is_before_now(uint64_t epoch)
{
	return order_is_before(epoch);
}

const struct observer observer_detect = {
	.start = detect_start,
	.begin = detect_begin,
	.end = detect_end,
	.stop = detect_stop,
	.attach = attach,
	.number = number_of,
	.quiet = detect_quiet,
	.touched = detect_touched,
	.thread_new = detect_thread_new,
	.thread_end = detect_thread_end,
	.joined = detect_joined,
	.cancelled = detect_cancelled,
	.switched = detect_switched,
	.held = detect_held,
	.epoch = epoch_now,
	.is_before = order_is_before_now,
	.acquire = detect_acquire,
	.release = detect_release,
	.release_more = detect_release_more,
	.forget = detect_forget,
	.locked = detect_locked,
	.unlocked = detect_unlocked,
	.wait = detect_wait,
	.waited = detect_waited,
	.barrier_made = detect_barrier_made,
	.barrier_reached = detect_barrier_reached,
	.barrier_left = detect_barrier_left,
	.memory_new = detect_memory_new,
	.memory_freed = detect_memory_freed,
	.block_made = detect_block_made,
	.heap_called = detect_heap_called,
	.bad_free = detect_bad_free,
	.call_made = detect_call_made,
	.call_done = detect_call_done,
	.signal_handled = detect_signal_handled,
};
