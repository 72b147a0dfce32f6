/*
 * pos.c: partial order sampling (Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018):
 * each event that a thread stands before has a random priority, and the highest is executed; then the events that are in
 * conflict with it get new ones. So the order of events that are not in conflict costs nothing, and all orders of events
 * that are in conflict become about equally likely, whatever lies between them.
 */
#include "world/schedule/strategy_priv.h"

/* After this many choices all priorities are drawn anew. Otherwise a thread with a low priority and no conflicts
 * would wait forever while others loop until it runs, since their events get new priorities each time. */
#define MAX_CHOICES 500u
static uint32_t choice_count;

static void pos_start(void)
{
	random_start();
	choice_count = 0;
	for (uint32_t i = 1; i <= world.place_count; i++)
		world.threads[i].priority = random_next();
}

static struct thread *pos_pick(struct thread *self)
{
	static struct thread *candidates[CANDIDATES];
	if (self && !self->is_yielding && !point_is_here(self))
		return self;
	if (self)
		self->priority = random_next(); /* it stands before a new event */
	uint32_t count = candidates_take(candidates);
	bool is_new = ++choice_count % MAX_CHOICES == 0;
	for (uint32_t i = 0; is_new && i < count; i++)
		candidates[i]->priority = random_next();
	struct thread *best = candidates[0];
	for (uint32_t i = 1; i < count; i++)
		if (candidates[i]->priority > best->priority)
			best = candidates[i];
	for (uint32_t i = 0; i < count; i++)
		if (candidates[i] != best && events_conflict(candidates[i], best))
			candidates[i]->priority = random_next();
	return best;
}

static bool pos_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		thread->priority = random_next();
	return false;
}

const struct strategy strategy_pos = { "pos", true, pos_start, pos_pick, point_slice, pos_woken, yielded_marked };
