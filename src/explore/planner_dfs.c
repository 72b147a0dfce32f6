/*
 * planner_dfs.c: every schedule with at most a given number of preemptions, those with fewer first (Musuvathi and
 * Qadeer: Iterative Context Bounding for Systematic Testing of Multithreaded Programs, PLDI 2007). Stateless: a
 * schedule is the list of the places where it leaves the default, which never preempts (world/schedule/steered.c); the
 * run reports the choices that it had, and each alternative after its last step is one more schedule. So each schedule
 * comes up exactly once. Choices are at synchronisation, at atomic accesses and at racy sites that are known: programs
 * without races need no other.
 *
 * Invariants:
 *  1. A node's schedule agrees with its parent's until the node's own choice. When a run shows that it does not, its
 *     alternatives are not known, and the search says that it is not complete.
 *  2. Nodes are freed when the search begins anew or ends; plans that are under way name theirs by generation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "explore/draw.h"
#include "explore/planner_priv.h"

#define LEVELS 64u
#define MAX_NODES (1u << 22)
#define BLOCK 1024u
/* The search chooses threads, not when time passes. */
#define STRICT "; none of them ends sleeps or time-outs early: other strategies do"

/* A schedule: that of its parent, with one step more. */
struct node {
	const struct node *parent;
	struct heddle_step step;
	uint32_t choice;      /* which one of the run it is */
	uint32_t preemptions; /* with this one */
	uint32_t step_count;
};

struct level {
	struct node **nodes;
	size_t count, room;
};

struct block {
	struct block *next;
	struct node nodes[BLOCK];
};

struct dfs {
	struct planner planner;
	const struct hints *hints;
	uint64_t seed, draws, fillers;
	uint32_t bound;
	bool is_strict;
	/* Of this generation, which the number of hot sites stands for. */
	uint32_t hot_count;
	struct level levels[LEVELS]; /* by preemptions: what is to be run */
	struct block *blocks;
	size_t node_count;
	uint64_t tried, outstanding;
	bool is_beyond; /* there are schedules with more preemptions */
	bool is_timed;  /* a sleep or time-out could have ended early */
	/* Why not all are known: no room for choices, a run that left the path of its parent, one that was not ended. */
	bool is_lost_room, is_lost_path, is_lost_run;
	struct heddle_step *steps;
	size_t step_room;
	char reason[512];
};

/* What our plans carry. */
struct ticket {
	const struct node *node; /* null: a filler */
	uint32_t hot_count;
};

static struct node *new_node(struct dfs *self)
{
	size_t at = self->node_count % BLOCK;
	if (at == 0) {
		struct block *block = mem_alloc(sizeof *block);
		block->next = self->blocks;
		self->blocks = block;
	}
	self->node_count++;
	return &self->blocks->nodes[at];
}

static void push(struct dfs *self, struct node *node)
{
	if (node->preemptions > self->bound || node->preemptions >= LEVELS)
		BUG("a schedule with %u preemptions of %u", node->preemptions, self->bound);
	struct level *level = &self->levels[node->preemptions];
	if (level->count == level->room) {
		level->room = level->room ? 2 * level->room : 64;
		level->nodes = mem_resize(level->nodes, level->room * sizeof *level->nodes);
	}
	level->nodes[level->count++] = node;
}

static void forget(struct dfs *self)
{
	while (self->blocks) {
		struct block *next = self->blocks->next;
		free(self->blocks);
		self->blocks = next;
	}
	for (uint32_t i = 0; i < LEVELS; i++)
		self->levels[i].count = 0;
	self->node_count = 0;
	self->tried = self->outstanding = 0;
	self->is_beyond = self->is_timed = self->is_lost_room = self->is_lost_path = self->is_lost_run = false;
}

static void begin(struct dfs *self)
{
	forget(self);
	self->hot_count = self->hints->hot_count;
	push(self, new_node(self));
}

/* Half of the time the first level that has something, a quarter the next, and so on. Within a level any of them: those
 * that were found last are all like each other. */
static struct node *pop(struct dfs *self)
{
	struct level *level = NULL;
	for (uint32_t i = 0; i < LEVELS; i++) {
		if (!self->levels[i].count)
			continue;
		level = &self->levels[i];
		if (self->is_strict || draw_below(&self->draws, 2))
			break;
	}
	if (!level)
		return NULL;
	size_t at = draw_below(&self->draws, level->count);
	struct node *node = level->nodes[at];
	level->nodes[at] = level->nodes[--level->count];
	return node;
}

static int compare_steps(const void *a, const void *b)
{
	const struct heddle_step *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->when < y->when ? -1 : x->when > y->when;
}

static void put_steps(struct dfs *self, const struct node *node, struct plan *plan)
{
	uint32_t count = node->step_count;
	if (count > self->step_room) {
		self->step_room = 2 * count;
		self->steps = mem_resize(self->steps, self->step_room * sizeof *self->steps);
	}
	for (uint32_t i = count; i > 0; i--, node = node->parent)
		self->steps[i - 1] = node->step;
	if (node->parent || node->step_count)
		BUG("a schedule of %u steps does not begin at the root", count);
	if (count)
		qsort(self->steps, count, sizeof *self->steps, compare_steps);
	plan->steps = self->steps;
	plan->step_count = count;
}

static bool is_lost(const struct dfs *self)
{
	return self->is_lost_room || self->is_lost_path || self->is_lost_run;
}

static void note_all(struct dfs *self)
{
	const char *timing = self->is_timed ? STRICT : "";
	if (self->is_beyond)
		snprintf(self->reason, sizeof self->reason,
			 "all %lu schedules with at most %u preemption%s at synchronisation and racy accesses were "
			 "tried%s",
			 self->tried, self->bound, self->bound == 1 ? "" : "s", timing);
	else
		snprintf(self->reason, sizeof self->reason,
			 "all %lu schedules that differ at synchronisation and racy accesses were tried%s", self->tried,
			 timing);
}

/* Those with fewer preemptions come first, so all that have fewer than the first that is left were tried. */
static void note_incomplete(struct dfs *self, uint32_t first_left, uint64_t left)
{
	char among[96] = "", more[96] = "";
	const char *why = self->is_lost_room ? "; there are more: a run had too many choices or threads"
			  : self->is_lost_path
				  ? "; there are more: a run did not repeat the schedule that it started with"
			  : self->is_lost_run ? "; there are more: a run did not end"
					      : "";
	if (!is_lost(self) && self->is_strict && first_left == 1)
		snprintf(among, sizeof among, ", including all without preemption");
	else if (!is_lost(self) && self->is_strict && first_left > 1 && first_left <= self->bound)
		snprintf(among, sizeof among, ", including all with at most %u preemption%s", first_left - 1,
			 first_left == 2 ? "" : "s");
	if (left)
		snprintf(more, sizeof more, "; at least %lu %s left", left, left == 1 ? "is" : "are");
	snprintf(self->reason, sizeof self->reason,
		 "the search is incomplete: %lu schedule%s with at most %u preemption%s %s tried%s%s%s%s", self->tried,
		 self->tried == 1 ? "" : "s", self->bound, self->bound == 1 ? "" : "s",
		 self->tried == 1 ? "was" : "were", among, more, why, self->is_timed ? STRICT : "");
}

static const char *dfs_progress(struct planner *planner)
{
	struct dfs *self = (struct dfs *)planner;
	uint64_t left = self->outstanding;
	uint32_t first_left = LEVELS;
	for (uint32_t i = LEVELS; i > 0; i--) {
		left += self->levels[i - 1].count;
		if (self->levels[i - 1].count)
			first_left = i - 1;
	}
	/* What is under way may be of any level, and what racy accesses that are new lead to was not begun. */
	if (self->outstanding)
		first_left = 0;
	bool is_begun = self->blocks && self->hot_count == self->hints->hot_count;
	if (left || is_lost(self) || !is_begun)
		note_incomplete(self, first_left, is_begun ? left : 0);
	else
		note_all(self);
	return self->reason;
}

/* With several jobs the last lessons may add schedules: until then, it plans schedules of another kind. */
static void fill(struct dfs *self, struct plan *plan)
{
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_RANDOM, .seed = self->seed + self->fillers++ };
	hints_give(self->hints, plan, self->hints->hot_count > 0);
}

static bool dfs_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct dfs *self = (struct dfs *)planner;
	if (self->hot_count != self->hints->hot_count || !self->blocks)
		begin(self);
	struct node *node = pop(self);
	if (!node && !self->outstanding) {
		*reason = dfs_progress(planner);
		return false;
	}
	if (node) {
		*plan = (struct plan){
			.strategy = HEDDLE_STRATEGY_STEERED,
			.flags = HEDDLE_CONTROL_HOT | HEDDLE_CONTROL_CHOICES,
			.seed = self->seed,
			.hot = self->hints->hot,
			.hot_count = self->hints->hot_count,
		};
		put_steps(self, node, plan);
		self->outstanding++;
	} else {
		fill(self, plan);
	}
	struct ticket *ticket = mem_alloc(sizeof *ticket);
	*ticket = (struct ticket){ node, self->hot_count };
	plan->extra = ticket;
	return true;
}

static bool is_on_path(const struct node *node, const struct heddle_channel *channel)
{
	if (!node->parent)
		return true;
	const struct heddle_choice *choice = &channel->choices[node->choice];
	return node->choice < channel->choice_count && choice->thread == node->step.thread &&
	       choice->when == node->step.when && choice->next == node->step.next;
}

static void add(struct dfs *self, const struct node *parent, const struct heddle_choice *choice, uint32_t number,
		uint32_t next)
{
	uint32_t preemptions = parent->preemptions + !choice->is_free;
	if (preemptions > self->bound) {
		self->is_beyond = true;
		return;
	}
	if (self->node_count == MAX_NODES || parent->step_count + 1 >= HEDDLE_STEPS) {
		self->is_lost_room = true;
		return;
	}
	if (parent->parent && number <= parent->choice)
		BUG("choice %u of a schedule, whose last one was %u", number, parent->choice);
	struct node *node = new_node(self);
	*node = (struct node){
		.parent = parent,
		.step = { choice->thread, next, choice->when },
		.choice = number,
		.preemptions = preemptions,
		.step_count = parent->step_count + 1,
	};
	push(self, node);
}

static void expand(struct dfs *self, const struct node *node, const struct heddle_channel *channel)
{
	uint32_t count = channel->choice_count < HEDDLE_CHOICES ? channel->choice_count : HEDDLE_CHOICES;
	if (!is_on_path(node, channel)) {
		self->is_lost_path = true;
		return;
	}
	if (channel->lost_choices)
		self->is_lost_room = true;
	for (uint32_t i = node->parent ? node->choice + 1 : 0; i < count; i++) {
		const struct heddle_choice *choice = &channel->choices[i];
		/* Leaving a thread that has not done anything yet is the same as not switching to it. */
		if (!choice->is_free && choice->kind == HEDDLE_EVENT_THREAD_START)
			continue;
		for (uint32_t next = 1; next <= 64; next++)
			if (choice->runnable >> (next - 1) & 1 && next != choice->next && next != choice->thread)
				add(self, node, choice, i, next);
	}
}

static void dfs_learn(struct planner *planner, const struct lesson *lesson)
{
	struct dfs *self = (struct dfs *)planner;
	struct ticket *ticket = lesson->plan->extra;
	if (!ticket)
		BUG("a lesson of a plan that is not this planner's");
	if (ticket->hot_count > self->hints->hot_count)
		BUG("a plan of a generation that has not begun");
	if (ticket->node && ticket->hot_count == self->hot_count && self->blocks) {
		if (!self->outstanding)
			BUG("a schedule has ended that was not under way");
		self->outstanding--;
		self->tried++;
		self->is_timed |= lesson->channel && lesson->channel->timed_count;
		if (lesson->result)
			expand(self, ticket->node, lesson->channel);
		else
			self->is_lost_run = true;
	}
	free(ticket);
}

static void dfs_free(struct planner *planner)
{
	struct dfs *self = (struct dfs *)planner;
	forget(self);
	for (uint32_t i = 0; i < LEVELS; i++)
		free(self->levels[i].nodes);
	free(self->steps);
	free(self);
}

struct planner *planner_dfs_new(const struct hints *hints, uint64_t seed, uint32_t bound, bool is_strict)
{
	struct dfs *self = mem_alloc(sizeof *self);
	self->planner = (struct planner){ dfs_next, dfs_learn, dfs_free, dfs_progress };
	self->hints = hints;
	self->seed = self->draws = seed;
	self->is_strict = is_strict;
	self->bound = bound < LEVELS ? bound : LEVELS - 1;
	return &self->planner;
}
