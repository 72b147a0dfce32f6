/*
 * walk.c: the functional approach of Sharir and Pnueli (1981), by need: a context is a root, a function and the locks it is
 * entered with; its result is the locks that it returns with. A call asks for the context of its callee. Until that has
 * a result, the way through the call is not taken; when the result becomes less, who asked is done again.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/flow_priv.h"
#include "base/mem.h"

enum { DEFAULT_CONTEXTS = 8 };

/* Callees first, so that callers do not go on with half a result. */
static bool is_before(const struct flow *flow, uint32_t a, uint32_t b)
{
	uint32_t left = flow->program.component[flow->walk.contexts[a].function],
		 right = flow->program.component[flow->walk.contexts[b].function];
	return left != right ? left < right : a < b;
}

static void queue(struct flow *flow, uint32_t context)
{
	if (flow->walk.contexts[context].is_queued)
		return;
	flow->walk.contexts[context].is_queued = true;
	flow_ids_add(&flow->walk.todo, context);
	uint32_t *heap = flow->walk.todo.items, at = flow->walk.todo.count - 1;
	for (; at && is_before(flow, context, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = context;
}

static uint32_t take_next(struct flow *flow)
{
	uint32_t *heap = flow->walk.todo.items, first = heap[0], last = heap[--flow->walk.todo.count], at = 0;
	for (uint32_t child = 1; child < flow->walk.todo.count; child = 2 * at + 1) {
		if (child + 1 < flow->walk.todo.count && is_before(flow, heap[child + 1], heap[child]))
			child++;
		if (!is_before(flow, heap[child], last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	flow->walk.contexts[first].is_queued = false;
	return first;
}

static uint32_t add_context(struct flow *flow, uint32_t root, uint32_t function, uint32_t entry)
{
	flow->walk.contexts = flow_grow(flow->walk.contexts, flow->walk.context_count, &flow->walk.context_room,
					sizeof *flow->walk.contexts);
	uint32_t number = flow->walk.context_count++, blocks = flow->program.bodies[function].graph.node_count;
	struct flow_context *context = &flow->walk.contexts[number];
	*context = (struct flow_context){
		.root = root, .function = function, .entry = entry, .exit = LOCKS_UNREACHED, .crowd = WHOLE_NONE
	};
	context->blocks = mem_alloc(((size_t)blocks + 1) * sizeof *context->blocks);
	memset(context->blocks, 0xff, blocks * sizeof *context->blocks);
	context->alive = mem_alloc(flow->threads.words * sizeof *context->alive);
	queue(flow, number);
	return number;
}

/* What is known to be done makes many ways of entering: some of them have a context, beside those that others have. */
static uint32_t find_done_context(struct flow *flow, uint32_t root, uint32_t function, uint32_t entry)
{
	enum { MOST_DONE = 4 };
	uint32_t key[3] = { root, function, entry };
	uint32_t number = flow_interned_add(&flow->walk.done_entries, key, 3), owner;
	if (number < flow->walk.done_contexts.count)
		return flow->walk.done_contexts.items[number];
	owner = flow_interned_add(&flow->walk.done_keys, key, 2);
	if (owner == flow->walk.done_counts.count)
		flow_ids_add(&flow->walk.done_counts, 0);
	bool is_own = flow->walk.done_counts.items[owner]++ < MOST_DONE;
	flow_ids_add(&flow->walk.done_contexts, is_own ? add_context(flow, root, function, entry) : WHOLE_NONE);
	return flow->walk.done_contexts.items[number];
}

/* The context for that way of entering. The last one that a function may have stands for all others. */
static uint32_t find_context(struct flow *flow, uint32_t root, uint32_t function, uint32_t entry)
{
	struct flow_ids *all = &flow->walk.contexts_of[(size_t)root * flow->program.whole->function_count + function];
	uint32_t most = flow->walk.most_contexts, plain = flow_locks_without_done(flow, entry);
	if (plain != entry) {
		uint32_t number = find_done_context(flow, root, function, entry);
		if (number != WHOLE_NONE)
			return number;
		entry = plain;
	}
	/* Every root has its own; a program with very many of them gets fewer for each. */
	if (!most)
		most = flow->threads.root_count <= 16   ? DEFAULT_CONTEXTS
		       : flow->threads.root_count <= 64 ? DEFAULT_CONTEXTS / 2
							: 2;
	for (uint32_t i = 0; i < all->count && (i + 1 < most || all->count < most); i++)
		if (flow->walk.contexts[all->items[i]].entry == entry)
			return all->items[i];
	if (all->count < most) {
		uint32_t number = add_context(flow, root, function, entry);
		flow_ids_add(all, number);
		flow->walk.merged_functions += all->count == most && most > 1;
		return number;
	}
	uint32_t last = all->items[most - 1];
	uint32_t both = flow_locks_meet(flow, flow->walk.contexts[last].entry, entry);
	if (both != flow->walk.contexts[last].entry) {
		flow->walk.contexts[last].entry = both;
		queue(flow, last);
		for (uint32_t i = 0; i < flow->walk.contexts[last].callers.count; i++)
			queue(flow, flow->walk.contexts[last].callers.items[i]);
	}
	return last;
}

static void record_edge(struct flow *flow, uint32_t caller, uint32_t call, uint32_t number)
{
	struct flow_context *from = &flow->walk.contexts[caller];
	if (!flow->walk.contexts[number].is_live)
		queue(flow, number);
	flow->walk.contexts[number].is_live = true;
	from->edges = flow_grow(from->edges, from->edge_count, &from->edge_room, sizeof *from->edges);
	from->edges[from->edge_count++] = (struct flow_edge){ call, number };
}

static uint32_t ask(struct flow *flow, uint32_t caller, uint32_t call, uint32_t function, uint32_t entry)
{
	uint32_t number = find_context(flow, flow->walk.contexts[caller].root, function, entry);
	struct flow_context *context = &flow->walk.contexts[number];
	uint32_t pair[2] = { number, caller }, known = flow->walk.caller_pairs.count;
	if (flow_interned_add(&flow->walk.caller_pairs, pair, 2) == known)
		flow_ids_add(&context->callers, caller);
	if (flow->walk.is_recording)
		record_edge(flow, caller, call, number);
	return number;
}

/* The context that stands for those of the crowd's members. */
static void ask_crowd(struct flow *flow, uint32_t caller, uint32_t call, uint32_t entry)
{
	uint32_t key[3] = { flow->walk.contexts[caller].root, flow->crowds.of_call[call], entry };
	uint32_t number = flow_interned_add(&flow->walk.crowd_entries, key, 3);
	if (number == flow->walk.crowd_contexts.count) {
		uint32_t context = add_context(
			flow, key[0], flow->program.targets.items[flow->program.calls[call].first_target], entry);
		flow->walk.contexts[context].crowd = key[1];
		flow_ids_add(&flow->walk.crowd_contexts, context);
	}
	if (flow->walk.is_recording)
		record_edge(flow, caller, call, flow->walk.crowd_contexts.items[number]);
}

/* Nothing follows from what the members return with, so it is not asked for. */
static void walk_crowd(struct flow *flow, uint32_t number)
{
	uint32_t count, crowd = flow->walk.contexts[number].crowd, root = flow->walk.contexts[number].root;
	const uint32_t *members = flow_interned_row(&flow->crowds.lists, crowd, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t context = find_context(flow, root, members[i], flow->walk.contexts[number].entry);
		if (flow->walk.is_recording)
			record_edge(flow, number, WHOLE_NONE, context);
	}
}

static void ask_end_functions(struct flow *flow, uint32_t context, uint32_t call)
{
	const struct flow_ids *lists[2];
	const struct flow_context *row = &flow->walk.contexts[context];
	uint32_t count = flow_end_functions(flow, row->root, row->function, call, lists);
	for (uint32_t l = 0; l < count; l++)
		for (uint32_t i = 0; i < lists[l]->count; i++)
			ask(flow, context, call, lists[l]->items[i], LOCKS_NONE);
}

static bool may_start(const struct flow *flow, const struct flow_call *call, uint32_t crowd)
{
	bool starts = flow->threads.creates_of[flow_call_at(flow, call->instruction)].count != 0;
	if (crowd != WHOLE_NONE)
		return starts || flow_crowd_starts(flow, crowd);
	for (uint32_t t = 0; t < call->target_count && !starts; t++)
		starts = !flow_bits_are_empty(
			flow_row(flow, flow->alive.may_start, flow->program.targets.items[call->first_target + t]),
			flow->threads.words);
	return starts;
}

/* A routine that pthread_once calls runs once: to the others it is as if its control were a lock. */
static uint32_t enter_once(struct flow *flow, const struct flow_call *call, uint32_t entry)
{
	uint32_t control = call->model && call->model->sync == MODEL_ONCE
				   ? flow_argument(flow, call->instruction, call->model->object)
				   : WHOLE_NONE;
	if (control == WHOLE_NONE)
		return entry;
	struct lock lock = flow_lock_of(flow, control);
	return flow_lock_is_concrete(flow, &lock) ? flow_locks_add(flow, entry, lock, call->instruction) : entry;
}

/* What is held behind a call of one of a crowd. */
static uint32_t crowd_after(struct flow *flow, uint32_t crowd, uint32_t locks)
{
	uint32_t key[2] = { crowd, locks }, count;
	if (locks == LOCKS_NONE || !flow_crowd_locks(flow, crowd))
		return locks;
	uint32_t number = flow_interned_add(&flow->walk.crowd_locks, key, 2);
	if (number < flow->walk.crowd_after.count)
		return flow->walk.crowd_after.items[number];
	const uint32_t *targets = flow_interned_row(&flow->crowds.lists, crowd, &count);
	struct flow_ids rest = { 0 };
	for (uint32_t i = 0; i < flow_locks_count(flow, locks); i++) {
		uint32_t item = flow_locks_item(flow, locks, i);
		struct lock lock = flow_lock_row(flow, item);
		bool is_kept = true;
		for (uint32_t t = 0; t < count && is_kept; t++)
			is_kept = !flow_may_release(flow, targets[t], &lock);
		if (is_kept)
			flow_ids_add(&rest, item);
	}
	uint32_t after = flow_locks_intern(flow, &rest);
	flow_ids_add(&flow->walk.crowd_after, after);
	return after;
}

uint32_t flow_walk_call(struct flow *flow, uint32_t context, uint32_t call, uint32_t locks)
{
	const struct flow_call row = flow->program.calls[call];
	uint32_t after = LOCKS_UNREACHED, crowd = flow->crowds.of_call[call];
	ask_end_functions(flow, context, call);
	if (may_start(flow, &row, crowd))
		locks = flow_locks_drop_loads(flow, locks);
	if (crowd != WHOLE_NONE) {
		ask_crowd(flow, context, call, flow_locks_enter_any(flow, locks));
		after = crowd_after(flow, crowd, locks);
	}
	for (uint32_t t = 0; crowd == WHOLE_NONE && t < row.target_count; t++) {
		uint32_t function = flow->program.targets.items[row.first_target + t];
		if (!flow_may_call(flow, flow->walk.contexts[context].root, call, function))
			continue;
		uint32_t entry = enter_once(flow, &row, flow_locks_enter(flow, locks, row.instruction, function));
		uint32_t callee = ask(flow, context, call, function, entry);
		const struct flow_context *result = &flow->walk.contexts[callee];
		if (!flow->releases.changes_locks[function])
			after = flow_locks_meet(flow, after, locks);
		else if (result->exit != LOCKS_UNREACHED)
			after = flow_locks_meet(
				flow, after,
				flow_locks_return(flow, locks, row.instruction, function, result->entry, result->exit));
	}
	if (!row.target_count || row.may_skip)
		after = flow_locks_meet(flow, after, flow_locks_model(flow, locks, &row));
	if (row.model && row.model->sync == MODEL_ONCE && row.is_certain)
		after = flow_locks_done(flow, after, flow_argument(flow, row.instruction, row.model->object),
					row.instruction);
	if (flow_returns_again(flow, &row))
		after = LOCKS_NONE;
	return row.is_last ? LOCKS_UNREACHED : after;
}

static void reach(struct flow *flow, struct flow_context *context, uint32_t block, uint32_t locks, bool *is_changed)
{
	uint32_t both = flow_locks_meet(flow, context->blocks[block], locks);
	*is_changed |= both != context->blocks[block];
	context->blocks[block] = both;
}

/* One block; returns the locks at its end, and in *thrown those where an exception leaves its last call. */
static uint32_t walk_block(struct flow *flow, uint32_t number, uint32_t block, uint32_t *thrown)
{
	const struct flow_body *body = &flow->program.bodies[flow->walk.contexts[number].function];
	uint32_t locks = flow->walk.contexts[number].blocks[block];
	*thrown = LOCKS_UNREACHED;
	for (uint32_t c = body->first_call[block]; c < body->first_call[block + 1] && locks != LOCKS_UNREACHED; c++) {
		if (flow->program.calls[c].may_throw)
			*thrown = flow_locks_throw(flow, locks, &flow->program.calls[c]);
		locks = flow_walk_call(flow, number, c, locks);
	}
	return locks;
}

static void leave(struct flow *flow, uint32_t number, uint32_t block, uint32_t locks)
{
	const struct whole_function *function = &flow->program.whole->function[flow->walk.contexts[number].function];
	const struct whole_block *row = &flow->program.whole->block[function->first_block + block];
	uint32_t last = row->first_instruction + row->instruction_count - 1;
	if (!row->instruction_count || flow->program.whole->instruction[last].op != WHOLE_RETURN)
		return;
	ask_end_functions(flow, number, WHOLE_NONE);
	uint32_t returned = flow_locks_at_return(flow, locks, last);
	struct flow_context *context = &flow->walk.contexts[number];
	uint32_t both = flow_locks_meet(flow, context->exit, returned);
	if (both == context->exit)
		return;
	context->exit = both;
	for (uint32_t i = 0; i < context->callers.count; i++)
		queue(flow, context->callers.items[i]);
}

static void walk_context(struct flow *flow, uint32_t number)
{
	if (flow->walk.contexts[number].crowd != WHOLE_NONE) {
		walk_crowd(flow, number);
		return;
	}
	uint32_t function = flow->walk.contexts[number].function;
	uint32_t first_block = flow->program.whole->function[function].first_block;
	const struct flow_body *body = &flow->program.bodies[function];
	bool is_changed = true;
	if (!body->graph.node_count)
		return;
	reach(flow, &flow->walk.contexts[number], 0, flow->walk.contexts[number].entry, &is_changed);
	while (is_changed) {
		is_changed = false;
		for (uint32_t i = 0; i < body->reached; i++) {
			uint32_t block = body->order[i], thrown;
			if (flow->walk.contexts[number].blocks[block] == LOCKS_UNREACHED)
				continue;
			flow->walk.steps++;
			uint32_t locks = walk_block(flow, number, block, &thrown);
			if (locks != LOCKS_UNREACHED)
				leave(flow, number, block, locks);
			for (uint32_t e = body->graph.first[block]; e < body->graph.first[block + 1]; e++) {
				uint32_t successor = e - body->graph.first[block], to = body->graph.targets[e];
				uint32_t over = successor == 1 && thrown != LOCKS_UNREACHED ? thrown : locks;
				if (over == LOCKS_UNREACHED)
					continue;
				over = flow_locks_edge(flow, over, first_block + block, successor, first_block + to);
				if (over != LOCKS_UNREACHED)
					reach(flow, &flow->walk.contexts[number], to, over, &is_changed);
			}
		}
	}
}

/* ---- what is alive in each context ---- */

struct spreading {
	struct flow *flow;
	uint32_t context, next_edge;
	uint64_t *scratch;
};

static void spread_to(struct flow *flow, uint32_t context, const uint64_t *set)
{
	if (flow_bits_add(flow->walk.contexts[context].alive, set, flow->threads.words))
		queue(flow, context);
}

static void spread(void *context, uint32_t call, const uint64_t *set)
{
	struct spreading *s = context;
	const struct flow_context *from = &s->flow->walk.contexts[s->context];
	memcpy(s->scratch, set, s->flow->threads.words * sizeof *set);
	if (call != WHOLE_NONE)
		flow_alive_start(s->flow, call, s->scratch);
	for (uint32_t e = 0; e < from->edge_count; e++)
		if (from->edges[e].call == call)
			spread_to(s->flow, from->edges[e].context, s->scratch);
}

static void spread_context(struct flow *flow, uint32_t number, uint64_t *set, uint64_t *scratch)
{
	uint32_t function = flow->walk.contexts[number].function;
	if (!flow->alive.is_thread_relevant[function] || flow->walk.contexts[number].crowd != WHOLE_NONE) {
		for (uint32_t e = 0; e < flow->walk.contexts[number].edge_count; e++)
			spread_to(flow, flow->walk.contexts[number].edges[e].context,
				  flow->walk.contexts[number].alive);
		return;
	}
	struct spreading s = { .flow = flow, .context = number, .scratch = scratch };
	for (uint32_t i = 0; i < flow->program.bodies[function].reached; i++) {
		uint32_t block = flow->program.bodies[function].order[i];
		if (flow_alive_at(flow, function, block, flow->walk.contexts[number].alive, set))
			flow_alive_block(flow, function, block, set, spread, &s);
	}
}

/* Roots begin with nothing held; and with what analysis/flow/concurrent.c found alive at the first thread's functions. */
static void start_root(struct flow *flow, uint32_t root, const struct flow_ids *functions)
{
	for (uint32_t i = 0; i < functions->count; i++) {
		uint32_t function = functions->items[i];
		uint32_t number = find_context(flow, root, function, LOCKS_NONE);
		const uint64_t *at_entry =
			flow->alive.at_entry[(size_t)root * flow->program.whole->function_count + function];
		if (!flow->walk.is_recording)
			continue;
		flow->walk.contexts[number].is_live = true;
		queue(flow, number);
		if (at_entry)
			flow_bits_add(flow->walk.contexts[number].alive, at_entry, flow->threads.words);
	}
}

static void start_roots(struct flow *flow)
{
	start_root(flow, 0, &flow->threads.first_functions);
	start_root(flow, 0, &flow->threads.exported_functions);
	for (uint32_t r = 1; r < flow->threads.root_count; r++) {
		uint32_t function = flow->threads.roots[r].function;
		start_root(flow, r, &(struct flow_ids){ .items = &function, .count = 1 });
	}
}

static void solve_alive(struct flow *flow)
{
	uint64_t *set = mem_alloc(flow->threads.words * sizeof *set),
		 *scratch = mem_alloc(flow->threads.words * sizeof *set);
	for (uint32_t c = 0; c < flow->walk.context_count; c++)
		if (flow->walk.contexts[c].is_live)
			queue(flow, c);
	while (flow->walk.todo.count) {
		spread_context(flow, take_next(flow), set, scratch);
	}
	free(set);
	free(scratch);
}

static void record_context(struct flow *flow, uint32_t number)
{
	if (flow->walk.contexts[number].crowd != WHOLE_NONE) {
		walk_crowd(flow, number);
		return;
	}
	const struct flow_body *body = &flow->program.bodies[flow->walk.contexts[number].function];
	flow->walk.live_count++;
	for (uint32_t i = 0; i < body->reached; i++) {
		uint32_t block = body->order[i], thrown;
		if (flow->walk.contexts[number].blocks[block] == LOCKS_UNREACHED)
			continue;
		uint32_t locks = walk_block(flow, number, block, &thrown);
		if (locks != LOCKS_UNREACHED)
			leave(flow, number, block, locks);
	}
}

void flow_walk(struct flow *flow)
{
	size_t count = (size_t)flow->threads.root_count * flow->program.whole->function_count + 1;
	flow->walk.contexts_of = mem_alloc(count * sizeof *flow->walk.contexts_of);
	start_roots(flow);
	while (flow->walk.todo.count)
		walk_context(flow, take_next(flow));
	/* Once more, to know who calls whom. No result changes any more; contexts that were entered on the way to it only are not. */
	flow->walk.is_recording = true;
	start_roots(flow);
	while (flow->walk.todo.count)
		record_context(flow, take_next(flow));
	solve_alive(flow);
	flow->walk.is_recording = false;
}

void flow_walk_release(struct flow *flow)
{
	for (uint32_t c = 0; c < flow->walk.context_count; c++) {
		free(flow->walk.contexts[c].blocks);
		free(flow->walk.contexts[c].edges);
		free(flow->walk.contexts[c].alive);
		flow_ids_release(&flow->walk.contexts[c].callers);
	}
	size_t count =
		flow->walk.contexts_of ? (size_t)flow->threads.root_count * flow->program.whole->function_count : 0;
	for (size_t i = 0; i < count; i++)
		flow_ids_release(&flow->walk.contexts_of[i]);
	flow_interned_release(&flow->walk.caller_pairs);
	flow_interned_release(&flow->walk.done_keys);
	flow_interned_release(&flow->walk.done_entries);
	flow_ids_release(&flow->walk.done_counts);
	flow_ids_release(&flow->walk.done_contexts);
	flow_interned_release(&flow->walk.crowd_locks);
	flow_interned_release(&flow->walk.crowd_entries);
	flow_ids_release(&flow->walk.crowd_after);
	flow_ids_release(&flow->walk.crowd_contexts);
	free(flow->walk.contexts_of);
	free(flow->walk.contexts);
	flow_ids_release(&flow->walk.todo);
}
