/*
 * walk.c: the functional approach of Sharir and Pnueli (1981), by need: a context is a root, a function and the locks it is
 * entered with; its result is the locks that it returns with. A call needs the context of its callee. Until that has
 * a result, the path through the call is not taken; when the result shrinks, the contexts that need it are walked
 * again.
 * Input: struct flow_walk_input. Result: struct flow_walk.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/alive.h"
#include "analysis/flow/arguments.h"
#include "analysis/flow/crowd.h"
#include "analysis/flow/locks.h"
#include "analysis/flow/once.h"
#include "analysis/flow/program.h"
#include "analysis/flow/releases.h"
#include "analysis/flow/threads.h"
#include "analysis/flow/translate.h"
#include "analysis/flow/walk.h"
#include "base/heap.h"
#include "base/mem.h"

enum { DEFAULT_CONTEXTS = 8 };

/* Callees first, so that callers do not go on with half a result. */
static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct flow_walk *walk = context;
	const struct flow_program *program = walk->in.program;
	uint32_t left = program->component[walk->contexts[a].function],
		 right = program->component[walk->contexts[b].function];
	return left != right ? left < right : a < b;
}

static void queue(struct flow_walk *walk, uint32_t context)
{
	if (walk->contexts[context].is_queued)
		return;
	walk->contexts[context].is_queued = true;
	flow_ids_add(&walk->todo, context);
	heap_add(walk->todo.items, walk->todo.count - 1, context, is_before, walk);
}

static uint32_t take_next(struct flow_walk *walk)
{
	uint32_t first = heap_take(walk->todo.items, walk->todo.count--, is_before, walk);
	walk->contexts[first].is_queued = false;
	return first;
}

static uint32_t add_context(struct flow_walk *walk, uint32_t root, uint32_t function, uint32_t entry)
{
	walk->contexts = flow_grow(walk->contexts, walk->context_count, &walk->context_room, sizeof *walk->contexts);
	uint32_t number = walk->context_count++, blocks = walk->in.program->bodies[function].graph.node_count;
	struct flow_context *context = &walk->contexts[number];
	*context = (struct flow_context){
		.root = root, .function = function, .entry = entry, .exit = LOCKS_UNREACHED, .crowd = WHOLE_NONE
	};
	context->blocks = mem_alloc(((size_t)blocks + 1) * sizeof *context->blocks);
	memset(context->blocks, 0xff, blocks * sizeof *context->blocks);
	context->alive = mem_alloc(walk->in.threads->words * sizeof *context->alive);
	queue(walk, number);
	return number;
}

/* What is known to be done makes many ways of entering: the first few get contexts of their own, in addition to those
 * of other entries. */
static uint32_t find_done_context(struct flow_walk *walk, uint32_t root, uint32_t function, uint32_t entry)
{
	enum { MAX_DONE = 4 };
	uint32_t key[3] = { root, function, entry };
	uint32_t number = flow_interned_add(&walk->done_entries, key, 3), owner;
	if (number < walk->done_contexts.count)
		return walk->done_contexts.items[number];
	owner = flow_interned_add(&walk->done_keys, key, 2);
	if (owner == walk->done_counts.count)
		flow_ids_add(&walk->done_counts, 0);
	bool is_own = walk->done_counts.items[owner]++ < MAX_DONE;
	flow_ids_add(&walk->done_contexts, is_own ? add_context(walk, root, function, entry) : WHOLE_NONE);
	return walk->done_contexts.items[number];
}

/* The context for that way of entering. The last one that a function may have stands for all others. */
static uint32_t find_context(struct flow_walk *walk, uint32_t root, uint32_t function, uint32_t entry)
{
	const struct flow_threads *threads = walk->in.threads;
	struct flow_lock_sets *lock_sets = walk->in.lock_sets;
	struct flow_ids *all = &walk->contexts_of[(size_t)root * walk->in.program->whole->function_count + function];
	uint32_t limit = walk->in.max_contexts, plain = flow_locks_without_done(lock_sets, entry);
	if (plain != entry) {
		uint32_t number = find_done_context(walk, root, function, entry);
		if (number != WHOLE_NONE)
			return number;
		entry = plain;
	}
	/* Every root has its own; a program with very many of them gets fewer for each. */
	if (!limit)
		limit = threads->root_count <= 16   ? DEFAULT_CONTEXTS
			: threads->root_count <= 64 ? DEFAULT_CONTEXTS / 2
						    : 2;
	for (uint32_t i = 0; i < all->count && (i + 1 < limit || all->count < limit); i++)
		if (walk->contexts[all->items[i]].entry == entry)
			return all->items[i];
	if (all->count < limit) {
		uint32_t number = add_context(walk, root, function, entry);
		flow_ids_add(all, number);
		walk->merged_functions += all->count == limit && limit > 1;
		return number;
	}
	uint32_t last = all->items[limit - 1];
	uint32_t both = flow_locks_meet(lock_sets, walk->contexts[last].entry, entry);
	if (both != walk->contexts[last].entry) {
		walk->contexts[last].entry = both;
		queue(walk, last);
		for (uint32_t i = 0; i < walk->contexts[last].callers.count; i++)
			queue(walk, walk->contexts[last].callers.items[i]);
	}
	return last;
}

static void record_edge(struct flow_walk *walk, uint32_t caller, uint32_t call, uint32_t number)
{
	struct flow_context *from = &walk->contexts[caller];
	if (!walk->contexts[number].is_live)
		queue(walk, number);
	walk->contexts[number].is_live = true;
	from->edges = flow_grow(from->edges, from->edge_count, &from->edge_room, sizeof *from->edges);
	from->edges[from->edge_count++] = (struct flow_edge){ call, number };
}

static uint32_t enter_function(struct flow_walk *walk, uint32_t caller, uint32_t call, uint32_t function,
			       uint32_t entry)
{
	uint32_t number = find_context(walk, walk->contexts[caller].root, function, entry);
	struct flow_context *context = &walk->contexts[number];
	uint32_t pair[2] = { number, caller }, known = walk->caller_pairs.count;
	if (flow_interned_add(&walk->caller_pairs, pair, 2) == known)
		flow_ids_add(&context->callers, caller);
	if (walk->is_recording)
		record_edge(walk, caller, call, number);
	return number;
}

/* The context that stands for those of the crowd's members. */
static void enter_crowd(struct flow_walk *walk, uint32_t caller, uint32_t call, uint32_t entry)
{
	const struct flow_program *program = walk->in.program;
	uint32_t key[3] = { walk->contexts[caller].root, walk->in.crowds->of_call[call], entry };
	uint32_t number = flow_interned_add(&walk->crowd_entries, key, 3);
	if (number == walk->crowd_contexts.count) {
		uint32_t context =
			add_context(walk, key[0], program->targets.items[program->calls[call].first_target], entry);
		walk->contexts[context].crowd = key[1];
		flow_ids_add(&walk->crowd_contexts, context);
	}
	if (walk->is_recording)
		record_edge(walk, caller, call, walk->crowd_contexts.items[number]);
}

/* Nothing follows from what the members return with, so it is not asked for. */
static void walk_crowd(struct flow_walk *walk, uint32_t number)
{
	uint32_t count, crowd = walk->contexts[number].crowd, root = walk->contexts[number].root;
	const uint32_t *members = flow_interned_row(&walk->in.crowds->lists, crowd, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t context = find_context(walk, root, members[i], walk->contexts[number].entry);
		if (walk->is_recording)
			record_edge(walk, number, WHOLE_NONE, context);
	}
}

static void enter_end_functions(struct flow_walk *walk, uint32_t context, uint32_t call)
{
	const struct flow_ids *lists[2];
	const struct flow_context *row = &walk->contexts[context];
	uint32_t count = flow_end_functions(walk->in.program, walk->in.threads, row->root, row->function, call, lists);
	for (uint32_t l = 0; l < count; l++)
		for (uint32_t i = 0; i < lists[l]->count; i++)
			enter_function(walk, context, call, lists[l]->items[i], LOCKS_NONE);
}

static bool may_start(const struct flow_alive *alive, const struct flow_crowds *crowds, uint32_t call)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	const struct flow_call *row = &program->calls[call];
	bool starts = threads->creates_of[call].count != 0;
	if (crowds->of_call[call] != WHOLE_NONE)
		return starts || flow_crowd_starts(crowds, crowds->of_call[call]);
	for (uint32_t t = 0; t < row->target_count && !starts; t++)
		starts = !flow_bits_are_empty(
			flow_row(threads, alive->may_start, program->targets.items[row->first_target + t]),
			threads->words);
	return starts;
}

/* A routine that pthread_once calls runs once: to the others it is as if its control were a lock. */
static uint32_t enter_once(struct flow_lock_sets *lock_sets, const struct flow_call *call, uint32_t entry)
{
	uint32_t control = call->model && call->model->sync == MODEL_ONCE
				   ? flow_argument(lock_sets->in.program, call->instruction, call->model->object)
				   : WHOLE_NONE;
	if (control == WHOLE_NONE)
		return entry;
	struct lock lock = flow_lock_of(lock_sets, control);
	return flow_lock_is_concrete(lock_sets->in.paths, &lock)
		       ? flow_locks_add(lock_sets, entry, lock, call->instruction)
		       : entry;
}

/* What is held after a call of one of a crowd. */
static uint32_t crowd_after(struct flow_walk *walk, uint32_t crowd, uint32_t locks)
{
	struct flow_lock_sets *lock_sets = walk->in.lock_sets;
	const struct flow_crowds *crowds = walk->in.crowds;
	uint32_t key[2] = { crowd, locks }, count;
	if (locks == LOCKS_NONE || !flow_crowd_locks(crowds, crowd))
		return locks;
	uint32_t number = flow_interned_add(&walk->crowd_locks, key, 2);
	if (number < walk->crowd_after.count)
		return walk->crowd_after.items[number];
	const uint32_t *targets = flow_interned_row(&crowds->lists, crowd, &count);
	struct flow_ids rest = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(lock_sets, locks); i++) {
		uint32_t item = flow_locks_item(lock_sets, locks, i);
		struct lock lock = flow_lock_row(lock_sets, item);
		bool is_kept = true;
		for (uint32_t t = 0; t < count && is_kept; t++)
			is_kept = !flow_may_release(walk->in.releases, lock_sets, targets[t], &lock);
		if (is_kept)
			flow_ids_add(&rest, item);
	}
	uint32_t after = flow_locks_intern(lock_sets, &rest);
	flow_ids_add(&walk->crowd_after, after);
	return after;
}

uint32_t flow_walk_call(struct flow_walk *walk, uint32_t context, uint32_t call, uint32_t locks)
{
	const struct flow_program *program = walk->in.program;
	const struct flow_releases *releases = walk->in.releases;
	struct flow_lock_sets *lock_sets = walk->in.lock_sets;
	const struct flow_crowds *crowds = walk->in.crowds;
	const struct flow_call row = program->calls[call];
	uint32_t after = LOCKS_UNREACHED, crowd = crowds->of_call[call];
	enter_end_functions(walk, context, call);
	if (may_start(walk->in.alive, crowds, call))
		locks = flow_locks_drop_loads(lock_sets, locks);
	if (crowd != WHOLE_NONE) {
		enter_crowd(walk, context, call, flow_locks_enter_any(lock_sets, locks));
		after = crowd_after(walk, crowd, locks);
	}
	for (uint32_t t = 0; crowd == WHOLE_NONE && t < row.target_count; t++) {
		uint32_t function = program->targets.items[row.first_target + t];
		if (!flow_may_call(walk->in.arguments, walk->contexts[context].root, call, function))
			continue;
		uint32_t entry =
			enter_once(lock_sets, &row, flow_locks_enter(lock_sets, locks, row.instruction, function));
		uint32_t callee = enter_function(walk, context, call, function, entry);
		const struct flow_context *result = &walk->contexts[callee];
		if (!releases->changes_locks[function])
			after = flow_locks_meet(lock_sets, after, locks);
		else if (result->exit != LOCKS_UNREACHED)
			after = flow_locks_meet(lock_sets, after,
						flow_locks_return(releases, lock_sets, locks, row.instruction, function,
								  result->entry, result->exit));
	}
	if (!row.target_count || row.may_skip)
		after = flow_locks_meet(lock_sets, after, flow_locks_model(lock_sets, locks, &row));
	if (row.model && row.model->sync == MODEL_ONCE && row.is_certain)
		after = flow_locks_done(lock_sets, after, flow_argument(program, row.instruction, row.model->object),
					row.instruction);
	if (row.returns_again)
		after = LOCKS_NONE;
	return row.is_last ? LOCKS_UNREACHED : after;
}

static void reach(struct flow_lock_sets *lock_sets, struct flow_context *context, uint32_t block, uint32_t locks,
		  bool *is_changed)
{
	uint32_t both = flow_locks_meet(lock_sets, context->blocks[block], locks);
	*is_changed |= both != context->blocks[block];
	context->blocks[block] = both;
}

/* One block; returns the locks at its end, and in *thrown those where an exception leaves its last call. */
static uint32_t walk_block(struct flow_walk *walk, uint32_t number, uint32_t block, uint32_t *thrown)
{
	const struct flow_program *program = walk->in.program;
	const struct flow_body *body = &program->bodies[walk->contexts[number].function];
	uint32_t locks = walk->contexts[number].blocks[block];
	*thrown = LOCKS_UNREACHED;
	for (uint32_t c = body->first_call[block]; c < body->first_call[block + 1] && locks != LOCKS_UNREACHED; c++) {
		if (program->calls[c].may_throw)
			*thrown = flow_locks_throw(walk->in.releases, walk->in.lock_sets, locks, &program->calls[c]);
		locks = flow_walk_call(walk, number, c, locks);
	}
	return locks;
}

static void leave(struct flow_walk *walk, uint32_t number, uint32_t block, uint32_t locks)
{
	const struct flow_program *program = walk->in.program;
	struct flow_lock_sets *lock_sets = walk->in.lock_sets;
	const struct whole_function *function = &program->whole->function[walk->contexts[number].function];
	const struct whole_block *row = &program->whole->block[function->first_block + block];
	uint32_t last = row->first_instruction + row->instruction_count - 1;
	if (!row->instruction_count || program->whole->instruction[last].op != WHOLE_RETURN)
		return;
	enter_end_functions(walk, number, WHOLE_NONE);
	uint32_t returned = flow_locks_at_return(lock_sets, locks, last);
	struct flow_context *context = &walk->contexts[number];
	uint32_t both = flow_locks_meet(lock_sets, context->exit, returned);
	if (both == context->exit)
		return;
	context->exit = both;
	for (uint32_t i = 0; i < context->callers.count; i++)
		queue(walk, context->callers.items[i]);
}

static void walk_context(struct flow_walk *walk, uint32_t number)
{
	const struct flow_program *program = walk->in.program;
	struct flow_lock_sets *lock_sets = walk->in.lock_sets;
	if (walk->contexts[number].crowd != WHOLE_NONE) {
		walk_crowd(walk, number);
		return;
	}
	uint32_t function = walk->contexts[number].function;
	uint32_t first_block = program->whole->function[function].first_block;
	const struct flow_body *body = &program->bodies[function];
	bool is_changed = true;
	if (!body->graph.node_count)
		return;
	reach(lock_sets, &walk->contexts[number], 0, walk->contexts[number].entry, &is_changed);
	while (is_changed) {
		is_changed = false;
		for (uint32_t i = 0; i < body->reached; i++) {
			uint32_t block = body->order[i], thrown;
			if (walk->contexts[number].blocks[block] == LOCKS_UNREACHED)
				continue;
			walk->steps++;
			uint32_t locks = walk_block(walk, number, block, &thrown);
			if (locks != LOCKS_UNREACHED)
				leave(walk, number, block, locks);
			for (uint32_t e = body->graph.first[block]; e < body->graph.first[block + 1]; e++) {
				uint32_t successor = e - body->graph.first[block], to = body->graph.targets[e];
				uint32_t over = successor == 1 && thrown != LOCKS_UNREACHED ? thrown : locks;
				if (over == LOCKS_UNREACHED)
					continue;
				over = flow_locks_edge(walk->in.releases, lock_sets, over, first_block + block,
						       successor, first_block + to);
				if (over != LOCKS_UNREACHED)
					reach(lock_sets, &walk->contexts[number], to, over, &is_changed);
			}
		}
	}
}

/* ---- what is alive in each context ---- */

struct spreading {
	struct flow_walk *walk;
	uint32_t context, next_edge;
	uint64_t *scratch;
};

static void spread_to(struct flow_walk *walk, uint32_t context, const uint64_t *set)
{
	if (flow_bits_add(walk->contexts[context].alive, set, walk->in.threads->words))
		queue(walk, context);
}

static void spread(void *context, uint32_t call, const uint64_t *set)
{
	struct spreading *s = context;
	const struct flow_context *from = &s->walk->contexts[s->context];
	memcpy(s->scratch, set, s->walk->in.threads->words * sizeof *set);
	if (call != WHOLE_NONE)
		flow_alive_start(s->walk->in.alive, call, s->scratch);
	for (uint32_t e = 0; e < from->edge_count; e++)
		if (from->edges[e].call == call)
			spread_to(s->walk, from->edges[e].context, s->scratch);
}

static void spread_context(struct flow_walk *walk, uint32_t number, uint64_t *set, uint64_t *scratch)
{
	const struct flow_program *program = walk->in.program;
	const struct flow_alive *alive = walk->in.alive;
	uint32_t function = walk->contexts[number].function;
	if (!alive->is_thread_relevant[function] || walk->contexts[number].crowd != WHOLE_NONE) {
		for (uint32_t e = 0; e < walk->contexts[number].edge_count; e++)
			spread_to(walk, walk->contexts[number].edges[e].context, walk->contexts[number].alive);
		return;
	}
	struct spreading s = { .walk = walk, .context = number, .scratch = scratch };
	for (uint32_t i = 0; i < program->bodies[function].reached; i++) {
		uint32_t block = program->bodies[function].order[i];
		if (flow_alive_at(alive, function, block, walk->contexts[number].alive, set))
			flow_alive_block(alive, function, block, set, spread, &s);
	}
}

/* Roots begin with nothing held; and with what analysis/flow/concurrent.c found alive at the first thread's functions. */
static void start_root(struct flow_walk *walk, uint32_t root, const struct flow_ids *functions)
{
	for (uint32_t i = 0; i < functions->count; i++) {
		uint32_t function = functions->items[i];
		uint32_t number = find_context(walk, root, function, LOCKS_NONE);
		const uint64_t *at_entry =
			walk->in.alive->at_entry[(size_t)root * walk->in.program->whole->function_count + function];
		if (!walk->is_recording)
			continue;
		walk->contexts[number].is_live = true;
		queue(walk, number);
		if (at_entry)
			flow_bits_add(walk->contexts[number].alive, at_entry, walk->in.threads->words);
	}
}

static void start_roots(struct flow_walk *walk)
{
	const struct flow_threads *threads = walk->in.threads;
	start_root(walk, 0, &threads->first_functions);
	start_root(walk, 0, &threads->exported_functions);
	for (uint32_t r = 1; r < threads->root_count; r++) {
		uint32_t function = threads->roots[r].function;
		start_root(walk, r, &(struct flow_ids){ .items = &function, .count = 1 });
	}
}

static void solve_alive(struct flow_walk *walk)
{
	const struct flow_threads *threads = walk->in.threads;
	uint64_t *set = mem_alloc(threads->words * sizeof *set), *scratch = mem_alloc(threads->words * sizeof *set);
	for (uint32_t c = 0; c < walk->context_count; c++)
		if (walk->contexts[c].is_live)
			queue(walk, c);
	while (walk->todo.count) {
		spread_context(walk, take_next(walk), set, scratch);
	}
	free(set);
	free(scratch);
}

static void record_context(struct flow_walk *walk, uint32_t number)
{
	if (walk->contexts[number].crowd != WHOLE_NONE) {
		walk_crowd(walk, number);
		return;
	}
	const struct flow_body *body = &walk->in.program->bodies[walk->contexts[number].function];
	walk->live_count++;
	for (uint32_t i = 0; i < body->reached; i++) {
		uint32_t block = body->order[i], thrown;
		if (walk->contexts[number].blocks[block] == LOCKS_UNREACHED)
			continue;
		uint32_t locks = walk_block(walk, number, block, &thrown);
		if (locks != LOCKS_UNREACHED)
			leave(walk, number, block, locks);
	}
}

void flow_walk(const struct flow_walk_input *in, struct flow_walk *walk)
{
	size_t count = (size_t)in->threads->root_count * in->program->whole->function_count + 1;
	walk->in = *in;
	walk->contexts_of = mem_alloc(count * sizeof *walk->contexts_of);
	start_roots(walk);
	while (walk->todo.count)
		walk_context(walk, take_next(walk));
	/* Walk once more, to record which context calls which. No result changes any more; contexts that were entered
	 * only on the way to the result are not live. */
	walk->is_recording = true;
	start_roots(walk);
	while (walk->todo.count)
		record_context(walk, take_next(walk));
	solve_alive(walk);
	walk->is_recording = false;
}

void flow_walk_release(struct flow_walk *walk)
{
	for (uint32_t c = 0; c < walk->context_count; c++) {
		free(walk->contexts[c].blocks);
		free(walk->contexts[c].edges);
		free(walk->contexts[c].alive);
		flow_ids_release(&walk->contexts[c].callers);
	}
	size_t count =
		walk->contexts_of ? (size_t)walk->in.threads->root_count * walk->in.program->whole->function_count : 0;
	for (size_t i = 0; i < count; i++)
		flow_ids_release(&walk->contexts_of[i]);
	flow_interned_release(&walk->caller_pairs);
	flow_interned_release(&walk->done_keys);
	flow_interned_release(&walk->done_entries);
	flow_ids_release(&walk->done_counts);
	flow_ids_release(&walk->done_contexts);
	flow_interned_release(&walk->crowd_locks);
	flow_interned_release(&walk->crowd_entries);
	flow_ids_release(&walk->crowd_after);
	flow_ids_release(&walk->crowd_contexts);
	free(walk->contexts_of);
	free(walk->contexts);
	flow_ids_release(&walk->todo);
}
