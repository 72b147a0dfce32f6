/*
 * pct.c: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatti: A Randomized Scheduler
 * with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010, section 3): random priorities, the highest runs, and at
 * depth - 1 random events the one that runs falls below all others. With hot sites these are counted in points: there
 * are fewer of them, so that each is more likely to be met.
 */
#include "world/schedule/strategy_priv.h"

#define PCT_DEPTH 3u
#define PCT_LENGTH 2000u
#define PCT_POINTS 64u

/* A larger number runs first. Those that threads begin with are above FALL, those they fall to are below. */
#define FALL (1ul << 32)
static uint64_t fall_next;
static uint64_t change_points[PCT_POINTS];
static uint32_t change_count, change_next;

static void fall(struct thread *thread)
{
	thread->priority = fall_next--;
}

static uint64_t now(void)
{
	return world.decides_hot_only ? world.channel->point_count : world_events();
}

static void pct_start(void)
{
	uint64_t depth = world.channel->depth ? world.channel->depth : PCT_DEPTH;
	uint64_t length = world.channel->length ? world.channel->length : PCT_LENGTH;
	random_start();
	fall_next = FALL;
	change_next = 0;
	change_count = depth - 1 < PCT_POINTS ? (uint32_t)(depth - 1) : PCT_POINTS;
	uint64_t first = now() + 1;
	for (uint32_t i = 0; i < change_count; i++) {
		uint64_t point = first + random_below(length);
		uint32_t at = i;
		for (; at > 0 && change_points[at - 1] > point; at--)
			change_points[at] = change_points[at - 1];
		change_points[at] = point;
	}
	for (uint32_t i = 1; i <= world.place_count; i++)
		world.threads[i].priority = FALL + (random_next() >> 1);
}

static struct thread *pct_pick(struct thread *self)
{
	while (change_next < change_count && now() >= change_points[change_next]) {
		change_next++;
		if (self)
			fall(self);
	}
	return priority_highest();
}

static uint64_t pct_slice(const struct thread *thread)
{
	(void)thread;
	if (change_next >= change_count || world.decides_hot_only)
		return SLICE_LONG;
	return change_points[change_next] > now() + 1 ? change_points[change_next] - now() - 1 : 0;
}

static bool pct_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		thread->priority = FALL + (random_next() >> 1);
	return thread->priority > world.current->priority;
}

const struct strategy strategy_pct = { "pct", false, pct_start, pct_pick, pct_slice, pct_woken, fall };
