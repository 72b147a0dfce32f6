/*
 * random.c: random: uniform among the runnable threads, at each event that is not an access and after a few
 * accesses; after a million events at each end of a slice only; with hot sites, at each point. round-robin: equal slices in
 * order of creation.
 */
#include "world/schedule/strategy_priv.h"

#define RANDOM_SLICE 32u /* mean 16 */
/* Slices become longer with each million events, so that long-running programs come to their end. */
#define RANDOM_GROWTH_SHIFT 20u
#define MAX_RANDOM_GROWTH 16u
#define ROBIN_SLICE 20u

static struct thread *random_pick(struct thread *self)
{
	static struct thread *candidates[CANDIDATES];
	if (self && world.decides_hot_only && !self->is_yielding && !point_is_here(self))
		return self;
	uint32_t count = candidates_take(candidates);
	return candidates[random_below(count)];
}

static uint64_t random_slice(const struct thread *thread)
{
	(void)thread;
	if (world.decides_hot_only)
		return SLICE_LONG;
	uint64_t growth = 1 + (world_events() >> RANDOM_GROWTH_SHIFT);
	if (growth > MAX_RANDOM_GROWTH)
		growth = MAX_RANDOM_GROWTH;
	if (growth > 1) {
		world.is_long = true;
		world.decides_sync = false;
	}
	return random_below((uint32_t)(RANDOM_SLICE * growth));
}

const struct strategy strategy_random = {
	"random", true, random_start, random_pick, random_slice, woken_never, yielded_marked,
};

static uint64_t robin_length;

static void robin_start(void)
{
	robin_length = world.channel->depth ? world.channel->depth : ROBIN_SLICE;
}

static struct thread *robin_pick(struct thread *self)
{
	/* The next one in order of creation: the smallest index above ours, else the smallest. */
	uint32_t own = self ? self->index : world.current->index;
	struct thread *above = NULL, *first = NULL;
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[i];
		if (thread->index > own && (!above || thread->index < above->index))
			above = thread;
		if (!first || thread->index < first->index)
			first = thread;
		thread->is_yielding = false;
	}
	return above ? above : first;
}

static uint64_t robin_slice(const struct thread *thread)
{
	(void)thread;
	return robin_length;
}

const struct strategy strategy_round_robin = {
	"round-robin", false, robin_start, robin_pick, robin_slice, woken_never, yielded_marked,
};
