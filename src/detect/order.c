/* order.c: see order.h: threads, and what they release and acquire. */
#include "detect/order.h"

#include "detect/detect.h"
#include "detect/pool.h"
#include "detect/sync.h"
#include "detect/track.h"
#include "rt/bug.h"
#include "rt/report.h"
#include "rt/tally.h"

struct order *order_now;

/* Slots. */

struct slot {
	uint32_t last_clock; /* when it has no thread: its last one */
	bool is_used;
	uint64_t ended; /* how many threads had ended before its last one */
};

static struct slot slots[SLOT_MAX + 1];
static uint32_t slot_count;
static uint64_t ended_count;

/* Which thread had a slot from which clock on. */
struct tenancy {
	uint32_t slot, clock, thread;
};

static struct tenancy *tenancies;
static uint32_t tenancy_count, tenancy_room;

void order_set_epoch(void)
{
	const struct order *order = order_now;
	detect.epoch = (uint64_t)order->slot << WORD_SLOT_SHIFT | (uint64_t)vector_at(&order->seen, order->slot)
									  << WORD_CLOCK_SHIFT;
	/* While something is watched no access is known: the next access of a thread shows the result of the last. */
	TALLY->epoch_all = detect.is_watching || listener ? ~0ul : detect.epoch | 255;
}

/* Of the crowd, whose threads are not distinguished: where it ends does not matter. */
static uint32_t crowd_clock;

static void join_crowd(struct order *order)
{
	if (crowd_clock < CLOCK_MAX)
		crowd_clock++;
	order->slot = SLOT_MAX;
	vector_set(&order->seen, SLOT_MAX, crowd_clock);
}

static bool is_free(uint32_t slot)
{
	return !slots[slot].is_used && slots[slot].last_clock < CLOCK_MAX - 1;
}

/* When all are taken: that of the thread that ended longest ago, or else SLOT_MAX. */
static uint32_t oldest_slot(void)
{
	static bool is_reuse_reported, is_crowd_reported;
	uint32_t oldest = SLOT_MAX;
	for (uint32_t i = 0; i < SLOT_MAX; i++)
		if (is_free(i) && (oldest == SLOT_MAX || slots[i].ended < slots[oldest].ended))
			oldest = i;
	bool *is_reported = oldest == SLOT_MAX ? &is_crowd_reported : &is_reuse_reported;
	if (!*is_reported)
		report_missed(oldest == SLOT_MAX
				      ? "more than 2046 threads at once: races among the others are not detected"
				      : "more than 2046 threads, and the ended ones are not known to be ordered "
					"before the others: some races with them are not detected");
	*is_reported = true;
	return oldest;
}

/* A slot whose past the vector knows wholly. */
static void take_slot(struct order *order)
{
	uint32_t slot = 0;
	while (slot < slot_count && (!is_free(slot) || slots[slot].last_clock > vector_at(&order->seen, slot)))
		slot++;
	if (slot == SLOT_MAX)
		slot = oldest_slot();
	if (slot == SLOT_MAX) {
		join_crowd(order);
		return;
	}
	if (slots[slot].is_used || slots[slot].last_clock + 1 >= CLOCK_MAX)
		RT_BUG("a slot is given to a thread that is another's, or at its end");
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
		tenancies = pool_grow(tenancies, tenancy_room * sizeof *tenancies, room * sizeof *tenancies);
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

static void go_on(void)
{
	struct order *order = order_now;
	uint32_t clock = order->seen.clocks[order->slot];
	order->has_accessed = false;
	if (order->slot == SLOT_MAX) {
		join_crowd(order);
	} else if (clock >= CLOCK_MAX - 1) {
		uint32_t index = order_thread(order->slot, clock);
		slots[order->slot] = (struct slot){ .last_clock = CLOCK_MAX };
		vector_set(&order->must, order->slot, clock);
		order->has_moved = true;
		take_slot(order);
		order_name(order, index);
	} else {
		order->seen.clocks[order->slot] = clock + 1;
	}
	if (order->slot != SLOT_MAX && !slots[order->slot].is_used)
		RT_BUG("a thread runs in a slot that is not its own");
	order_set_epoch();
}

/* While a thread is alone its clock can stay: a thread created later is ordered after all that it did. */
void order_advance(void)
{
	if (track_count > 1)
		go_on();
}

static struct order *make(void)
{
	static uint32_t last_number;
	struct order *order = pool_take(sizeof *order);
	*order = (struct order){ .number = ++last_number, .users = 1 };
	return order;
}

struct order *order_first(void)
{
	struct order *order = make();
	take_slot(order);
	order_now = order;
	order_set_epoch();
	return order;
}

struct order *order_new(struct order *creator)
{
	struct order *order = make();
	vector_copy(&order->seen, &creator->seen);
	vector_copy(&order->must, &creator->must);
	vector_set(&order->must, creator->slot, vector_at(&creator->seen, creator->slot));
	take_slot(order);
	if (creator == order_now)
		go_on();
	if (creator == order_now && !creator->has_moved && creator->slot != SLOT_MAX &&
	    vector_at(&creator->seen, creator->slot) <= vector_at(&order->seen, creator->slot))
		RT_BUG("what a thread does next is before what it created");
	return order;
}

struct order *order_share(struct order *creator)
{
	creator->users++;
	return creator;
}

void order_pass(struct order *other)
{
	vector_join(&other->seen, &order_now->seen);
	order_advance();
}

/* Objects. */

void order_acquire(const volatile void *object)
{
	const struct sync *sync = sync_find(object);
	if (sync)
		vector_join(&order_now->seen, &sync->released);
}

void order_acquire_alone(const volatile void *object)
{
	const struct sync *sync = sync_find(object);
	if (!sync)
		return;
	vector_join(&order_now->seen, &sync->released);
	if (sync->more.count) /* a mutex has none */
		vector_join(&order_now->seen, &sync->more);
}

void order_release(const volatile void *object)
{
	struct sync *sync = sync_need(object);
	vector_copy(&sync->released, &order_now->seen);
	vector_clear(&sync->more);
	order_advance();
}

void order_release_more(const volatile void *object)
{
	vector_join(&sync_need(object)->released, &order_now->seen);
	order_advance();
}

void order_release_shared(const volatile void *object)
{
	vector_join(&sync_need(object)->more, &order_now->seen);
	order_advance();
}

void order_join(const volatile void *object)
{
	const struct sync *sync = sync_find(object);
	if (!sync)
		return;
	vector_join(&order_now->seen, &sync->released);
	vector_join(&order_now->must, &sync->more);
}

/* The slot is free, though what it did may be unordered still: take_slot looks. The order stays the current one until another
 * thread runs. */
static void give_up(struct order *order)
{
	static struct order *last;
	if (order->slot != SLOT_MAX && !slots[order->slot].is_used)
		RT_BUG("a thread gives up a slot that is not its own");
	if (order->slot != SLOT_MAX)
		slots[order->slot] =
			(struct slot){ .last_clock = vector_at(&order->seen, order->slot), .ended = ended_count++ };
	vector_release(&order->seen);
	vector_release(&order->must);
	vector_release(&order->loaded);
	vector_release(&order->fenced);
	if (last)
		pool_give(last, sizeof *last);
	last = order;
}

void order_end(struct order *order, const volatile void *object)
{
	struct sync *sync = sync_need(object);
	if (!order->users)
		RT_BUG("a thread ends twice");
	/* A thread that acquired its last release knows all that it did. */
	if (order->users == 1 && !order->has_accessed && order->slot != SLOT_MAX)
		order->seen.clocks[order->slot]--;
	vector_copy(&sync->released, &order->seen);
	vector_copy(&sync->more, &order->must);
	vector_set(&sync->more, order->slot, vector_at(&order->seen, order->slot));
	if (--order->users)
		order_advance();
	else
		give_up(order);
}

/* Barriers. */

void order_barrier_made(const volatile void *object, uint32_t count)
{
	sync_forget(object);
	sync_need(object)->expected = count;
}

struct round *order_barrier_reached(const volatile void *object)
{
	struct sync *sync = sync_need(object);
	struct round *round = sync->round;
	if (!round) {
		round = pool_take(sizeof *round);
		*round = (struct round){ 0 };
		sync->round = round;
	}
	vector_join(&round->all, &order_now->seen);
	if (++round->reached == sync->expected)
		sync->round = NULL;
	order_advance();
	return round;
}

/* When it was not known how many would come, or some came from other processes, the first that leaves ends the round. */
void order_barrier_left(const volatile void *object, struct round *round)
{
	struct sync *sync = sync_find(object);
	if (sync && sync->round == round)
		sync->round = NULL;
	vector_join(&order_now->seen, &round->all);
	if (round->left >= round->reached)
		RT_BUG("more threads leave a barrier than came");
	if (++round->left == round->reached) {
		vector_release(&round->all);
		pool_give(round, sizeof *round);
	}
}
