/*
 * order.c: threads in a fixed order, without preemption.
 *
 * priority, reverse: the oldest (youngest) thread runs until it cannot. complement: the same with an order that follows
 * from the seed, and with an odd depth its opposite. The pair of opposite schedules without preemption is that of Frost
 * (Veeraraghavan, Chen, Flinn, Narayanasamy: Detecting and Surviving Data Races using Complementary Schedules, SOSP 2011,
 * section 3): of two unordered accesses that are near each other each comes first in one of the two, so a race that
 * matters makes their outcomes differ. The tool compares them.
 */
#include "world/schedule/strategy_priv.h"

/* A larger number runs first. Those that threads begin with are above FALL, those they fall to are below. */
#define FALL (1ul << 32)
static uint64_t fall_next;

static void fall(struct thread *thread)
{
	thread->priority = fall_next--;
}

static struct thread *order_pick(struct thread *self)
{
	/* No thread is preempted; but one that yields has fallen. */
	if (self && self->priority > FALL)
		return self;
	return priority_highest();
}

static uint64_t order_slice(const struct thread *thread)
{
	(void)thread;
	return SLICE_LONG;
}

static void order_start(void)
{
	fall_next = FALL;
	for (uint32_t i = 1; i <= world.place_count; i++)
		world.threads[i].priority = FALL + UINT32_MAX - world.threads[i].index;
}

static bool order_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		thread->priority = FALL + UINT32_MAX - thread->index;
	return false;
}

const struct strategy strategy_priority = {
	"priority", false, order_start, order_pick, order_slice, order_woken, fall,
};

static void reverse_start(void)
{
	fall_next = FALL;
	for (uint32_t i = 1; i <= world.place_count; i++)
		world.threads[i].priority = FALL + world.threads[i].index;
}

static bool reverse_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		thread->priority = FALL + thread->index;
	return false;
}

const struct strategy strategy_reverse = {
	"reverse", false, reverse_start, order_pick, order_slice, reverse_woken, fall,
};

/* Between FALL and 2^63, so that FALL more is still larger than what threads fall to. */
static uint64_t place_of(const struct thread *thread)
{
	uint64_t place = random_mix(world.channel->seed, thread->lineage) >> 1;
	if (world.channel->depth & 1)
		place = (UINT64_MAX >> 1) - place;
	return FALL + 1 + place;
}

static void complement_start(void)
{
	fall_next = FALL;
	for (uint32_t i = 1; i <= world.place_count; i++)
		world.threads[i].priority = place_of(&world.threads[i]);
}

static bool complement_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		thread->priority = place_of(thread);
	return false;
}

const struct strategy strategy_complement = {
	"complement", false, complement_start, order_pick, order_slice, complement_woken, fall,
};
