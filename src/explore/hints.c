/* hints.c: see hints.h. */
#include "explore/hints.h"

#include <string.h>

#include "explore/race_lines.h"
#include "explore/strategies.h"

/* Asking the strategy costs about 100 ns per access. */
#define LONG_EVENTS 1000000ul

static void add_hot(struct hints *self, uint64_t site)
{
	uint32_t at = self->hot_count;
	for (uint32_t i = 0; i < self->hot_count; i++)
		if (self->hot[i] == site)
			return;
	if (site == 0 || self->hot_count == HEDDLE_HOT_SITES)
		return;
	for (; at > 0 && self->hot[at - 1] > site; at--)
		self->hot[at] = self->hot[at - 1];
	self->hot[at] = site;
	self->hot_count++;
}

/* The places of frees and allocations are no sites. */
static void learn_report(struct hints *self, const char *report, size_t size_bytes)
{
	struct race_line race;
	for (size_t at = 0; race_lines_next(report, size_bytes, &at, &race);)
		for (int i = 0; i < 2; i++)
			if (strcmp(race.kinds[i], "free") != 0 && strcmp(race.kinds[i], "allocation") != 0)
				add_hot(self, race.places[i]);
}

/* Whether the strategy was asked at each point. */
static bool sees_points(const struct plan *plan)
{
	return plan->flags & HEDDLE_CONTROL_HOT || strategies_rows[plan->strategy].sees_points;
}

/* The maximum of each thread over all schedules: to assume that a thread is at its end when it is not is the worse
 * mistake. */
static void learn_points(struct hints_points *self, const struct heddle_channel *channel)
{
	uint32_t reported =
		channel->reported_weight_count < HEDDLE_WEIGHTS ? channel->reported_weight_count : HEDDLE_WEIGHTS;
	if (channel->point_count > self->max_points)
		self->max_points = channel->point_count;
	for (uint32_t i = 0; i < reported; i++) {
		const struct heddle_weight *weight = &channel->reported_weights[i];
		uint32_t at = 0;
		while (at < self->weight_count && self->weights[at].name != weight->name)
			at++;
		if (at == HEDDLE_WEIGHTS)
			return;
		if (at == self->weight_count)
			self->weights[self->weight_count++] = *weight;
		else if (weight->points > self->weights[at].points)
			self->weights[at].points = weight->points;
	}
}

static uint32_t learn_seen(struct hints *self, const uint64_t *seen)
{
	uint32_t news = 0;
	for (size_t i = 0; i < HEDDLE_SEEN_BITS / 64; i++) {
		uint64_t fresh = seen[i] & ~self->seen[i];
		news += (uint32_t)__builtin_popcountl(fresh);
		self->seen[i] |= fresh;
	}
	return news;
}

uint32_t hints_learn(struct hints *self, const struct lesson *lesson)
{
	const struct trace_result *result = lesson->result;
	uint32_t hot_count = self->hot_count;
	if (!result || !lesson->channel)
		return 0;
	learn_report(self, lesson->report, lesson->report_bytes);
	if (self->hot_count != hot_count)
		self->points[1] = (struct hints_points){ 0 };
	else if (sees_points(lesson->plan))
		learn_points(&self->points[lesson->plan->flags & HEDDLE_CONTROL_HOT ? 1 : 0], lesson->channel);
	/* What a fair tail adds is no part of what strategies decide. */
	uint64_t fair_from = lesson->channel->fair_from, length = fair_from ? fair_from : result->event_count;
	if (result->outcome == HEDDLE_OUTCOME_EXIT && length > self->length)
		self->length = length;
	return learn_seen(self, lesson->channel->seen);
}

bool hints_are_long(const struct hints *self)
{
	return self->length > LONG_EVENTS;
}

void hints_give(const struct hints *self, struct plan *plan, bool is_hot)
{
	const struct hints_points *points = &self->points[is_hot];
	if (is_hot) {
		plan->flags |= HEDDLE_CONTROL_HOT;
		plan->hot = self->hot;
		plan->hot_count = self->hot_count;
	}
	plan->weights = points->weights;
	plan->weight_count = points->weight_count;
	plan->length = is_hot ? points->max_points : self->length;
}
