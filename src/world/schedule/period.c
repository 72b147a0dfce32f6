/*
 * period.c: schedules with few context switches, in the manner of Wen, He, Wu, Xu, Qin: Controlled Concurrency
 * Testing via Periodical Scheduling, ICSE 2022: a run is a few periods; in each of them every thread does a part of
 * its points, one thread after the other. They go through all ways to cut threads into parts; here the cuts are drawn
 * from the seed, uniformly over the number of points that an earlier schedule reported, or over length
 * (src/explore/planner_dfs.c is the search that goes through all). depth: how many periods.
 */
#include "world/schedule/strategy_priv.h"

#define PERIODS 3u
#define PERIODS_MAX 16u
#define LENGTH 64u

static uint64_t period_count;

/* Points of the thread's part number round, from 0. The last has no end. */
static uint64_t part(const struct thread *thread, uint64_t round)
{
	uint64_t cuts[PERIODS_MAX];
	const struct heddle_weight *weight = weight_of(thread);
	uint64_t points = weight ? weight->points : world.channel->length ? world.channel->length : LENGTH;
	if (round + 1 >= period_count)
		return UINT64_MAX;
	uint32_t count = (uint32_t)period_count - 1;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t cut = random_mix(world.channel->seed + i, thread->lineage) % (points + 1);
		uint32_t at = i;
		for (; at > 0 && cuts[at - 1] > cut; at--)
			cuts[at] = cuts[at - 1];
		cuts[at] = cut;
	}
	return cuts[round] - (round ? cuts[round - 1] : 0);
}

/* cursor: its part; left: of it; priority: its place in the order. */
static void period_new(struct thread *thread)
{
	thread->cursor = 0;
	thread->left = part(thread, 0);
	thread->priority = random_mix(~world.channel->seed, thread->lineage);
}

static void period_start(void)
{
	period_count = world.channel->depth ? world.channel->depth : PERIODS;
	if (period_count > PERIODS_MAX)
		period_count = PERIODS_MAX;
	for (uint32_t i = 1; i <= world.place_count; i++)
		period_new(&world.threads[i]);
}

static struct thread *first_with_points(void)
{
	struct thread *best = NULL;
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[i];
		if (thread->left && (!best || thread->priority > best->priority))
			best = thread;
	}
	return best;
}

static void next_period(void)
{
	for (uint32_t i = 0; i < world.live_count; i++) {
		struct thread *thread = world.live[i];
		thread->left = part(thread, ++thread->cursor);
	}
}

static struct thread *period_pick(struct thread *self)
{
	struct thread *next;
	if (self && !point_is_here(self) && self->left)
		return self;
	if (self && self->left) {
		self->left--;
		return self;
	}
	while (!(next = first_with_points()))
		next_period();
	/* It stands before a point, and the next time it is asked it stands before the one after. */
	if (next == self)
		self->left--;
	return next;
}

static bool period_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		period_new(thread);
	return false;
}

static void period_yielded(struct thread *thread)
{
	thread->left = 0;
}

const struct strategy strategy_period = {
	"period", true, period_start, period_pick, point_slice, period_woken, period_yielded,
};
