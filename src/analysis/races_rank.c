/*
 * races_rank.c: which candidates are most likely true. Each reason to doubt one takes a share of its score; the shares are
 * judgement, not measurement, and nothing but the order follows from them. Pairs about the same bytes of an object are a
 * group, as people would mend them together.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/models.h"
#include "analysis/races_priv.h"
#include "base/mem.h"
#include "heddle/abi.h"

static const struct {
	uint32_t doubt;
	double share; /* what is left of the score */
} shares[] = {
	{ RACES_SAME_LOCK_CLASS, 0.1 }, { RACES_CONDITION, 0.7 }, { RACES_ATOMIC_GUARD, 0.6 }, { RACES_INITIAL, 0.4 },
	{ RACES_ANYWHERE, 0.4 },        { RACES_OUTSIDE, 0.3 },   { RACES_SAME_MANY, 0.7 },    { RACES_VOLATILE, 0.8 },
};

static bool is_wait(uint8_t sync)
{
	return sync == MODEL_WAIT || sync == MODEL_SIGNAL || sync == MODEL_BARRIER || sync == MODEL_SEMAPHORE_POST ||
	       sync == MODEL_SEMAPHORE_WAIT;
}

/* What an atomic access may do for the accesses around it. */
static uint8_t atomic_flags(const struct whole_access *access)
{
	uint8_t order = access->order & 15;
	bool is_acquire = order == HEDDLE_ORDER_ACQUIRE || order >= HEDDLE_ORDER_ACQ_REL;
	bool is_release = order == HEDDLE_ORDER_RELEASE || order >= HEDDLE_ORDER_ACQ_REL;
	if (access->kind < HEDDLE_ACCESS_ATOMIC_READ || access->kind == HEDDLE_ACCESS_FENCE)
		return 0;
	return (uint8_t)((is_acquire && access->kind != HEDDLE_ACCESS_ATOMIC_WRITE ? RACES_HAS_ACQUIRE : 0) |
			 (is_release && access->kind != HEDDLE_ACCESS_ATOMIC_READ ? RACES_HAS_RELEASE : 0));
}

/* One side publishes and the other looks: two functions, since who does both in one place hands nothing over. */
static bool is_guarded(const struct races_search *search, uint32_t function_a, uint32_t function_b)
{
	uint8_t a = search->function_flags[function_a], b = search->function_flags[function_b];
	return function_a != function_b && (((a & RACES_HAS_RELEASE) && (b & RACES_HAS_ACQUIRE)) ||
					    ((b & RACES_HAS_RELEASE) && (a & RACES_HAS_ACQUIRE)));
}

void races_note_functions(struct races_search *search)
{
	const struct whole *whole = search->whole;
	search->function_flags = mem_alloc((size_t)whole->function_count + 1);
	for (uint32_t i = 0; i < whole->instruction_count; i++) {
		const struct whole_instruction *at = &whole->instruction[i];
		for (uint32_t k = 0; k < at->access_count; k++)
			search->function_flags[at->function] |= atomic_flags(&whole->access[at->first_access + k]);
		uint32_t callee = at->op == WHOLE_CALL ? whole_direct_callee(whole, at) : WHOLE_NONE;
		const struct model *model = callee != WHOLE_NONE && !whole->function[callee].is_defined
						    ? model_find(whole->function[callee].name)
						    : NULL;
		if (model && is_wait(model->sync))
			search->function_flags[at->function] |= RACES_HAS_WAIT;
	}
}

static uint32_t function_of(const struct races_search *search, uint32_t access)
{
	return search->whole->instruction[search->whole->access[access].instruction].function;
}

/* Both hold a lock that may be the same one, for what is known. */
static bool is_same_lock_class(const struct races_search *search, const struct races_pair *pair)
{
	struct flow_locks a = flow_locks(search->flow, pair->a.locks), b = flow_locks(search->flow, pair->b.locks);
	for (uint32_t i = 0; i < a.count; i++)
		for (uint32_t k = 0; k < b.count; k++) {
			const struct flow_lock *x = &a.items[i], *y = &b.items[k];
			if (x->kind != FLOW_RELATIVE && y->kind != FLOW_RELATIVE && x->object == y->object &&
			    x->offset == y->offset && !(x->is_shared && y->is_shared))
				return true;
		}
	return false;
}

static bool is_initial(const struct races_search *search, const struct races_pair *pair)
{
	const struct whole_object *object = &search->whole->object[pair->object];
	if (object->kind != WHOLE_HEAP && object->kind != WHOLE_STACK)
		return false;
	return function_of(search, pair->a.access) == object->function ||
	       function_of(search, pair->b.access) == object->function;
}

void races_rate(struct races_search *search, struct races_pair *pair, bool is_anywhere)
{
	const struct whole *whole = search->whole;
	const struct whole_access *a = &whole->access[pair->a.access], *b = &whole->access[pair->b.access];
	uint8_t flags_a = search->function_flags[function_of(search, pair->a.access)],
		flags_b = search->function_flags[function_of(search, pair->b.access)];
	uint8_t kind = whole->object[pair->object].kind;
	uint32_t doubts = 0;
	if (is_same_lock_class(search, pair))
		doubts |= RACES_SAME_LOCK_CLASS;
	if ((flags_a & RACES_HAS_WAIT) && (flags_b & RACES_HAS_WAIT))
		doubts |= RACES_CONDITION;
	if (is_guarded(search, function_of(search, pair->a.access), function_of(search, pair->b.access)))
		doubts |= RACES_ATOMIC_GUARD;
	if (is_initial(search, pair))
		doubts |= RACES_INITIAL;
	if (kind == WHOLE_OUTSIDE)
		doubts |= RACES_OUTSIDE;
	else if (is_anywhere)
		doubts |= RACES_ANYWHERE;
	if (pair->a.root == pair->b.root && kind != WHOLE_GLOBAL)
		doubts |= RACES_SAME_MANY;
	if ((a->flags | b->flags) & HEDDLE_SITE_VOLATILE || a->kind >= HEDDLE_ACCESS_ATOMIC_READ ||
	    b->kind >= HEDDLE_ACCESS_ATOMIC_READ)
		doubts |= RACES_VOLATILE;
	pair->doubts = doubts;
	pair->score = 0.95;
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		if (doubts & shares[i].doubt)
			pair->score *= shares[i].share;
}

/* ---- groups ---- */

static int by_variable(const void *left, const void *right)
{
	const struct races_pair *a = left, *b = right;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->a.access != b->a.access)
		return a->a.access < b->a.access ? -1 : 1;
	return a->b.access < b->b.access ? -1 : a->b.access > b->b.access;
}

static const struct races_group *sorting;

static int by_score(const void *left, const void *right)
{
	const struct races_group *a = &sorting[*(const uint32_t *)left], *b = &sorting[*(const uint32_t *)right];
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return a->first_pair < b->first_pair ? -1 : a->first_pair > b->first_pair;
}

static void add_group(struct races *races, uint32_t *room, const struct whole *whole, uint32_t first)
{
	const struct races_pair *pair = &races->pairs[first];
	const char *variable = whole->access[pair->a.access].variable;
	if (races->group_count == *room)
		races->groups = mem_resize(races->groups, (*room = *room * 2 + 64) * sizeof *races->groups);
	races->groups[races->group_count++] = (struct races_group){
		.variable = variable ? variable : whole->access[pair->b.access].variable,
		.object = pair->object,
		.first_pair = first,
		.score = pair->score,
	};
}

/* The best groups first, each with its pairs, the best of them first. */
static void order_groups(struct races *races)
{
	uint32_t *order = mem_alloc(((size_t)races->group_count + 1) * sizeof *order), at = 0;
	struct races_group *groups = mem_alloc(((size_t)races->group_count + 1) * sizeof *groups);
	struct races_pair *pairs = mem_alloc(((size_t)races->pair_count + 1) * sizeof *pairs);
	for (uint32_t i = 0; i < races->group_count; i++)
		order[i] = i;
	sorting = races->groups;
	qsort(order, races->group_count, sizeof *order, by_score);
	for (uint32_t i = 0; i < races->group_count; i++) {
		groups[i] = races->groups[order[i]];
		memcpy(pairs + at, races->pairs + groups[i].first_pair, groups[i].pair_count * sizeof *pairs);
		groups[i].first_pair = at;
		for (uint32_t k = 0; k < groups[i].pair_count; k++)
			pairs[at + k].group = i;
		at += groups[i].pair_count;
	}
	free(order);
	free(races->groups);
	free(races->pairs);
	races->groups = groups;
	races->pairs = pairs;
}

void races_group(struct races_search *search)
{
	struct races *races = search->races;
	uint32_t room = 0;
	if (races->pair_count)
		qsort(races->pairs, races->pair_count, sizeof *races->pairs, by_variable);
	for (uint32_t i = 0; i < races->pair_count; i++) {
		const struct races_pair *pair = &races->pairs[i];
		if (!i || pair->object != pair[-1].object || pair->offset != pair[-1].offset)
			add_group(races, &room, search->whole, i);
		races->groups[races->group_count - 1].pair_count++;
	}
	order_groups(races);
}
