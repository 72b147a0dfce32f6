/*
 * single.c: what runs at most once, and so which objects exist once in the running program. A function does if it is entered from one
 * place, that place is in no loop, and its function runs at most once.
 * Input: struct flow_program, struct flow_threads. Result: struct flow_single.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/program.h"
#include "analysis/flow/single.h"
#include "analysis/flow/threads.h"
#include "base/mem.h"

enum runs { RUNS_UNKNOWN, RUNS_IN_PROGRESS, RUNS_ONCE, RUNS_OFTEN };

/* The one place where each function is entered from: an instruction; main and constructors are entered from none. */
struct entries {
	uint32_t *from;           /* instruction, or WHOLE_NONE */
	uint32_t *count;          /* more than one: often */
	struct flow_ids controls; /* of pthread_once: routine and control, in turn */
};

static void enter(struct entries *entries, uint32_t function, uint32_t from, uint32_t times)
{
	entries->from[function] = from;
	entries->count[function] += times;
}

static bool runs_once(const struct flow_program *program, struct flow_single *single, const struct entries *entries,
		      uint32_t function)
{
	struct flow_ids way = { 0 };
	uint8_t answer = RUNS_UNKNOWN;
	while (answer == RUNS_UNKNOWN) {
		uint32_t from = entries->from[function];
		if (single->runs[function] >= RUNS_ONCE) {
			answer = single->runs[function];
			break;
		}
		if (single->runs[function] == RUNS_IN_PROGRESS || entries->count[function] > 1) {
			answer = RUNS_OFTEN;
		} else if (from == WHOLE_NONE) {
			answer = RUNS_ONCE; /* where the program begins, or never */
		} else if (flow_is_in_cycle(program, from)) {
			answer = RUNS_OFTEN;
		}
		single->runs[function] = RUNS_IN_PROGRESS;
		flow_ids_add(&way, function);
		if (answer == RUNS_UNKNOWN)
			function = program->whole->instruction[from].function;
	}
	for (uint32_t i = 0; i < way.count; i++)
		single->runs[way.items[i]] = answer;
	flow_ids_release(&way);
	return answer == RUNS_ONCE;
}

/* pthread_once with a control that is a variable: however often that is called, the routine runs once. */
static bool enter_once(const struct flow_program *program, struct entries *entries, const struct flow_call *call)
{
	uint32_t control = flow_argument(program, call->instruction, call->model->object);
	if (!call->is_certain || call->target_count != 1 || control == WHOLE_NONE ||
	    program->whole->value[control].kind != WHOLE_ADDRESS)
		return false;
	uint32_t routine = program->targets.items[call->first_target];
	for (uint32_t i = 0; i + 1 < entries->controls.count; i += 2)
		if (entries->controls.items[i] == routine && entries->controls.items[i + 1] == control)
			return true;
	flow_ids_add(&entries->controls, routine);
	flow_ids_add(&entries->controls, control);
	enter(entries, routine, WHOLE_NONE, 1);
	return true;
}

void flow_single_find(const struct flow_program *program, const struct flow_threads *threads,
		      struct flow_single *single)
{
	size_t functions = (size_t)program->whole->function_count + 1;
	single->runs = mem_alloc(functions);
	struct entries entries = { .from = mem_alloc(functions * sizeof(uint32_t)),
				   .count = mem_alloc(functions * sizeof(uint32_t)) };
	memset(entries.from, 0xff, functions * sizeof(uint32_t));
	for (uint32_t c = 0; c < program->call_count; c++) {
		const struct flow_call *call = &program->calls[c];
		if (!threads->is_reached[program->whole->instruction[call->instruction].function])
			continue;
		/* A function that is not analysed may call back as often as it likes. */
		bool calls_back = points_callbacks(program->points, call->instruction).count != 0;
		if (call->model && call->model->sync == MODEL_ONCE && enter_once(program, &entries, call))
			continue;
		for (uint32_t t = 0; t < call->target_count; t++)
			enter(&entries, program->targets.items[call->first_target + t], call->instruction,
			      calls_back ? 2 : 1);
	}
	for (uint32_t i = 0; i < threads->first_functions.count; i++)
		enter(&entries, threads->first_functions.items[i], WHOLE_NONE, 1);
	for (uint32_t i = 0; i < threads->last_functions.count; i++)
		enter(&entries, threads->last_functions.items[i], WHOLE_NONE, 2);
	for (uint32_t i = 0; i < threads->thread_end_functions.count; i++)
		enter(&entries, threads->thread_end_functions.items[i], WHOLE_NONE, 2);
	for (uint32_t i = 0; i < threads->exported_functions.count; i++)
		enter(&entries, threads->exported_functions.items[i], WHOLE_NONE, 2);
	for (uint32_t r = 0; r < threads->root_count; r++)
		if (threads->roots[r].call != WHOLE_NONE)
			enter(&entries, threads->roots[r].function, threads->roots[r].call,
			      threads->roots[r].kind == FLOW_THREAD && threads->roots[r].calls == 1 ? 1 : 2);
	for (uint32_t f = 0; f < program->whole->function_count; f++)
		runs_once(program, single, &entries, f);
	free(entries.from);
	free(entries.count);
	flow_ids_release(&entries.controls);
}

void flow_single_release(struct flow_single *single)
{
	free(single->runs);
}

bool flow_runs_once(const struct flow_program *program, const struct flow_single *single, uint32_t instruction)
{
	return single->runs[program->whole->instruction[instruction].function] == RUNS_ONCE &&
	       !flow_is_in_cycle(program, instruction);
}

bool flow_is_single(const struct flow_program *program, const struct flow_single *single, uint32_t object)
{
	const struct whole_object *row = &program->whole->object[object];
	if (row->kind == WHOLE_GLOBAL)
		return true;
	if (row->kind != WHOLE_STACK && row->kind != WHOLE_HEAP)
		return false;
	return row->instruction != WHOLE_NONE && flow_runs_once(program, single, row->instruction);
}

bool flow_exact(const struct flow_program *program, const struct flow_single *single, uint32_t value, uint32_t *object,
		uint64_t *offset)
{
	const struct whole *whole = program->whole;
	struct points_set set = points_of_value(program->points, value);
	if (set.count != 1)
		return false;
	struct points_location at = points_location(program->points, set.items[0]);
	if (at.offset == POINTS_ANYWHERE || !flow_is_single(program, single, at.object))
		return false;
	*object = at.object;
	*offset = at.offset;
	/* What an allocator returns is the start, also of an array. */
	const struct whole_value *row = &whole->value[value];
	if (row->kind == WHOLE_RESULT && whole->instruction[row->index].op == WHOLE_CALL && !at.offset &&
	    points_made_by(program->points, row->index) == at.object)
		return true;
	bool is_element = true;
	return whole_fold(whole, &whole->object[at.object], at.offset, offset, &is_element) && !is_element;
}
