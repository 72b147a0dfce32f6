/*
 * order_atomic.c: see order.h: atomic accesses and fences, by C11 5.1.2.4, 7.17.3 and 7.17.4. A release is seen through
 * the release sequence that it heads: later stores by the same thread and read-modify-writes by any thread. (C++20 has
 * only the latter. We take the rule that orders more.)
 */
#include "detect/order.h"
#include "detect/sync.h"

static bool is_acquire(unsigned order)
{
	return order == HEDDLE_ORDER_ACQUIRE || order == HEDDLE_ORDER_ACQ_REL || order == HEDDLE_ORDER_SEQ_CST;
}

static bool is_release(unsigned order)
{
	return order == HEDDLE_ORDER_RELEASE || order == HEDDLE_ORDER_ACQ_REL || order == HEDDLE_ORDER_SEQ_CST;
}

static void join(const struct sync *sync, void *vector)
{
	vector_join(vector, &sync->released);
}

void order_atomic_read(const volatile void *object, size_t size_bytes, unsigned order)
{
	sync_each(object, size_bytes, join, is_acquire(order) ? &order_now->seen : &order_now->loaded);
}

/* A thread that has moved may be known under a slot that it had before. */
static bool is_head(const struct sync *sync)
{
	if (sync->head == order_now->number || vector_at(&sync->heads, order_now->slot) == order_now->number)
		return true;
	for (uint32_t i = 0; order_now->has_moved && i < sync->heads.count; i++)
		if (sync->heads.clocks[i] == order_now->number)
			return true;
	return false;
}

/* The current thread heads a sequence, too. */
static void add_head(struct sync *sync)
{
	if (!sync->head)
		sync->head = order_now->number;
	else if (!is_head(sync))
		vector_set(&sync->heads, order_now->slot, order_now->number);
}

static void end_sequences(struct sync *sync)
{
	vector_clear(&sync->released);
	vector_clear(&sync->heads);
	sync->head = 0;
}

void order_atomic_write(const volatile void *object, size_t size_bytes, unsigned order)
{
	if (is_release(order)) {
		struct sync *released = sync_need_atomic(object, size_bytes);
		if (!released->is_mixed)
			end_sequences(released);
		add_head(released);
		order_release_more(object);
		return;
	}
	struct sync *sync = order_now->has_fenced ? sync_need_atomic(object, size_bytes) : sync_find(object);
	if (!sync)
		return;
	if (!is_head(sync) && !sync->is_mixed && sync->size_bytes == size_bytes)
		end_sequences(sync);
	if (order_now->has_fenced) {
		vector_join(&sync->released, &order_now->fenced);
		add_head(sync);
	}
}

void order_atomic_update(const volatile void *object, size_t size_bytes, unsigned order)
{
	order_atomic_read(object, size_bytes, order);
	if (!is_release(order) && !order_now->has_fenced)
		return;
	struct sync *sync = sync_need_atomic(object, size_bytes);
	vector_join(&sync->released, is_release(order) ? &order_now->seen : &order_now->fenced);
	add_head(sync);
	if (is_release(order))
		order_advance();
}

void order_fence(unsigned order)
{
	if (is_acquire(order))
		vector_join(&order_now->seen, &order_now->loaded);
	if (is_release(order)) {
		vector_copy(&order_now->fenced, &order_now->seen);
		order_now->has_fenced = true;
		order_advance();
	}
}
