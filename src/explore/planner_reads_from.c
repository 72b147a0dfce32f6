/*
 * planner_reads_from.c: schedules in which reads see other writes, in the manner of RFF (Wolff, Shi, Duck, Mathur,
 * Roychoudhury: Greybox Fuzzing for Concurrency Testing, ASPLOS 2024): a schedule that showed a new pair of a write and
 * a read is kept; it is run again with one wish added, removed or reversed (world/schedule/reads_from.c fulfils wishes
 * as far as it can). Those that were run less often come first.
 *
 * Wishes are for pairs that could be: the sites of a pair are about the same memory, so each of the writes and each of the
 * reads of a group of sites that pairs connect make one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explore/draw.h"
#include "explore/planner_priv.h"

#define PLAIN_FIRST 4u /* plans without wishes before the first with some */
#define MAX_KEPT 4096u

/* A site, or code, and the group of those that pairs connect. */
struct place {
	uint64_t code;
	uint32_t group; /* number of a place that stands for it, itself in the end */
	bool is_writer, is_reader;
};

struct kept {
	struct heddle_wish wishes[HEDDLE_WISHES];
	uint32_t wish_count;
	uint64_t planned;
};

struct reads_from {
	struct planner planner;
	const struct hints *hints;
	uint64_t seed, draws, planned;
	struct heddle_pair *pairs; /* that were seen */
	uint32_t pair_count, pair_room;
	struct place *places;
	uint32_t place_count, place_room;
	struct kept *kept; /* the first has no wishes */
	uint32_t kept_count, kept_room;
	struct heddle_wish wishes[HEDDLE_WISHES]; /* of the last plan */
};

static void *grow(void *items, uint32_t count, uint32_t *room, size_t size_bytes)
{
	if (count < *room)
		return items;
	*room = *room ? 2 * *room : 64;
	return mem_resize(items, *room * size_bytes);
}

/* Places. */

static uint32_t place_of(struct reads_from *self, uint64_t code)
{
	for (uint32_t i = 0; i < self->place_count; i++)
		if (self->places[i].code == code)
			return i;
	self->places = grow(self->places, self->place_count, &self->place_room, sizeof *self->places);
	self->places[self->place_count] = (struct place){ .code = code, .group = self->place_count };
	return self->place_count++;
}

static uint32_t group_of(struct reads_from *self, uint32_t place)
{
	while (self->places[place].group != place)
		place = self->places[place].group = self->places[self->places[place].group].group;
	return place;
}

static bool is_known(const struct reads_from *self, const struct heddle_pair *pair)
{
	for (uint32_t i = 0; i < self->pair_count; i++)
		if (self->pairs[i].writer == pair->writer && self->pairs[i].reader == pair->reader)
			return true;
	return false;
}

static void add_pair(struct reads_from *self, const struct heddle_pair *pair)
{
	self->pairs = grow(self->pairs, self->pair_count, &self->pair_room, sizeof *self->pairs);
	self->pairs[self->pair_count++] = *pair;
	uint32_t reader = place_of(self, pair->reader);
	self->places[reader].is_reader = true;
	if (!pair->writer)
		return;
	uint32_t writer = place_of(self, pair->writer);
	self->places[writer].is_writer = true;
	self->places[group_of(self, writer)].group = group_of(self, reader);
}

/* Plans. */

/* A writer of the reader's group, or none. */
static uint64_t draw_writer(struct reads_from *self, uint32_t reader)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < self->place_count; i++)
		count += self->places[i].is_writer && group_of(self, i) == group_of(self, reader);
	uint64_t which = draw_below(&self->draws, count + 1);
	for (uint32_t i = 0; i < self->place_count && which; i++)
		if (self->places[i].is_writer && group_of(self, i) == group_of(self, reader) && --which == 0)
			return self->places[i].code;
	return 0;
}

static bool draw_wish(struct reads_from *self, struct heddle_wish *wish)
{
	uint32_t at = (uint32_t)draw_below(&self->draws, self->place_count);
	for (uint32_t i = 0; i < self->place_count; i++, at = (at + 1) % self->place_count) {
		if (!self->places[at].is_reader)
			continue;
		*wish = (struct heddle_wish){ .pair = { draw_writer(self, at), self->places[at].code },
					      .is_not = draw_below(&self->draws, 4) == 0 };
		return true;
	}
	return false;
}

/* As many times as there were plans for one that was kept, later ones first: they are further from the beginning. */
static struct kept *draw_kept(struct reads_from *self)
{
	struct kept *best = &self->kept[0];
	for (uint32_t i = 1; i < self->kept_count; i++)
		if (self->kept[i].planned <= best->planned)
			best = &self->kept[i];
	best->planned++;
	return best;
}

static uint32_t change(struct reads_from *self, struct heddle_wish *wishes, uint32_t count)
{
	uint32_t which = count ? (uint32_t)draw_below(&self->draws, count) : 0;
	uint64_t how = draw_below(&self->draws, 8);
	if (count && how == 0) {
		wishes[which] = wishes[count - 1];
		return count - 1;
	}
	if (count && how == 1) {
		wishes[which].is_not = !wishes[which].is_not;
		return count;
	}
	if (count == HEDDLE_WISHES || (count && how == 2)) {
		draw_wish(self, &wishes[which]);
		return count;
	}
	return count + draw_wish(self, &wishes[count]);
}

static bool reads_from_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct reads_from *self = (struct reads_from *)planner;
	(void)reason;
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_READS_FROM, .seed = self->seed + self->planned };
	hints_give(self->hints, plan, hints_are_long(self->hints));
	struct kept *extra = mem_alloc(sizeof *extra);
	plan->extra = extra;
	if (self->planned++ < PLAIN_FIRST || !self->place_count)
		return true;
	*extra = *draw_kept(self);
	extra->wish_count = change(self, extra->wishes, extra->wish_count);
	memcpy(self->wishes, extra->wishes, sizeof self->wishes);
	plan->wishes = self->wishes;
	plan->wish_count = extra->wish_count;
	return true;
}

static void reads_from_learn(struct planner *planner, const struct lesson *lesson)
{
	struct reads_from *self = (struct reads_from *)planner;
	const struct heddle_channel *channel = lesson->channel;
	struct kept *extra = lesson->plan->extra;
	uint32_t before = self->pair_count;
	uint32_t reported = lesson->result ? channel->pair_count : 0;
	for (uint32_t i = 0; i < reported && i < HEDDLE_PAIRS; i++) {
		struct heddle_pair pair = channel->pairs[i];
		if (!is_known(self, &pair))
			add_pair(self, &pair);
	}
	if (self->pair_count > before && extra->wish_count && self->kept_count < MAX_KEPT) {
		self->kept = grow(self->kept, self->kept_count, &self->kept_room, sizeof *self->kept);
		extra->planned = 0;
		self->kept[self->kept_count++] = *extra;
	}
	free(extra);
}

static void reads_from_free(struct planner *planner)
{
	struct reads_from *self = (struct reads_from *)planner;
	free(self->pairs);
	free(self->places);
	free(self->kept);
	free(self);
}

struct planner *planner_reads_from_new(const struct hints *hints, uint64_t seed)
{
	struct reads_from *self = mem_alloc(sizeof *self);
	self->planner = (struct planner){ reads_from_next, reads_from_learn, reads_from_free, NULL };
	self->hints = hints;
	self->seed = self->draws = seed;
	self->kept = grow(NULL, 0, &self->kept_room, sizeof *self->kept);
	self->kept[self->kept_count++] = (struct kept){ 0 };
	return &self->planner;
}
