/*
 * planner_dfs.c: every schedule with at most so many preemptions, those with fewer first (Musuvathi and Qadeer: Iterative
 * Context Bounding for Systematic Testing of Multithreaded Programs, PLDI 2007). Stateless: a schedule is the
 * list of the places where it leaves the default, which never preempts (world/strategy_steered.c); the run tells the
 * choices that it had, and each alternative behind its last step is a schedule more. So each comes up exactly once.
 * Choices are at synchronisation, at atomic accesses and at racy sites that are known: programs without races need no
 * other.
 *
 * Invariants:
 *  1. A node's schedule agrees with its parent's until the node's own choice. When a run shows that it does not, its
 *     alternatives are not known, and the search says that it is not complete.
 *  2. Nodes are freed when the search begins anew or ends; plans that are under way name theirs by generation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explore/draw.h"
#include "explore/planner_priv.h"

#define LEVELS 64u
#define NODES_MOST (1u << 22)
#define BLOCK 1024u

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
	uint64_t lost;  /* why not all are known */
	struct heddle_step *steps;
	size_t step_room;
	char reason[160];
};

/* What a plan of ours takes along. */
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
	self->tried = self->outstanding = self->lost = 0;
	self->is_beyond = false;
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
	if (count)
		qsort(self->steps, count, sizeof *self->steps, compare_steps);
	plan->steps = self->steps;
	plan->step_count = count;
}

static void say_end(struct dfs *self, const char **reason)
{
	if (self->lost)
		snprintf(self->reason, sizeof self->reason,
			 "%lu schedules with at most %u preemptions were tried; there are more", self->tried,
			 self->bound);
	else if (self->is_beyond)
		snprintf(self->reason, sizeof self->reason,
			 "all %lu schedules with at most %u preemption%s at synchronisation and racy accesses were "
			 "tried",
			 self->tried, self->bound, self->bound == 1 ? "" : "s");
	else
		snprintf(self->reason, sizeof self->reason,
			 "all %lu schedules that differ at synchronisation and racy accesses were tried", self->tried);
	*reason = self->reason;
}

/* With several jobs the last lessons may bring more to do: until then, schedules of another kind. */
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
		say_end(self, reason);
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
	if (self->node_count == NODES_MOST || parent->step_count + 1 >= HEDDLE_STEPS) {
		self->lost++;
		return;
	}
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
	self->lost += channel->lost_choices + !is_on_path(node, channel);
	if (!is_on_path(node, channel))
		return;
	for (uint32_t i = node->parent ? node->choice + 1 : 0; i < count; i++) {
		const struct heddle_choice *choice = &channel->choices[i];
		/* To leave a thread that has not done anything yet is the same as not to have gone there. */
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
	if (ticket->node && ticket->hot_count == self->hot_count && self->blocks) {
		self->outstanding--;
		self->tried++;
		if (lesson->result)
			expand(self, ticket->node, lesson->channel);
		else
			self->lost++;
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
	self->planner = (struct planner){ dfs_next, dfs_learn, dfs_free };
	self->hints = hints;
	self->seed = self->draws = seed;
	self->is_strict = is_strict;
	self->bound = bound < LEVELS ? bound : LEVELS - 1;
	return &self->planner;
}
