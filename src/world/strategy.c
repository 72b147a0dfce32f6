/*
 * strategy.c: see strategy.h.
 *
 * random: uniform among the runnable threads, at each event that is not an access and after a few accesses.
 * pct: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatti: A Randomized Scheduler with
 *   Probabilistic Guarantees of Finding Bugs, ASPLOS 2010, section 3): random priorities, the highest runs, and at depth
 *   - 1 random events the one that runs falls below all others.
 * round-robin: equal slices in order of creation.
 * priority, reverse: the oldest (youngest) thread runs until it cannot; the pair of opposite schedules without
 *   preemption is that of Frost (Veeraraghavan et al., SOSP 2011, section 3).
 */
#include "world/strategy.h"

#define SLICE_MAX 2000u
#define RANDOM_SLICE 32u /* mean 16 */
#define ROBIN_SLICE 20u
#define PCT_DEPTH 3u
#define PCT_LENGTH 2000u
#define PCT_POINTS 64u

static uint64_t random_state;

/* SplitMix64: any seed is a good one. */
static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ul;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
	z = (z ^ z >> 27) * 0x94d049bb133111ebul;
	return z ^ z >> 31;
}

static uint64_t random_below(uint64_t bound)
{
	return (uint64_t)((unsigned __int128)random_next() * bound >> 64);
}

static void random_start(void)
{
	random_state = world.channel->seed * 0x2545f4914f6cdd1dul;
}

/* Those that yielded are left out once, unless all did. */
static struct thread *pick_nth(uint32_t from, bool is_random)
{
	struct thread *candidates[64];
	uint32_t count = 0;
	for (uint32_t i = 0; i < world.runnable_count; i++) {
		struct thread *thread = world.runnable[(from + i) % world.runnable_count];
		if (!thread->is_yielding && count < 64)
			candidates[count++] = thread;
		thread->is_yielding = false;
	}
	if (count == 0)
		return world.runnable[is_random ? random_below(world.runnable_count) : from];
	return candidates[is_random ? random_below(count) : 0];
}

static struct thread *random_pick(struct thread *self)
{
	(void)self;
	/* Beyond 64 candidates the first is random, so that each has its chance. */
	return pick_nth(world.runnable_count > 64 ? (uint32_t)random_below(world.runnable_count) : 0, true);
}

static uint64_t random_slice(const struct thread *thread)
{
	(void)thread;
	return random_below(RANDOM_SLICE);
}

static bool random_woken(struct thread *thread, bool is_new)
{
	(void)thread;
	(void)is_new;
	return false;
}

static void just_marked(struct thread *thread)
{
	thread->is_yielding = true;
}

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

/* Priorities: a larger number runs first. Those that threads begin with are above FALL, those they fall to are below. */
#define FALL (1ul << 32)
static uint64_t fall_next;
static uint64_t change_points[PCT_POINTS];
static uint32_t change_count, change_next;

static void fall(struct thread *thread)
{
	thread->priority = fall_next--;
}

static struct thread *highest(void)
{
	struct thread *best = world.runnable[0];
	for (uint32_t i = 1; i < world.runnable_count; i++)
		if (world.runnable[i]->priority > best->priority)
			best = world.runnable[i];
	return best;
}

static void pct_start(void)
{
	uint64_t depth = world.channel->depth ? world.channel->depth : PCT_DEPTH;
	uint64_t length = world.channel->length ? world.channel->length : PCT_LENGTH;
	random_start();
	fall_next = FALL;
	change_next = 0;
	change_count = depth - 1 < PCT_POINTS ? (uint32_t)(depth - 1) : PCT_POINTS;
	uint64_t now = world_events();
	for (uint32_t i = 0; i < change_count; i++) {
		uint64_t point = now + 1 + random_below(length);
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
	while (change_next < change_count && world_events() >= change_points[change_next]) {
		change_next++;
		if (self)
			fall(self);
	}
	return highest();
}

static uint64_t pct_slice(const struct thread *thread)
{
	uint64_t now = world_events();
	(void)thread;
	if (change_next >= change_count)
		return SLICE_MAX;
	return change_points[change_next] > now + 1 ? change_points[change_next] - now - 1 : 0;
}

static bool pct_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		thread->priority = FALL + (random_next() >> 1);
	return thread->priority > world.current->priority;
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

static struct thread *order_pick(struct thread *self)
{
	/* Nobody is preempted; but one that yields has fallen. */
	return self && self->priority > FALL ? self : highest();
}

static uint64_t order_slice(const struct thread *thread)
{
	(void)thread;
	return SLICE_MAX;
}

static const struct strategy strategies[] = {
	[HEDDLE_STRATEGY_RANDOM] = { "random", true, random_start, random_pick, random_slice, random_woken,
				     just_marked },
	[HEDDLE_STRATEGY_PCT] = { "pct", false, pct_start, pct_pick, pct_slice, pct_woken, fall },
	[HEDDLE_STRATEGY_ROUND_ROBIN] = { "round-robin", false, robin_start, robin_pick, robin_slice, random_woken,
					  just_marked },
	[HEDDLE_STRATEGY_PRIORITY] = { "priority", false, order_start, order_pick, order_slice, order_woken, fall },
	[HEDDLE_STRATEGY_REVERSE] = { "reverse", false, reverse_start, order_pick, order_slice, reverse_woken, fall },
};

const struct strategy *strategy_of(uint32_t number)
{
	return number < sizeof strategies / sizeof *strategies ? &strategies[number] : NULL;
}
