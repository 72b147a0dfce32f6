/*
 * order.c: see order.h. Atomics follow C11 5.1.2.4 and 7.17.3: a release is seen through the release sequence that it
 * heads: later stores by the same thread and read-modify-writes by anybody.
 */
#include "detect/order.h"

#include "detect/detect.h"
#include "detect/pool.h"
#include "world/parts.h"

struct order *order_now;

/* Slots. */

struct slot {
	uint32_t last_clock; /* when it has no thread: its last one */
	bool is_used;
};

static struct slot slots[SLOT_MAX + 1];
static uint32_t slot_count;
static bool is_crowded;

/* Which thread had a slot from which clock on. */
struct tenancy {
	uint32_t slot, clock, thread;
};

static struct tenancy *tenancies;
static uint32_t tenancy_count, tenancy_room;

static void tell_epoch(void)
{
	const struct order *order = order_now;
	detect.epoch = (uint64_t)order->slot << WORD_SLOT_SHIFT | (uint64_t)vector_at(&order->seen, order->slot)
									  << WORD_CLOCK_SHIFT;
}

static uint32_t crowd_clock;

/* A slot whose past the vector knows wholly. */
static void take_slot(struct order *order)
{
	uint32_t slot = 0;
	while (slot < slot_count && (slots[slot].is_used || slots[slot].last_clock > vector_at(&order->seen, slot) ||
				     slots[slot].last_clock >= CLOCK_MAX - 1))
		slot++;
	if (slot == SLOT_MAX) {
		if (!is_crowded)
			report_note("more than 2046 threads at once: races among those beyond are not seen", NULL);
		is_crowded = true;
		order->slot = SLOT_MAX;
		vector_set(&order->seen, SLOT_MAX, ++crowd_clock);
		return;
	}
	if (slot == slot_count)
		slot_count++;
	slots[slot].is_used = true;
	order->slot = slot;
	vector_set(&order->seen, slot, slots[slot].last_clock + 1);
}

void order_name(struct order *order, uint32_t index)
{
	if (tenancy_count == tenancy_room) {
		uint32_t room = tenancy_room ? 2 * tenancy_room : 64;
		struct tenancy *moved = pool_take(room * sizeof *moved);
		for (uint32_t i = 0; i < tenancy_count; i++)
			moved[i] = tenancies[i];
		if (tenancies)
			pool_give(tenancies, tenancy_room * sizeof *tenancies);
		tenancies = moved;
		tenancy_room = room;
	}
	tenancies[tenancy_count++] = (struct tenancy){ order->slot, vector_at(&order->seen, order->slot), index };
}

uint32_t order_thread(uint32_t slot, uint32_t clock)
{
	for (uint32_t i = tenancy_count; i-- > 0;)
		if (tenancies[i].slot == slot && tenancies[i].clock <= clock)
			return tenancies[i].thread;
	return 0;
}

/* The current thread goes on to its next clock. */
static void advance(void)
{
	struct order *order = order_now;
	uint32_t clock = order->seen.clocks[order->slot];
	if (order->slot == SLOT_MAX) {
		vector_set(&order->seen, SLOT_MAX, ++crowd_clock);
	} else if (clock >= CLOCK_MAX - 1) {
		uint32_t index = order_thread(order->slot, clock);
		slots[order->slot] = (struct slot){ .last_clock = CLOCK_MAX };
		take_slot(order);
		order_name(order, index);
	} else {
		order->seen.clocks[order->slot] = clock + 1;
	}
	tell_epoch();
}

struct order *order_first(void)
{
	struct order *order = pool_take(sizeof *order);
	*order = (struct order){ .users = 1 };
	take_slot(order);
	order_now = order;
	tell_epoch();
	return order;
}

struct order *order_new(struct order *creator)
{
	struct order *order = pool_take(sizeof *order);
	*order = (struct order){ .users = 1 };
	vector_copy(&order->seen, &creator->seen);
	vector_copy(&order->must, &creator->must);
	vector_set(&order->must, creator->slot, vector_at(&creator->seen, creator->slot));
	take_slot(order);
	if (creator == order_now)
		advance();
	return order;
}

/* Objects. */

struct sync {
	const volatile void *object;
	struct vector released; /* seen by who acquires */
	struct vector more;     /* of those that had it shared, or have reached the barrier */
	/* Atomics: slots + 1 of the threads whose stores continue the release sequence: who headed it, and who did last. */
	uint32_t head, last_head;
	uint32_t expected, reached;
};

static struct sync *syncs;
static uint32_t sync_count, sync_room;

static struct sync *place_of(const volatile void *object)
{
	uint32_t at = (uint32_t)((uintptr_t)object * 0x9e3779b97f4a7c15ul >> 32) & (sync_room - 1);
	while (syncs[at].object && syncs[at].object != object)
		at = (at + 1) & (sync_room - 1);
	return &syncs[at];
}

static void grow(void)
{
	struct sync *old = syncs;
	uint32_t old_room = sync_room;
	sync_room = old_room ? 2 * old_room : 256;
	syncs = pool_take(sync_room * sizeof *syncs);
	for (uint32_t i = 0; i < sync_room; i++)
		syncs[i] = (struct sync){ 0 };
	for (uint32_t i = 0; i < old_room; i++)
		if (old[i].object)
			*place_of(old[i].object) = old[i];
	if (old)
		pool_give(old, old_room * sizeof *old);
}

/* Null when it was never released. */
static struct sync *find(const volatile void *object)
{
	if (!sync_room)
		return NULL;
	struct sync *sync = place_of(object);
	return sync->object ? sync : NULL;
}

static struct sync *need(const volatile void *object)
{
	if (2 * sync_count >= sync_room)
		grow();
	struct sync *sync = place_of(object);
	if (!sync->object) {
		sync->object = object;
		sync_count++;
	}
	return sync;
}

void order_acquire(const volatile void *object)
{
	const struct sync *sync = find(object);
	if (sync)
		vector_join(&order_now->seen, &sync->released);
}

void order_acquire_alone(const volatile void *object)
{
	const struct sync *sync = find(object);
	if (!sync)
		return;
	vector_join(&order_now->seen, &sync->released);
	vector_join(&order_now->seen, &sync->more);
}

void order_release(const volatile void *object)
{
	struct sync *sync = need(object);
	vector_copy(&sync->released, &order_now->seen);
	vector_clear(&sync->more);
	sync->head = sync->last_head = order_now->slot + 1;
	advance();
}

void order_release_more(const volatile void *object)
{
	vector_join(&need(object)->released, &order_now->seen);
	advance();
}

void order_release_shared(const volatile void *object)
{
	vector_join(&need(object)->more, &order_now->seen);
	advance();
}

void order_join(const volatile void *object)
{
	const struct sync *sync = find(object);
	if (!sync)
		return;
	vector_join(&order_now->seen, &sync->released);
	vector_join(&order_now->must, &sync->more);
}

/* The slot is free, though what it did may be unordered still: take_slot looks. */
void order_end(struct order *order, const volatile void *object)
{
	uint32_t clock = vector_at(&order->seen, order->slot);
	struct sync *sync = need(object);
	vector_copy(&sync->released, &order->seen);
	vector_copy(&sync->more, &order->must);
	vector_set(&sync->more, order->slot, clock);
	if (order->slot != SLOT_MAX)
		slots[order->slot] = (struct slot){ .last_clock = clock };
	vector_release(&order->seen);
	vector_release(&order->must);
	vector_release(&order->loaded);
	vector_release(&order->fenced);
}

void order_forget(const volatile void *object)
{
	struct sync *sync = find(object);
	if (!sync)
		return;
	vector_release(&sync->released);
	vector_release(&sync->more);
	sync->head = sync->last_head = sync->expected = sync->reached = 0;
}

void order_barrier_made(const volatile void *object, uint32_t count)
{
	order_forget(object);
	need(object)->expected = count;
}

/* Nobody can reach it again for the next round before all have left this one, so one vector for each side is enough. */
void order_barrier_reached(const volatile void *object)
{
	struct sync *sync = need(object);
	vector_join(&sync->more, &order_now->seen);
	if (++sync->reached >= sync->expected) {
		vector_copy(&sync->released, &sync->more);
		vector_clear(&sync->more);
		sync->reached = 0;
	}
	advance();
}

void order_barrier_left(const volatile void *object)
{
	order_acquire(object);
}

/* Atomics. */

static bool is_acquire(unsigned order)
{
	return order == HEDDLE_ORDER_ACQUIRE || order == HEDDLE_ORDER_ACQ_REL || order == HEDDLE_ORDER_SEQ_CST;
}

static bool is_release(unsigned order)
{
	return order == HEDDLE_ORDER_RELEASE || order == HEDDLE_ORDER_ACQ_REL || order == HEDDLE_ORDER_SEQ_CST;
}

static void load(const struct sync *sync, unsigned order)
{
	if (sync)
		vector_join(is_acquire(order) ? &order_now->seen : &order_now->loaded, &sync->released);
}

void order_atomic_read(const volatile void *object, unsigned order)
{
	load(find(object), order);
}

void order_atomic_write(const volatile void *object, unsigned order)
{
	if (is_release(order)) {
		order_release(object);
		return;
	}
	struct sync *sync = order_now->has_fenced ? need(object) : find(object);
	if (!sync)
		return;
	bool is_continued = sync->head == order_now->slot + 1 || sync->last_head == order_now->slot + 1;
	if (!is_continued)
		vector_clear(&sync->released);
	if (order_now->has_fenced) {
		vector_join(&sync->released, &order_now->fenced);
		sync->head = sync->last_head = order_now->slot + 1;
	} else if (!is_continued) {
		sync->head = sync->last_head = 0;
	}
}

void order_atomic_update(const volatile void *object, unsigned order)
{
	bool is_released = is_release(order) || order_now->has_fenced;
	struct sync *sync = is_released ? need(object) : find(object);
	load(sync, order);
	if (!is_released)
		return;
	vector_join(&sync->released, is_release(order) ? &order_now->seen : &order_now->fenced);
	if (is_release(order)) {
		sync->last_head = order_now->slot + 1;
		if (!sync->head)
			sync->head = sync->last_head;
		advance();
	}
}

void order_fence(unsigned order)
{
	if (is_acquire(order))
		vector_join(&order_now->seen, &order_now->loaded);
	if (is_release(order)) {
		vector_copy(&order_now->fenced, &order_now->seen);
		order_now->has_fenced = true;
		advance();
	}
}
