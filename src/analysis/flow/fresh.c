/*
 * fresh.c: memory that no other thread can know yet. Only the function that made a heap block or a stack slot knows it
 * until its address escapes: it is stored, returned, passed to a function that may keep it, or mixed with other
 * addresses. An access before that, through the address itself or a distance from it, is a race only if the address
 * escapes by a race: an object that is handed over in order was filled in before. So freshness decides nothing, but
 * affects the rank. This is a forward data flow over each function: which of the objects that it makes may have
 * escaped; union where paths meet; an object made anew is fresh.
 * Input: struct flow_program, struct flow_threads. Result: struct flow_fresh.
 */
#include <stdlib.h>

#include "analysis/flow/fresh.h"
#include "analysis/flow/program.h"
#include "analysis/flow/threads.h"
#include "base/mem.h"

/* Objects of one function that are examined, and steps back from a pointer to the value it was made from. */
enum { MAX_FRESH = 64, MAX_STEPS = 32 };

struct search {
	const struct flow_program *program;
	struct flow_fresh *result;
	uint32_t function;
	uint32_t made[MAX_FRESH]; /* values */
	uint32_t count;
	bool **is_kept; /* of each function: of each parameter, whether it may be kept */
};

/* The value that an address is made from by steps inside of one object. */
static uint32_t origin_of(const struct whole *whole, uint32_t value)
{
	for (unsigned steps = 0; steps < MAX_STEPS && whole->value[value].kind == WHOLE_RESULT; steps++) {
		const struct whole_instruction *row = &whole->instruction[whole->value[value].index];
		if (row->op != WHOLE_OFFSET && !(row->op == WHOLE_COPY && row->operand_count == 1))
			break;
		value = whole_operand(whole, row, 0);
	}
	return value;
}

static bool keeps(const struct model *model, int number)
{
	if (!model || model->sync == MODEL_CREATE || model->sync == MODEL_PARALLEL || model->sync == MODEL_HANDLER ||
	    model->sync == MODEL_AT_EXIT || model->sync == MODEL_ONCE)
		return true;
	for (size_t s = 0; s < sizeof model->steps / sizeof *model->steps; s++) {
		const struct model_step *step = &model->steps[s];
		bool is_harmless = step->flow == MODEL_END || step->flow == MODEL_LOAD || step->flow == MODEL_MOVE ||
				   step->flow == MODEL_ALLOCATE || step->flow == MODEL_ALLOCATE_INTO ||
				   step->flow == MODEL_STATIC || step->flow == MODEL_STATIC_THREAD;
		if (!is_harmless && (step->from == number || step->to == number || step->flow == MODEL_LINK))
			return true;
	}
	return false;
}

/* Whether a call may keep its argument number `number`. */
static bool call_keeps(const struct search *search, uint32_t call, uint32_t number)
{
	const struct flow_program *program = search->program;
	struct points_set callees = points_callees(program->points, call);
	if (!callees.count)
		return true;
	for (uint32_t i = 0; i < callees.count; i++) {
		const struct whole_function *row = &program->whole->function[callees.items[i]];
		if (!row->is_defined ? keeps(program->models[callees.items[i]], (int)number)
				     : number >= row->parameter_count || !search->is_kept[callees.items[i]] ||
					       search->is_kept[callees.items[i]][number])
			return true;
	}
	return false;
}

/* Whether the operand of an instruction gets elsewhere by it. */
static bool gets_away(const struct search *search, uint32_t instruction, uint32_t operand)
{
	const struct whole_instruction *row = &search->program->whole->instruction[instruction];
	switch ((enum whole_op)row->op) {
	case WHOLE_COPY:
		return row->operand_count > 1;
	case WHOLE_OFFSET:
	case WHOLE_STORE:
	case WHOLE_UPDATE:
		return operand > 0;
	case WHOLE_LOAD:
	case WHOLE_MOVE:
	case WHOLE_FILL:
		return false;
	case WHOLE_CALL:
		return operand > 0 && call_keeps(search, instruction, operand - 1);
	case WHOLE_SLOT:
	case WHOLE_RETURN:
	case WHOLE_ASSEMBLY:
	case WHOLE_FORGE:
	case WHOLE_OTHER:
		break;
	}
	return true;
}

static void find_kept(struct search *search, uint32_t function)
{
	const struct whole *whole = search->program->whole;
	const struct whole_function *row = &whole->function[function];
	if (search->program->is_recursive[search->program->component[function]] || row->is_variadic)
		return;
	bool *is_kept = mem_alloc((size_t)row->parameter_count + 1);
	for (uint32_t i = 0; i < row->instruction_count; i++) {
		const struct whole_instruction *at = &whole->instruction[row->first_instruction + i];
		for (uint32_t o = 0; o < at->operand_count; o++) {
			const struct whole_value *value = &whole->value[origin_of(whole, whole_operand(whole, at, o))];
			if (value->kind == WHOLE_PARAMETER && value->function == function &&
			    value->index < row->parameter_count)
				is_kept[value->index] |= gets_away(search, row->first_instruction + i, o);
		}
	}
	search->is_kept[function] = is_kept;
}

/* ---- one function ---- */

static uint32_t number_of(const struct search *search, uint32_t value)
{
	for (uint32_t i = 0; i < search->count; i++)
		if (search->made[i] == value)
			return i;
	return MAX_FRESH;
}

static void find_made(struct search *search)
{
	const struct whole *whole = search->program->whole;
	const struct whole_function *row = &whole->function[search->function];
	search->count = 0;
	for (uint32_t i = row->first_instruction; i < row->first_instruction + row->instruction_count; i++) {
		const struct whole_instruction *at = &whole->instruction[i];
		bool makes = at->op == WHOLE_SLOT || (at->op == WHOLE_CALL && at->result != WHOLE_NONE &&
						      points_made_by(search->program->points, i) != WHOLE_NONE &&
						      !points_callbacks(search->program->points, i).count);
		if (makes && search->count < MAX_FRESH)
			search->made[search->count++] = at->result;
	}
}

/* The result of a call that makes a block may be an old one: only what a known allocator returns is new. */
static bool is_new(const struct search *search, uint32_t value)
{
	const struct flow_program *program = search->program;
	uint32_t instruction = program->whole->value[value].index;
	if (program->whole->instruction[instruction].op == WHOLE_SLOT)
		return true;
	struct points_set callees = points_callees(program->points, instruction);
	for (uint32_t i = 0; i < callees.count; i++) {
		const struct model *model = program->models[callees.items[i]];
		if (!model || !model->is_allocator || model->frees)
			return false;
	}
	return callees.count != 0;
}

static uint64_t walk_block(struct search *search, uint32_t block, uint64_t away, bool is_final)
{
	const struct whole *whole = search->program->whole;
	const struct whole_block *row = &whole->block[whole->function[search->function].first_block + block];
	for (uint32_t i = row->first_instruction; i < row->first_instruction + row->instruction_count; i++) {
		const struct whole_instruction *at = &whole->instruction[i];
		for (uint32_t a = 0; is_final && a < at->access_count; a++) {
			uint32_t pointer = whole->access[at->first_access + a].pointer;
			uint32_t number =
				pointer == WHOLE_NONE ? MAX_FRESH : number_of(search, origin_of(whole, pointer));
			if (number < MAX_FRESH && !(away >> number & 1))
				search->result->is_fresh[at->first_access + a] = true;
		}
		for (uint32_t o = 0; o < at->operand_count; o++) {
			uint32_t number = number_of(search, origin_of(whole, whole_operand(whole, at, o)));
			if (number < MAX_FRESH && gets_away(search, i, o))
				away |= UINT64_C(1) << number;
		}
		uint32_t made = at->result == WHOLE_NONE ? MAX_FRESH : number_of(search, at->result);
		if (made < MAX_FRESH && (at->op == WHOLE_CALL || at->op == WHOLE_SLOT))
			away = is_new(search, at->result) ? away & ~(UINT64_C(1) << made) : away | UINT64_C(1) << made;
	}
	return away;
}

static void solve_function(struct search *search)
{
	const struct flow_body *body = &search->program->bodies[search->function];
	uint64_t *at = mem_alloc(((size_t)body->graph.node_count + 1) * sizeof *at);
	bool *is_known = mem_alloc((size_t)body->graph.node_count + 1);
	is_known[0] = true;
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < body->reached; i++) {
			uint32_t block = body->order[i];
			if (!is_known[block])
				continue;
			uint64_t away = walk_block(search, block, at[block], false);
			for (uint32_t e = body->graph.first[block]; e < body->graph.first[block + 1]; e++) {
				uint32_t to = body->graph.targets[e];
				is_changed |= !is_known[to] || (away & ~at[to]);
				is_known[to] = true;
				at[to] |= away;
			}
		}
	}
	for (uint32_t i = 0; i < body->reached; i++)
		walk_block(search, body->order[i], at[body->order[i]], true);
	free(at);
	free(is_known);
}

void flow_fresh_find(const struct flow_program *program, const struct flow_threads *threads, struct flow_fresh *fresh)
{
	struct search *search = mem_alloc(sizeof *search);
	search->program = program;
	search->result = fresh;
	search->is_kept = mem_alloc(((size_t)program->whole->function_count + 1) * sizeof *search->is_kept);
	fresh->is_fresh = mem_alloc((size_t)program->whole->access_count + 1);
	for (uint32_t i = 0; i < program->bottom_up.count; i++)
		find_kept(search, program->bottom_up.items[i]);
	for (uint32_t i = 0; i < program->bottom_up.count; i++) {
		search->function = program->bottom_up.items[i];
		if (!threads->is_reached[search->function] || !program->whole->function[search->function].site_count)
			continue;
		find_made(search);
		if (search->count)
			solve_function(search);
	}
	for (uint32_t f = 0; f < program->whole->function_count; f++)
		free(search->is_kept[f]);
	free(search->is_kept);
	free(search);
}

void flow_fresh_release(struct flow_fresh *fresh)
{
	free(fresh->is_fresh);
}
