/*
 * surw.c: selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury: Selectively Uniform Concurrency
 * Testing, ASPLOS 2025): the thread that does the next interesting event is drawn, weighted by the number of
 * interesting events that each thread still has to do, which makes all their orders equally likely when threads do
 * not wait for each other; with equal weights, long threads would nearly always come last. What is interesting is a
 * point here (heddle/abi.h). The weights are what an earlier schedule reported; a thread stands for those that it
 * will make, until it makes them. Without weights all threads are the same.
 *
 * The thread that was drawn runs until it has done one point; others that stand before one wait for it.
 */
#include "world/schedule/strategy_priv.h"

static struct thread *drawn;

/* Points of the thread of that name and of all it makes, themselves and through others. */
static uint64_t family(uint64_t name, unsigned level)
{
	const struct heddle_channel *channel = world.channel;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < channel->weight_count && i < HEDDLE_WEIGHTS; i++) {
		const struct heddle_weight *weight = &channel->weights[i];
		if (weight->name == name)
			sum += weight->points;
		else if (weight->creator == name && level < HEDDLE_WEIGHTS)
			sum += family(weight->name, level + 1);
	}
	return sum;
}

static void init_thread(struct thread *thread)
{
	thread->left = family(thread->lineage, 0);
	thread->is_at_point = false;
	struct thread *creator = thread_at(thread->creator);
	if (creator)
		creator->left -= thread->left < creator->left ? thread->left : creator->left;
}

static void surw_start(void)
{
	random_start();
	drawn = NULL;
	for (uint32_t i = 1; i <= world.place_count; i++)
		init_thread(&world.threads[i]);
}

/* The count may be too low: a thread that has something to do has at least one. So has one that waits by looking again and again, as long as it
 * sees the same. */
static uint64_t weight(const struct thread *thread)
{
	return thread->left && !thread->is_again ? thread->left : 1;
}

static struct thread *draw(void)
{
	static struct thread *candidates[CANDIDATES];
	uint32_t count = candidates_take(candidates);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += weight(candidates[i]);
	uint64_t at = random_below(sum);
	for (uint32_t i = 0; i < count; i++) {
		if (at < weight(candidates[i]))
			return candidates[i];
		at -= weight(candidates[i]);
	}
	return candidates[0];
}

static struct thread *surw_pick(struct thread *self)
{
	if (self && point_is_here(self))
		self->is_at_point = true;
	else if (self && !self->is_yielding)
		return self;
	if (!drawn || drawn->state != THREAD_RUNNABLE || drawn->is_yielding)
		drawn = draw();
	struct thread *next = drawn;
	if (next->is_at_point) {
		next->is_at_point = false;
		next->left -= next->left > 0 && !next->is_again;
		drawn = NULL;
	}
	return next;
}

static bool surw_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		init_thread(thread);
	return false;
}

const struct strategy strategy_surw = {
	"surw", true, surw_start, surw_pick, point_slice, surw_woken, yielded_marked,
};
