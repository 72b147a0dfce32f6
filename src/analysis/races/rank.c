/*
 * rank.c: which candidates are most likely true. Each reason to doubt one takes a share of its score; the shares are
 * judgement, not measurement, and nothing but the order follows from them.
 */
#include <stdlib.h>

#include "analysis/flow/program.h"
#include "analysis/flow/single.h"
#include "analysis/models/models.h"
#include "analysis/races/races_priv.h"
#include "base/mem.h"
#include "heddle/abi.h"

static const struct {
	uint32_t doubt;
	double share; /* what is left of the score */
} shares[] = {
	{ RACES_SAME_LOCK_CLASS, 0.1 }, { RACES_CONDITION, 0.7 }, { RACES_ATOMIC_GUARD, 0.6 }, { RACES_INITIAL, 0.4 },
	{ RACES_ANYWHERE, 0.4 },        { RACES_OUTSIDE, 0.3 },   { RACES_SAME_MANY, 0.7 },    { RACES_VOLATILE, 0.8 },
	{ RACES_TYPES, 0.05 },          { RACES_ONE_TYPE, 0.5 },  { RACES_STACK, 0.4 },        { RACES_FOREIGN, 0.3 },
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

void races_weigh(struct races_search *search)
{
	for (uint32_t doubts = 0; doubts < sizeof search->scores / sizeof *search->scores; doubts++) {
		search->scores[doubts] = 0.95;
		for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
			if (doubts & shares[i].doubt)
				search->scores[doubts] *= shares[i].share;
	}
}

unsigned races_percent(double score)
{
	return (unsigned)(score * 100 + 0.5);
}

bool races_is_better(const struct races_search *search, uint32_t doubts, uint32_t than)
{
	bool is_apart = doubts & RACES_TYPES, than_is_apart = than & RACES_TYPES;
	return is_apart != than_is_apart ? than_is_apart : search->scores[doubts] > search->scores[than];
}

/* Both hold a lock that may be the same one, for what is known. */
bool races_is_same_lock_class(struct flow_locks a, struct flow_locks b)
{
	for (uint32_t i = 0; i < a.count; i++)
		for (uint32_t k = 0; k < b.count; k++) {
			const struct flow_lock *x = &a.items[i], *y = &b.items[k];
			if (x->kind != FLOW_RELATIVE && y->kind != FLOW_RELATIVE && x->object == y->object &&
			    x->offset == y->offset && !(x->is_shared && y->is_shared))
				return true;
		}
	return false;
}

/* One side publishes and the other looks: two functions, since code that does both in one place hands nothing over. */
static bool is_guarded(const struct races_class *a, const struct races_class *b)
{
	bool is_one_function = a->function != WHOLE_NONE && a->function == b->function;
	return !is_one_function && (((a->flags & RACES_HAS_RELEASE) && (b->flags & RACES_HAS_ACQUIRE)) ||
				    ((b->flags & RACES_HAS_RELEASE) && (a->flags & RACES_HAS_ACQUIRE)));
}

/* One side is in the function that made it. Where several objects are alike, others made them. */
static bool is_initial(const struct races_search *search, const struct races_class *a, const struct races_class *b,
		       uint32_t object)
{
	const struct whole_object *row = &search->whole->object[object];
	if ((row->kind != WHOLE_HEAP && row->kind != WHOLE_STACK) || search->alike[object] != 1)
		return false;
	return row->function != WHOLE_NONE && (a->function == row->function || b->function == row->function);
}

bool races_is_on_stack(const struct races_search *search, uint32_t object)
{
	const struct whole_object *row = &search->whole->object[object];
	return row->kind == WHOLE_STACK && row->instruction != WHOLE_NONE &&
	       !flow_runs_once(flow_program(search->flow), flow_single(search->flow), row->instruction);
}

uint16_t races_doubts(const struct races_search *search, const struct races_class *a, const struct races_class *b,
		      const struct races_meeting *meeting, unsigned left)
{
	uint8_t kind = search->whole->object[meeting->object].kind;
	uint32_t doubts = 0;
	if (left > 8) {
		doubts |= RACES_FOREIGN;
		left >>= 4;
	}
	if (left > 2)
		doubts |= RACES_SAME_LOCK_CLASS;
	if (a->flags & b->flags & RACES_HAS_WAIT)
		doubts |= RACES_CONDITION;
	if (is_guarded(a, b))
		doubts |= RACES_ATOMIC_GUARD;
	if (is_initial(search, a, b, meeting->object))
		doubts |= RACES_INITIAL;
	if (kind == WHOLE_OUTSIDE)
		doubts |= RACES_OUTSIDE;
	else if (meeting->is_anywhere)
		doubts |= RACES_ANYWHERE;
	if (races_is_on_stack(search, meeting->object))
		doubts |= RACES_STACK;
	if ((left == 2 || left == 8) && kind != WHOLE_GLOBAL)
		doubts |= RACES_SAME_MANY;
	if (a->is_volatile || b->is_volatile || (a->kind | b->kind) & RACES_ATOMIC)
		doubts |= RACES_VOLATILE;
	return (uint16_t)doubts;
}
