/*
 * alive.c: which of the roots that a thread or its descendants started may be alive at each of its instructions. What a
 * function does to that set does not depend on the set: it adds some roots and removes some, so it is found once for
 * each function, callees first. Sets are unions over paths; a root is removed only if it is removed on all of them.
 * Where an exception leaves a call, everything that the call may have started is alive, and nothing was waited for.
 * Input: struct flow_alive_input. Result: struct flow_alive, whose state it shares with concurrent.c (alive.h says how).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/alive.h"
#include "analysis/flow/joins.h"
#include "analysis/flow/program.h"
#include "analysis/flow/threads.h"
#include "base/mem.h"

static size_t set_bytes(const struct flow_threads *threads)
{
	return threads->words * sizeof(uint64_t);
}

static void change_init(const struct flow_threads *threads, struct flow_change *change)
{
	change->is_reached = false;
	change->gen = mem_alloc(2 * set_bytes(threads));
	change->kill = change->gen + threads->words;
}

static void change_copy(const struct flow_threads *threads, struct flow_change *to, const struct flow_change *from)
{
	to->is_reached = from->is_reached;
	memcpy(to->gen, from->gen, 2 * set_bytes(threads));
}

/* Ways meet; whether that changed anything. */
static bool change_meet(const struct flow_threads *threads, struct flow_change *to, const struct flow_change *from)
{
	if (!from->is_reached)
		return false;
	if (!to->is_reached) {
		change_copy(threads, to, from);
		return true;
	}
	bool is_changed = flow_bits_add(to->gen, from->gen, threads->words);
	for (uint32_t w = 0; w < threads->words; w++) {
		is_changed |= (to->kill[w] & ~from->kill[w]) != 0;
		to->kill[w] &= from->kill[w];
	}
	return is_changed;
}

static void change_start(const struct flow_threads *threads, struct flow_change *change, const uint64_t *roots)
{
	for (uint32_t w = 0; w < threads->words; w++) {
		change->gen[w] |= roots[w];
		change->kill[w] &= ~roots[w];
	}
}

static void change_end(const struct flow_threads *threads, struct flow_change *change, const uint64_t *roots)
{
	for (uint32_t w = 0; w < threads->words; w++) {
		change->gen[w] &= ~roots[w];
		change->kill[w] |= roots[w];
	}
}

void flow_alive_start(const struct flow_alive *alive, uint32_t call, uint64_t *set)
{
	const struct flow_threads *threads = alive->in.threads;
	struct flow_range starts = threads->creates_of[call];
	for (uint32_t c = 0; c < starts.count; c++) {
		const struct flow_create *create = &threads->creates[starts.first + c];
		uint64_t *rows = create->kind == FLOW_TEAM ? alive->leftover : threads->descendants;
		for (uint32_t r = 0; r < create->roots.count; r++)
			flow_bits_add(set, flow_row(threads, rows, create->roots.items[r]), threads->words);
	}
}

/* What is over when all threads of a root are: it, and what only it and its descendants start and do not leave behind. */
static void add_ended(const struct flow_alive *alive, uint32_t root, uint64_t *ended)
{
	const struct flow_threads *threads = alive->in.threads;
	const uint64_t *all = flow_row(threads, threads->descendants, root),
		       *left = flow_row(threads, alive->leftover, root);
	flow_bit_add(ended, root);
	for (uint32_t d = 0; d < threads->root_count; d++) {
		if (d == root || !flow_bit_has(all, d) || flow_bit_has(left, d))
			continue;
		bool is_only = true;
		for (uint32_t s = 0; s < threads->root_count; s++)
			is_only &= flow_bit_has(all, s) || !flow_bit_has(flow_row(threads, threads->started, s), d);
		if (is_only)
			flow_bit_add(ended, d);
	}
}

static void apply_join(const struct flow_alive *alive, uint32_t number, struct flow_change *change)
{
	const struct flow_threads *threads = alive->in.threads;
	const struct flow_join *join = &alive->in.joins->rows[number];
	if (alive->is_void[number])
		return;
	uint64_t *ended = mem_alloc(set_bytes(threads));
	for (uint32_t i = 0; i < join->roots.count; i++)
		add_ended(alive, join->roots.items[i], ended);
	change_end(threads, change, ended);
	free(ended);
}

/* What calling the defined ones among the targets does. */
static void apply_targets(const struct flow_alive *alive, const struct flow_call *call, struct flow_change *change)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	bool is_relevant = false;
	for (uint32_t t = 0; t < call->target_count; t++)
		is_relevant |= alive->is_thread_relevant[program->targets.items[call->first_target + t]];
	if (!is_relevant)
		return;
	struct flow_change all, one;
	change_init(threads, &all);
	change_init(threads, &one);
	for (uint32_t t = 0; t <= call->target_count; t++) {
		if (t == call->target_count && !call->may_skip)
			break;
		uint32_t target = t < call->target_count ? program->targets.items[call->first_target + t] : 0;
		bool changes = t < call->target_count && alive->is_thread_relevant[target];
		const struct flow_change *does = changes ? &alive->changes[target] : NULL;
		if (does && !does->is_reached)
			continue;
		change_copy(threads, &one, change);
		for (uint32_t w = 0; does && w < threads->words; w++) {
			one.gen[w] = (one.gen[w] & ~does->kill[w]) | does->gen[w];
			one.kill[w] = (one.kill[w] | does->kill[w]) & ~does->gen[w];
		}
		change_meet(threads, &all, &one);
	}
	change_copy(threads, change, &all);
	free(all.gen);
	free(one.gen);
}

static void apply_call(const struct flow_alive *alive, uint32_t number, struct flow_change *change)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	const struct flow_joins *joins = alive->in.joins;
	const struct flow_call *call = &program->calls[number];
	struct flow_range starts = threads->creates_of[number];
	for (uint32_t c = 0; c < starts.count; c++) {
		const struct flow_create *create = &threads->creates[starts.first + c];
		uint64_t *rows = create->kind == FLOW_TEAM ? alive->leftover : threads->descendants;
		for (uint32_t r = 0; r < create->roots.count; r++)
			change_start(threads, change, flow_row(threads, rows, create->roots.items[r]));
	}
	if (call->returns_again) {
		uint32_t function = program->whole->instruction[call->instruction].function;
		change_start(threads, change, flow_row(threads, alive->may_start, function));
	}
	apply_targets(alive, call, change);
	for (uint32_t j = joins->of_call[number]; j != WHOLE_NONE; j = joins->rows[j].next)
		apply_join(alive, j, change);
	if (call->is_last)
		change->is_reached = false;
}

static void apply_throw(const struct flow_alive *alive, uint32_t number, struct flow_change *change)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	const struct flow_call *call = &program->calls[number];
	uint64_t *set = mem_alloc(set_bytes(threads));
	flow_alive_start(alive, number, set);
	for (uint32_t t = 0; t < call->target_count; t++)
		flow_bits_add(set, flow_row(threads, alive->may_start, program->targets.items[call->first_target + t]),
			      threads->words);
	change_start(threads, change, set);
	free(set);
}

static bool returns(const struct flow_program *program, uint32_t function, uint32_t block)
{
	const struct whole_block *row = &program->whole->block[program->whole->function[function].first_block + block];
	return row->instruction_count &&
	       program->whole->instruction[row->first_instruction + row->instruction_count - 1].op == WHOLE_RETURN;
}

/* Along the edge: loops that waited for threads. */
static void apply_edge(const struct flow_alive *alive, uint32_t function, uint32_t block, uint32_t successor,
		       struct flow_change *change)
{
	const struct flow_joins *joins = alive->in.joins;
	const struct flow_ids *here = &joins->of_function[function];
	for (uint32_t j = 0; j < here->count; j++) {
		const struct flow_join *join = &joins->rows[here->items[j]];
		for (uint32_t e = 0; e + 1 < join->edges.count; e += 2)
			if (join->edges.items[e] == block && join->edges.items[e + 1] == successor)
				apply_join(alive, here->items[j], change);
	}
}

/* From the start of the block to its end; thrown (may be null) gets what holds where an exception leaves its last call. */
static void apply_block(const struct flow_alive *alive, uint32_t function, uint32_t block, struct flow_change *change,
			struct flow_change *thrown, flow_alive_each *each, void *context)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_body *body = &program->bodies[function];
	for (uint32_t c = body->first_call[block]; c < body->first_call[block + 1] && change->is_reached; c++) {
		const struct flow_call *call = &program->calls[c];
		if (each)
			each(context, c, change->gen);
		if (thrown && call->may_throw) {
			change_copy(alive->in.threads, thrown, change);
			apply_throw(alive, c, thrown);
		}
		apply_call(alive, c, change);
	}
	if (each && change->is_reached && returns(program, function, block))
		each(context, WHOLE_NONE, change->gen);
}

/* ---- what each function does ---- */

static bool solve_function(struct flow_alive *alive, uint32_t function)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	const struct flow_body *body = &program->bodies[function];
	struct flow_change *blocks = alive->block_changes[function], end, thrown, edge;
	bool has_changed = false;
	change_init(threads, &end);
	change_init(threads, &thrown);
	change_init(threads, &edge);
	blocks[0].is_reached = true;
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < body->reached; i++) {
			uint32_t block = body->order[i];
			if (!blocks[block].is_reached)
				continue;
			change_copy(threads, &end, &blocks[block]);
			thrown.is_reached = false;
			apply_block(alive, function, block, &end, &thrown, NULL, NULL);
			if (end.is_reached && returns(program, function, block))
				has_changed |= change_meet(threads, &alive->changes[function], &end);
			for (uint32_t e = body->graph.first[block]; e < body->graph.first[block + 1]; e++) {
				uint32_t number = e - body->graph.first[block];
				change_copy(threads, &edge, number == 1 && thrown.is_reached ? &thrown : &end);
				if (!edge.is_reached)
					continue;
				apply_edge(alive, function, block, number, &edge);
				is_changed |= change_meet(threads, &blocks[body->graph.targets[e]], &edge);
			}
		}
	}
	free(end.gen);
	free(thrown.gen);
	free(edge.gen);
	return has_changed;
}

/* What starts or ends threads, and what calls that. */
static void find_relevant(struct flow_alive *alive)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < program->bottom_up.count; i++) {
			uint32_t f = program->bottom_up.items[i];
			const struct flow_body *body = &program->bodies[f];
			bool is_relevant = alive->in.joins->of_function[f].count != 0, ends = false;
			uint64_t *starts = flow_row(threads, alive->may_start, f);
			bool has_changed = false;
			for (uint32_t c = body->first_call[0]; c < body->first_call[body->graph.node_count]; c++) {
				const struct flow_call *call = &program->calls[c];
				struct flow_range creates = threads->creates_of[c];
				is_relevant |= creates.count != 0;
				ends |= call->model && call->model->sync == MODEL_EXIT_THREAD;
				for (uint32_t k = 0; k < creates.count; k++)
					for (uint32_t r = 0; r < threads->creates[creates.first + k].roots.count; r++) {
						uint32_t root = threads->creates[creates.first + k].roots.items[r];
						has_changed |= flow_bits_add(
							starts, flow_row(threads, threads->descendants, root),
							threads->words);
					}
				for (uint32_t t = 0; t < call->target_count; t++) {
					uint32_t target = program->targets.items[call->first_target + t];
					is_relevant |= alive->is_thread_relevant[target];
					ends |= alive->ends_threads[target];
					has_changed |= flow_bits_add(
						starts, flow_row(threads, alive->may_start, target), threads->words);
				}
			}
			is_changed |= has_changed || is_relevant != alive->is_thread_relevant[f] ||
				      ends != alive->ends_threads[f];
			alive->is_thread_relevant[f] = is_relevant;
			alive->ends_threads[f] = ends;
		}
	}
}

static void solve_changes(struct flow_alive *alive)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	for (uint32_t i = 0; i < program->bottom_up.count; i++) {
		uint32_t f = program->bottom_up.items[i];
		if (!alive->is_thread_relevant[f])
			continue;
		memset(alive->changes[f].gen, 0, 2 * set_bytes(threads));
		alive->changes[f].is_reached = false;
		for (uint32_t b = 0; b < program->bodies[f].graph.node_count; b++) {
			memset(alive->block_changes[f][b].gen, 0, 2 * set_bytes(threads));
			alive->block_changes[f][b].is_reached = false;
		}
	}
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 0; i < program->bottom_up.count; i++)
			if (alive->is_thread_relevant[program->bottom_up.items[i]] &&
			    threads->is_reached[program->bottom_up.items[i]])
				is_changed |= solve_function(alive, program->bottom_up.items[i]);
	}
}

/* What a root may leave behind when it ends; whether that became less. */
static bool solve_leftover(struct flow_alive *alive)
{
	const struct flow_threads *threads = alive->in.threads;
	bool is_changed = false;
	for (uint32_t r = 1; r < threads->root_count; r++) {
		uint32_t f = threads->roots[r].function;
		if (threads->roots[r].kind == FLOW_HANDLER || alive->ends_threads[f])
			continue;
		uint64_t *left = flow_row(threads, alive->leftover, r);
		bool is_known = alive->is_thread_relevant[f] && alive->changes[f].is_reached;
		for (uint32_t w = 0; w < threads->words; w++) {
			uint64_t now = left[w] & (is_known ? alive->changes[f].gen[w] : 0);
			is_changed |= now != left[w];
			left[w] = now;
		}
	}
	return is_changed;
}

void flow_alive_solve(const struct flow_alive_input *in, struct flow_alive *alive)
{
	const struct flow_program *program = in->program;
	const struct flow_threads *threads = in->threads;
	size_t functions = (size_t)program->whole->function_count + 1;
	alive->in = *in;
	alive->is_thread_relevant = mem_alloc(functions);
	alive->ends_threads = mem_alloc(functions);
	alive->may_start = mem_alloc(functions * set_bytes(threads));
	alive->changes = mem_alloc(functions * sizeof *alive->changes);
	alive->block_changes = mem_alloc(functions * sizeof *alive->block_changes);
	alive->is_void = mem_alloc((size_t)in->joins->count + 1);
	alive->leftover = mem_alloc(threads->root_count * set_bytes(threads));
	alive->concurrent_roots = mem_alloc(threads->root_count * set_bytes(threads));
	alive->at_entry = mem_alloc(functions * threads->root_count * sizeof *alive->at_entry);
	find_relevant(alive);
	for (uint32_t f = 0; f + 1 < functions; f++) {
		if (!alive->is_thread_relevant[f])
			continue;
		change_init(threads, &alive->changes[f]);
		uint32_t blocks = program->bodies[f].graph.node_count;
		alive->block_changes[f] = mem_alloc(((size_t)blocks + 1) * sizeof(struct flow_change));
		for (uint32_t b = 0; b < blocks; b++)
			change_init(threads, &alive->block_changes[f][b]);
	}
	do {
		memcpy(alive->leftover, threads->descendants, threads->root_count * set_bytes(threads));
		for (uint32_t r = 0; r < threads->root_count; r++)
			flow_row(threads, alive->leftover, r)[r / 64] &= ~(UINT64_C(1) << r % 64);
		do
			solve_changes(alive);
		while (solve_leftover(alive));
	} while (flow_concurrent_solve(alive));
}

void flow_alive_release(struct flow_alive *alive)
{
	const struct flow_program *program = alive->in.program;
	for (uint32_t f = 0; alive->changes && f < program->whole->function_count; f++) {
		free(alive->changes[f].gen);
		for (uint32_t b = 0; alive->block_changes[f] && b < program->bodies[f].graph.node_count; b++)
			free(alive->block_changes[f][b].gen);
		free(alive->block_changes[f]);
	}
	size_t sets = alive->at_entry ? (size_t)alive->in.threads->root_count * program->whole->function_count : 0;
	for (size_t i = 0; i < sets; i++)
		free(alive->at_entry[i]);
	free(alive->is_thread_relevant);
	free(alive->ends_threads);
	free(alive->may_start);
	free(alive->changes);
	free(alive->block_changes);
	free(alive->is_void);
	free(alive->leftover);
	free(alive->concurrent_roots);
	free(alive->at_entry);
}

/* ---- for one set ---- */

bool flow_alive_at(const struct flow_alive *alive, uint32_t function, uint32_t block, const uint64_t *entry,
		   uint64_t *set)
{
	const struct flow_threads *threads = alive->in.threads;
	if (!alive->is_thread_relevant[function]) {
		memcpy(set, entry, set_bytes(threads));
		return true;
	}
	const struct flow_change *change = &alive->block_changes[function][block];
	for (uint32_t w = 0; w < threads->words; w++)
		set[w] = (entry[w] & ~change->kill[w]) | change->gen[w];
	return change->is_reached;
}

bool flow_alive_block(const struct flow_alive *alive, uint32_t function, uint32_t block, uint64_t *set,
		      flow_alive_each *each, void *context)
{
	const struct flow_threads *threads = alive->in.threads;
	struct flow_change change;
	change_init(threads, &change);
	change.is_reached = true;
	memcpy(change.gen, set, set_bytes(threads));
	apply_block(alive, function, block, &change, NULL, each, context);
	memcpy(set, change.gen, set_bytes(threads));
	bool is_reached = change.is_reached;
	free(change.gen);
	return is_reached;
}

void flow_alive_edge(const struct flow_alive *alive, uint32_t function, uint32_t block, uint32_t successor,
		     uint64_t *set)
{
	const struct flow_threads *threads = alive->in.threads;
	struct flow_change change;
	change_init(threads, &change);
	memcpy(change.gen, set, set_bytes(threads));
	apply_edge(alive, function, block, successor, &change);
	memcpy(set, change.gen, set_bytes(threads));
	free(change.gen);
}
