/*
 * planner_reads_from.c: schedules in which accesses come right after others, in the manner of RFF (Wolff, Shi, Duck, Mathur,
 * Roychoudhury: Greybox Fuzzing for Concurrency Testing, ASPLOS 2024). A run reports pairs of a write and what followed it at the same memory. Each
 * two accesses of the same memory that are in conflict are an *edge*, whether some run had it or not; a plan wishes for one or a few
 * of them (world/schedule/reads_from.c fulfils wishes as far as it can). A schedule that showed a new pair is kept, and its wishes are
 * asked for again with one more, less or reversed.
 *
 * Power goes to what is rare: of some edges that are drawn, the one is wished for that was planned least, and wishes that were never fulfilled
 * count several times. Accesses that are known to race are drawn more often.
 * Places and edges are found by hash, in tables of which at most half of the slots are used.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explore/draw.h"
#include "explore/planner_priv.h"

#define PLAIN_FIRST 1u /* plans without wishes before the first with some */
#define PLAIN_OF 8u    /* after these, one in this many */
#define MAX_KEPT 4096u
#define MAX_PLACES 16384u
#define MAX_EDGES (1u << 16)
#define DRAWS 16u      /* edges of which the least planned is taken */
#define MAX_OBJECTS 4u /* of a place that are known */
#define VAIN 4u        /* an unfulfilled wish counts as this many */

/* A site, or code. */
struct place {
	uint64_t code;
	uint64_t objects[MAX_OBJECTS]; /* memory that it was seen at */
	uint32_t object_count;
	uint32_t flags;      /* of the pairs in which it is the later one: enum heddle_pair_flag */
	uint32_t group;      /* number of a place that stands for all that are connected by pairs; itself in the end */
	uint32_t group_next; /* the next place of the group, in a ring */
};

struct edge {
	uint64_t before, after;
	uint32_t planned, met;
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
	struct place *places;
	uint32_t place_count;
	uint32_t *place_slots; /* numbers plus 1, by hash */
	uint32_t shared_count; /* places of which some pair is of two threads: numbers in shared */
	uint32_t *shared;
	struct edge *pairs; /* by hash: those that were seen */
	uint32_t pair_count;
	struct edge *edges; /* by hash: those that were wished for */
	uint32_t edge_count;
	struct kept *kept; /* the first has no wishes */
	uint32_t kept_count, kept_room;
	struct heddle_wish wishes[HEDDLE_WISHES]; /* of the last plan */
};

#define PLACE_SLOTS (2 * MAX_PLACES)
#define EDGE_SLOTS (2 * MAX_EDGES)

/* Tables. */

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t state = a * 0x9e3779b97f4a7c15ul ^ b;
	return draw(&state);
}

/* Its slot, which is free (after is 0) if it is not there. */
static struct edge *edge_slot(struct edge *slots, uint64_t before, uint64_t after)
{
	uint64_t at = mix(before, after) % EDGE_SLOTS;
	while (slots[at].after && (slots[at].before != before || slots[at].after != after))
		at = (at + 1) % EDGE_SLOTS;
	return &slots[at];
}

/* Adds it if it is not there; null: there is no room. */
static struct edge *edge_at(struct edge *slots, uint32_t *count, uint64_t before, uint64_t after)
{
	struct edge *slot = edge_slot(slots, before, after);
	if (slot->after)
		return slot;
	if (*count == MAX_EDGES)
		return NULL;
	++*count;
	*slot = (struct edge){ .before = before, .after = after };
	return slot;
}

/* The number of its place plus 1; 0: there is no room. */
static uint32_t place_of(struct reads_from *self, uint64_t code)
{
	uint64_t at = mix(0, code) % PLACE_SLOTS;
	while (self->place_slots[at] && self->places[self->place_slots[at] - 1].code != code)
		at = (at + 1) % PLACE_SLOTS;
	if (!self->place_slots[at] && self->place_count < MAX_PLACES) {
		uint32_t number = self->place_count++;
		self->places[number] = (struct place){ .code = code, .group = number, .group_next = number };
		self->place_slots[at] = number + 1;
	}
	return self->place_slots[at];
}

static uint32_t group_of(struct reads_from *self, uint32_t place)
{
	while (self->places[place].group != place)
		place = self->places[place].group = self->places[self->places[place].group].group;
	return place;
}

static void join(struct reads_from *self, uint32_t a, uint32_t b)
{
	uint32_t first = group_of(self, a), second = group_of(self, b), next = self->places[a].group_next;
	if (first == second)
		return;
	self->places[first].group = second;
	self->places[a].group_next = self->places[b].group_next;
	self->places[b].group_next = next;
}

static void add_object(struct place *place, uint64_t object)
{
	for (uint32_t i = 0; i < place->object_count; i++)
		if (place->objects[i] == object)
			return;
	if (place->object_count < MAX_OBJECTS)
		place->objects[place->object_count++] = object;
}

static void add_shared(struct reads_from *self, uint32_t number)
{
	if (!(self->places[number].flags & HEDDLE_PAIR_OTHER))
		self->shared[self->shared_count++] = number;
	self->places[number].flags |= HEDDLE_PAIR_OTHER;
}

/* Returns whether the pair is new. */
static bool add_pair(struct reads_from *self, const struct heddle_pair *pair)
{
	uint32_t after = place_of(self, pair->after), before = pair->before ? place_of(self, pair->before) : 0;
	uint32_t old_count = self->pair_count;
	if (!pair->after || !after)
		return false;
	self->places[after - 1].flags |= pair->flags & (HEDDLE_PAIR_READS | HEDDLE_PAIR_WRITES | HEDDLE_PAIR_SYNC);
	add_object(&self->places[after - 1], pair->object);
	if (before) {
		add_object(&self->places[before - 1], pair->object);
		join(self, before - 1, after - 1);
		if (pair->flags & HEDDLE_PAIR_OTHER) {
			add_shared(self, before - 1);
			add_shared(self, after - 1);
		}
	}
	edge_at(self->pairs, &self->pair_count, pair->before, pair->after);
	return self->pair_count != old_count;
}

/* Wishes. */

static bool is_hot(const struct hints *hints, uint64_t code)
{
	uint32_t low = 0, high = hints->hot_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (hints->hot[middle] < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < hints->hot_count && hints->hot[low] == code;
}

/* Accesses conflict if one of them writes. Of a lock only what takes it after a release can come after. */
static bool can_follow(const struct place *before, const struct place *after)
{
	if ((before->flags ^ after->flags) & HEDDLE_PAIR_SYNC)
		return false;
	if (after->flags & HEDDLE_PAIR_SYNC)
		return before->flags & HEDDLE_PAIR_WRITES && after->flags & HEDDLE_PAIR_READS;
	return (before->flags | after->flags) & HEDDLE_PAIR_WRITES;
}

/* A common one of both, or 0: none is known. */
static uint64_t common_object(struct reads_from *self, const struct place *a, const struct place *b)
{
	uint64_t common[MAX_OBJECTS];
	uint32_t count = 0;
	for (uint32_t i = 0; i < a->object_count; i++)
		for (uint32_t j = 0; j < b->object_count; j++)
			if (a->objects[i] == b->objects[j])
				common[count++] = a->objects[i];
	return count ? common[draw_below(&self->draws, count)] : 0;
}

/* One place of the group, each as likely as the others in a small group. */
static uint32_t draw_partner(struct reads_from *self, uint32_t place)
{
	uint32_t at = place;
	for (uint64_t steps = draw_below(&self->draws, 64); steps; steps--)
		at = self->places[at].group_next;
	return at;
}

static bool draw_edge(struct reads_from *self, struct heddle_wish *wish, uint64_t *cost)
{
	uint32_t after = self->shared[draw_below(&self->draws, self->shared_count)];
	/* Twice, if need be, for one that races. */
	if (!is_hot(self->hints, self->places[after].code))
		after = self->shared[draw_below(&self->draws, self->shared_count)];
	uint32_t before = draw_partner(self, after);
	const struct place *a = &self->places[before], *b = &self->places[after];
	if (!can_follow(a, b))
		return false;
	uint64_t object = common_object(self, a, b);
	if (!object)
		return false;
	*wish = (struct heddle_wish){ .before = a->code, .after = b->code };
	if ((a->object_count > 1 || b->object_count > 1) && draw_below(&self->draws, 4))
		wish->object = object;
	const struct edge *edge = edge_slot(self->edges, a->code, b->code);
	*cost = edge->after ? edge->planned + (edge->met ? 0 : (uint64_t)edge->planned * VAIN) : 0;
	/* What nobody reads matters less. */
	*cost += !((a->flags | b->flags) & HEDDLE_PAIR_READS);
	/* At first as far as it goes. */
	wish->flags = !edge->after || draw_below(&self->draws, 2) ? HEDDLE_WISH_STAY : 0;
	wish->flags |= edge->after && draw_below(&self->draws, 12) == 0 ? HEDDLE_WISH_NOT : 0;
	return true;
}

static bool draw_wish(struct reads_from *self, struct heddle_wish *wish)
{
	uint64_t best = UINT64_MAX, cost;
	struct heddle_wish drawn;
	for (uint32_t i = 0; i < DRAWS && self->shared_count; i++)
		if (draw_edge(self, &drawn, &cost) && cost < best) {
			best = cost;
			*wish = drawn;
		}
	return best != UINT64_MAX;
}

/* Plans. */

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
	if (count > 1 && how == 0) {
		wishes[which] = wishes[count - 1];
		return count - 1;
	}
	if (count && how == 1) {
		wishes[which].flags ^= HEDDLE_WISH_NOT;
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
	uint64_t turn = self->planned++;
	/* A random walk finds more in the first schedule, and half of the others are one, too. */
	plan->depth = turn < PLAIN_FIRST || draw_below(&self->draws, 2);
	if (turn < PLAIN_FIRST || !self->shared_count || draw_below(&self->draws, PLAIN_OF) == 0)
		return true;
	/* First each for itself, then those that were kept. */
	if (draw_below(&self->draws, 3) == 0)
		*extra = *draw_kept(self);
	extra->wish_count = change(self, extra->wishes, extra->wish_count);
	for (uint32_t i = 0; i < extra->wish_count; i++) {
		struct edge *edge =
			edge_at(self->edges, &self->edge_count, extra->wishes[i].before, extra->wishes[i].after);
		if (edge)
			edge->planned++;
		extra->wishes[i].met = 0;
	}
	memcpy(self->wishes, extra->wishes, sizeof self->wishes);
	plan->wishes = self->wishes;
	plan->wish_count = extra->wish_count;
	return true;
}

static void learn_met(struct reads_from *self, const struct kept *extra, const struct heddle_channel *channel)
{
	for (uint32_t i = 0; i < extra->wish_count; i++) {
		const struct heddle_wish *wish = &extra->wishes[i];
		struct edge *edge = edge_at(self->edges, &self->edge_count, wish->before, wish->after);
		if (edge && channel->wishes[i].met)
			edge->met++;
	}
}

static void reads_from_learn(struct planner *planner, const struct lesson *lesson)
{
	struct reads_from *self = (struct reads_from *)planner;
	const struct heddle_channel *channel = lesson->channel;
	struct kept *extra = lesson->plan->extra;
	uint32_t reported = lesson->result ? channel->pair_count : 0;
	bool has_news = false;
	for (uint32_t i = 0; i < reported && i < HEDDLE_PAIRS; i++) {
		struct heddle_pair pair = channel->pairs[i];
		has_news |= add_pair(self, &pair);
	}
	if (lesson->result)
		learn_met(self, extra, channel);
	if (has_news && extra->wish_count && self->kept_count < MAX_KEPT) {
		if (self->kept_count == self->kept_room)
			self->kept = mem_resize(self->kept, (self->kept_room *= 2) * sizeof *self->kept);
		extra->planned = 0;
		self->kept[self->kept_count++] = *extra;
	}
	free(extra);
}

static void reads_from_free(struct planner *planner)
{
	struct reads_from *self = (struct reads_from *)planner;
	free(self->places);
	free(self->place_slots);
	free(self->shared);
	free(self->pairs);
	free(self->edges);
	free(self->kept);
	free(self);
}

struct planner *planner_reads_from_new(const struct hints *hints, uint64_t seed)
{
	struct reads_from *self = mem_alloc(sizeof *self);
	self->planner = (struct planner){ reads_from_next, reads_from_learn, reads_from_free, NULL };
	self->hints = hints;
	self->seed = self->draws = seed;
	self->places = mem_alloc(MAX_PLACES * sizeof *self->places);
	self->place_slots = mem_alloc(PLACE_SLOTS * sizeof *self->place_slots);
	self->shared = mem_alloc(MAX_PLACES * sizeof *self->shared);
	self->pairs = mem_alloc(EDGE_SLOTS * sizeof *self->pairs);
	self->edges = mem_alloc(EDGE_SLOTS * sizeof *self->edges);
	self->kept_room = 64;
	self->kept = mem_alloc(self->kept_room * sizeof *self->kept);
	self->kept[self->kept_count++] = (struct kept){ 0 };
	return &self->planner;
}
