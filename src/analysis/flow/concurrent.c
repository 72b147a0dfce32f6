/*
 * concurrent.c: which roots may be alive concurrently. While a thread runs, two kinds of threads may be alive: those
 * that it or its descendants started (analysis/flow/alive.c knows where), and those that other threads started. The
 * second kind is one set for each root. When a thread P starts X while A, a set of threads that P started, is alive,
 * then X and all its descendants are concurrent with A, with P itself, and with all that P is concurrent with; and each
 * member of A is concurrent with X and its descendants. The ancestors of P count X among what P may start: the set of
 * descendants is alive as a whole from the start of P on. A root that is concurrent with itself has many threads at a
 * time.
 * Input and result: struct flow_alive, the state that it shares with alive.c (alive.h says how); of it this file writes at_entry,
 * concurrent_roots and is_void.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/flow/alive.h"
#include "analysis/flow/arguments.h"
#include "analysis/flow/joins.h"
#include "analysis/flow/program.h"
#include "analysis/flow/threads.h"
#include "base/mem.h"

/* X is started by a thread of `by` while `before` is alive. */
struct start {
	uint32_t by, root;
	uint64_t *before;
};

struct concurrency {
	struct flow_alive *alive;
	uint32_t root, function;
	struct flow_ids todo; /* functions */
	bool *is_queued;
	struct start *starts;
	uint32_t start_count, start_room;
	uint64_t *scratch;
};

static size_t set_bytes(const struct flow_threads *threads)
{
	return threads->words * sizeof(uint64_t);
}

static uint64_t **alive_of(const struct flow_alive *alive, uint32_t root, uint32_t function)
{
	return &alive->at_entry[(size_t)root * alive->in.program->whole->function_count + function];
}

/* ---- what is alive where functions are entered ---- */

static void enter(struct concurrency *b, uint32_t function, const uint64_t *set)
{
	uint64_t **known = alive_of(b->alive, b->root, function);
	bool is_new = !*known;
	if (is_new)
		*known = mem_alloc(set_bytes(b->alive->in.threads));
	if ((flow_bits_add(*known, set, b->alive->in.threads->words) || is_new) && !b->is_queued[function]) {
		b->is_queued[function] = true;
		flow_ids_add(&b->todo, function);
	}
}

static void enter_callees(void *context, uint32_t call, const uint64_t *set)
{
	struct concurrency *b = context;
	const struct flow_program *program = b->alive->in.program;
	const struct flow_threads *threads = b->alive->in.threads;
	const struct flow_ids *lists[2];
	uint32_t count = flow_end_functions(program, threads, b->root, b->function, call, lists);
	for (uint32_t l = 0; l < count; l++)
		for (uint32_t i = 0; i < lists[l]->count; i++)
			enter(b, lists[l]->items[i], set);
	if (call == WHOLE_NONE)
		return;
	const struct flow_call *row = &program->calls[call];
	memcpy(b->scratch, set, set_bytes(threads));
	flow_alive_start(b->alive, call, b->scratch);
	for (uint32_t t = 0; t < row->target_count; t++)
		if (flow_may_call(b->alive->in.arguments, b->root, call, program->targets.items[row->first_target + t]))
			enter(b, program->targets.items[row->first_target + t], b->scratch);
}

static void walk(struct concurrency *b, uint32_t function, flow_alive_each *each)
{
	const struct flow_program *program = b->alive->in.program;
	const struct flow_threads *threads = b->alive->in.threads;
	struct flow_alive *alive = b->alive;
	uint64_t *set = mem_alloc(set_bytes(threads)), *entry = mem_alloc(set_bytes(threads));
	memcpy(entry, *alive_of(alive, b->root, function), set_bytes(threads));
	b->function = function;
	for (uint32_t i = 0; i < program->bodies[function].reached; i++) {
		uint32_t block = program->bodies[function].order[i];
		if (flow_alive_at(alive, function, block, entry, set))
			flow_alive_block(alive, function, block, set, each, b);
	}
	free(set);
	free(entry);
}

static void enter_first(struct concurrency *b)
{
	const struct flow_threads *threads = b->alive->in.threads;
	struct flow_alive *alive = b->alive;
	uint64_t *set = mem_alloc(set_bytes(threads));
	if (b->root > 0) {
		enter(b, threads->roots[b->root].function, set);
	} else {
		/* What constructors left alive; and for functions that any code may call, what any of them ever
		 * started. */
		for (uint32_t i = 0; i < threads->first_functions.count; i++) {
			uint32_t f = threads->first_functions.items[i];
			if (f != threads->roots[0].function && alive->is_thread_relevant[f])
				flow_bits_add(set, alive->changes[f].gen, threads->words);
		}
		for (uint32_t i = 0; i < threads->first_functions.count; i++)
			enter(b, threads->first_functions.items[i], set);
		flow_bits_add(set, flow_row(threads, threads->started, 0), threads->words);
		for (uint32_t i = 0; i < threads->exported_functions.count; i++)
			enter(b, threads->exported_functions.items[i], set);
	}
	free(set);
}

static void solve_entries(struct concurrency *b)
{
	for (b->root = 0; b->root < b->alive->in.threads->root_count; b->root++) {
		enter_first(b);
		while (b->todo.count) {
			uint32_t function = b->todo.items[--b->todo.count];
			b->is_queued[function] = false;
			walk(b, function, enter_callees);
		}
	}
}

/* ---- which root starts which, and when ---- */

static void add_start(struct concurrency *b, uint32_t root, const uint64_t *before)
{
	b->starts = flow_grow(b->starts, b->start_count, &b->start_room, sizeof *b->starts);
	struct start *start = &b->starts[b->start_count++];
	*start = (struct start){ .by = b->root, .root = root, .before = mem_alloc(set_bytes(b->alive->in.threads)) };
	memcpy(start->before, before, set_bytes(b->alive->in.threads));
	/* Installing a handler again does not make it run concurrently with itself. */
	if (b->alive->in.threads->roots[root].kind == FLOW_HANDLER)
		start->before[root / 64] &= ~(UINT64_C(1) << root % 64);
}

static void see_starts(void *context, uint32_t call, const uint64_t *set)
{
	struct concurrency *b = context;
	const struct flow_threads *threads = b->alive->in.threads;
	struct flow_range starts = call == WHOLE_NONE ? (struct flow_range){ 0 } : threads->creates_of[call];
	for (uint32_t c = 0; c < starts.count; c++) {
		memcpy(b->scratch, set, set_bytes(threads));
		/* One call that starts several: each may come after the others. */
		for (uint32_t o = 0; o < starts.count; o++)
			for (uint32_t r = 0; o != c && r < threads->creates[starts.first + o].roots.count; r++)
				flow_bits_add(b->scratch,
					      flow_row(threads, threads->descendants,
						       threads->creates[starts.first + o].roots.items[r]),
					      threads->words);
		for (uint32_t r = 0; r < threads->creates[starts.first + c].roots.count; r++)
			add_start(b, threads->creates[starts.first + c].roots.items[r], b->scratch);
	}
}

static void find_starts(struct concurrency *b)
{
	for (b->root = 0; b->root < b->alive->in.threads->root_count; b->root++)
		for (uint32_t f = 0; f < b->alive->in.program->whole->function_count; f++)
			if (*alive_of(b->alive, b->root, f) && b->alive->is_thread_relevant[f])
				walk(b, f, see_starts);
}

/* Makes all roots in `which` concurrent with those in `more`. */
static bool add_concurrent(struct flow_alive *alive, const uint64_t *which, const uint64_t *more)
{
	const struct flow_threads *threads = alive->in.threads;
	bool is_changed = false;
	for (uint32_t r = 0; r < threads->root_count; r++)
		if (flow_bit_has(which, r))
			is_changed |=
				flow_bits_add(flow_row(threads, alive->concurrent_roots, r), more, threads->words);
	return is_changed;
}

/* Calls that start threads again and again. */
static void repeat(struct flow_alive *alive)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	for (uint32_t c = 0; c < threads->create_count; c++) {
		const struct flow_create *create = &threads->creates[c];
		const struct model *model = program->calls[flow_call_at(program, create->inner)].model;
		for (uint32_t r = 0; model && model->routine_kind == MODEL_IN_EVENT && r < create->roots.count; r++)
			flow_bit_add(flow_row(threads, alive->concurrent_roots, create->roots.items[r]),
				     create->roots.items[r]);
	}
}

static void solve_concurrent(struct concurrency *b)
{
	const struct flow_threads *threads = b->alive->in.threads;
	struct flow_alive *alive = b->alive;
	memset(alive->concurrent_roots, 0, threads->root_count * set_bytes(threads));
	for (uint32_t r = 0; r < threads->root_count; r++)
		if (threads->roots[r].kind == FLOW_TEAM || threads->roots[r].kind == FLOW_EXPORTED ||
		    threads->roots[r].kind == FLOW_FOREIGN ||
		    (threads->roots[r].kind == FLOW_HANDLER && threads->has_threads))
			flow_bit_add(flow_row(threads, alive->concurrent_roots, r), r);
	repeat(alive);
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t s = 0; s < b->start_count; s++) {
			const struct start *start = &b->starts[s];
			const uint64_t *started = flow_row(threads, threads->descendants, start->root);
			memcpy(b->scratch, start->before, set_bytes(threads));
			flow_bits_add(b->scratch, flow_row(threads, alive->concurrent_roots, start->by),
				      threads->words);
			/* The thread that starts a team is a member of it. It goes on after the team, concurrently with
			 * the threads that the team leaves running. */
			if (threads->roots[start->root].kind != FLOW_TEAM)
				flow_bit_add(b->scratch, start->by);
			is_changed |= add_concurrent(alive, started, b->scratch);
			flow_bit_add(b->scratch, start->by);
			is_changed |=
				add_concurrent(alive, flow_row(threads, alive->leftover, start->root), b->scratch);
			is_changed |= add_concurrent(alive, start->before, started);
		}
		for (uint32_t r = 0; r < threads->root_count; r++) {
			const uint64_t *all = flow_row(threads, threads->descendants, r);
			if (flow_bit_has(flow_row(threads, alive->concurrent_roots, r), r))
				is_changed |= add_concurrent(alive, all, all);
		}
	}
}

/* ---- joins that do not hold ---- */

static bool has_any(const uint64_t *set, const struct flow_ids *roots)
{
	for (uint32_t i = 0; i < roots->count; i++)
		if (flow_bit_has(set, roots->items[i]))
			return true;
	return false;
}

/* Whether an earlier round of the loop may be alive when it begins. */
static bool is_alive_before_loop(const struct flow_alive *alive, const struct flow_join *join)
{
	const struct flow_threads *threads = alive->in.threads;
	uint64_t *set = mem_alloc(set_bytes(threads));
	bool is_alive = false;
	for (uint32_t r = 0; r < threads->root_count && !is_alive; r++) {
		const uint64_t *entry = *alive_of(alive, r, join->entry_function);
		if (!entry)
			continue;
		is_alive = has_any(flow_row(threads, alive->concurrent_roots, r), &join->roots);
		for (uint32_t i = 0; i + 1 < join->entries.count; i += 2) {
			uint32_t block = join->entries.items[i];
			if (!flow_alive_at(alive, join->entry_function, block, entry, set) ||
			    !flow_alive_block(alive, join->entry_function, block, set, NULL, NULL))
				continue;
			flow_alive_edge(alive, join->entry_function, block, join->entries.items[i + 1], set);
			is_alive |= has_any(set, &join->roots);
		}
	}
	free(set);
	return is_alive;
}

/* Whether a root may start threads of the join, or have handles of them on its stack. */
static bool may_have(const struct flow_alive *alive, uint32_t root, const struct flow_join *join)
{
	const struct flow_threads *threads = alive->in.threads;
	if (has_any(flow_row(threads, threads->started, root), &join->roots))
		return true;
	for (uint32_t i = 0; i < join->holders.count; i++)
		if (*alive_of(alive, root, join->holders.items[i]))
			return true;
	return false;
}

/* What is alive at any time in a block. */
struct gathering {
	uint64_t *set;
	uint32_t words;
};

static void add_alive(void *context, uint32_t call, const uint64_t *set)
{
	struct gathering *all = context;
	(void)call;
	flow_bits_add(all->set, set, all->words);
}

static bool may_be_alive_in(const struct flow_alive *alive, const struct flow_join *join, uint32_t root, uint32_t block)
{
	const struct flow_threads *threads = alive->in.threads;
	struct gathering all = { mem_alloc(set_bytes(threads)), threads->words };
	uint64_t *set = mem_alloc(set_bytes(threads));
	bool is_alive = false;
	if (flow_alive_at(alive, join->function, block, *alive_of(alive, root, join->function), set)) {
		flow_bits_add(all.set, set, threads->words);
		flow_alive_block(alive, join->function, block, set, add_alive, &all);
		flow_bits_add(all.set, set, threads->words);
		flow_bits_add(all.set, flow_row(threads, alive->concurrent_roots, root), threads->words);
		for (uint32_t r = 0; r < threads->root_count; r++)
			is_alive |= flow_bit_has(all.set, r) && may_have(alive, r, join);
	}
	free(set);
	free(all.set);
	return is_alive;
}

/* Whether others than the thread that waits, or finds something empty, which is of the root, may have such threads. */
static bool is_owned_elsewhere(const struct flow_alive *alive, const struct flow_join *join, uint32_t root)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	bool is_elsewhere = false;
	uint32_t first_block = program->whole->function[join->function].first_block;
	if (join->call != WHOLE_NONE)
		is_elsewhere |=
			may_be_alive_in(alive, join, root, program->whole->instruction[join->call].block - first_block);
	for (uint32_t e = 0; e < join->edges.count; e += 2)
		is_elsewhere |= may_be_alive_in(alive, join, root, join->edges.items[e]);
	for (uint32_t b = 0; b < join->rounds.count; b++)
		is_elsewhere |= may_be_alive_in(alive, join, root, join->rounds.items[b]);
	/* A container on the stack: when its function begins, there must be no other. */
	for (uint32_t r = 0; join->owner != WHOLE_NONE && r < threads->root_count; r++)
		if (*alive_of(alive, r, join->owner))
			is_elsewhere |= has_any(*alive_of(alive, r, join->owner), &join->roots) ||
					has_any(flow_row(threads, alive->concurrent_roots, r), &join->roots);
	return is_elsewhere;
}

static bool is_owned_void(const struct flow_alive *alive, const struct flow_join *join)
{
	bool is_void = false;
	for (uint32_t r = 0; (join->is_owned || join->is_distant) && r < alive->in.threads->root_count && !is_void; r++)
		is_void = *alive_of(alive, r, join->function) && is_owned_elsewhere(alive, join, r);
	return is_void;
}

static bool void_joins(struct flow_alive *alive)
{
	const struct flow_joins *joins = alive->in.joins;
	bool is_changed = false;
	for (uint32_t j = 0; j < joins->count; j++) {
		const struct flow_join *join = &joins->rows[j];
		bool is_void = join->call == WHOLE_NONE && !join->is_owned && is_alive_before_loop(alive, join);
		is_void |= is_owned_void(alive, join);
		for (uint32_t i = 0; i < join->roots.count; i++) {
			uint32_t root = join->roots.items[i];
			const uint64_t *concurrent = flow_row(alive->in.threads, alive->concurrent_roots, root);
			is_void |= join->is_one_of_all && has_any(concurrent, &join->roots);
			is_void |= join->is_one_of_each && flow_bit_has(concurrent, root);
		}
		if (is_void && !alive->is_void[j])
			alive->is_void[j] = is_changed = true;
	}
	return is_changed;
}

bool flow_concurrent_solve(struct flow_alive *alive)
{
	const struct flow_program *program = alive->in.program;
	const struct flow_threads *threads = alive->in.threads;
	struct concurrency b = { .alive = alive, .scratch = mem_alloc(set_bytes(threads)) };
	size_t sets = (size_t)threads->root_count * program->whole->function_count;
	b.is_queued = mem_alloc((size_t)program->whole->function_count + 1);
	for (size_t i = 0; i < sets; i++) {
		free(alive->at_entry[i]);
		alive->at_entry[i] = NULL;
	}
	solve_entries(&b);
	find_starts(&b);
	solve_concurrent(&b);
	for (uint32_t s = 0; s < b.start_count; s++)
		free(b.starts[s].before);
	free(b.starts);
	free(b.scratch);
	free(b.is_queued);
	flow_ids_release(&b.todo);
	return void_joins(alive);
}
