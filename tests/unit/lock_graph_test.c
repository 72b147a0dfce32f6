/* lock_graph_test.c: cycles that are there and cycles that are none. Prints what each case found, one line a cycle. */
#include "model/lock_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool print(void *context, const size_t *cycle, size_t size)
{
	const struct lock_edge *edges = context;
	for (size_t i = 0; i < size; i++)
		printf("%s%" PRIu32 ":%" PRIu64 ">%" PRIu64, i ? " " : "", edges[cycle[i]].thread, edges[cycle[i]].from,
		       edges[cycle[i]].to);
	printf("\n");
	return true;
}

static bool run(const struct lock_edge *edges, size_t count, uint64_t limit)
{
	return lock_graph_cycles(edges, count, limit, print, (void *)edges);
}

#define RUN(edges) run(edges, sizeof(edges) / sizeof *(edges), 1000000)

static void simple(void)
{
	const struct lock_edge edges[] = { { .thread = 1, .from = 1, .to = 2 }, { .thread = 2, .from = 2, .to = 1 } };
	RUN(edges);
}

static void same_thread(void)
{
	const struct lock_edge edges[] = { { .thread = 1, .from = 1, .to = 2 }, { .thread = 1, .from = 2, .to = 1 } };
	RUN(edges);
}

static void same_order(void)
{
	const struct lock_edge edges[] = { { .thread = 1, .from = 1, .to = 2 }, { .thread = 2, .from = 1, .to = 2 } };
	RUN(edges);
}

static void gate(void)
{
	const uint64_t others[] = { 8, 9 }, one[] = { 9 };
	const struct lock_edge edges[] = {
		{ .thread = 1, .from = 1, .to = 2, .others = others, .other_count = 2 },
		{ .thread = 2, .from = 2, .to = 1, .others = one, .other_count = 1 },
	};
	RUN(edges);
}

static void no_gate(void)
{
	const uint64_t a[] = { 8 }, b[] = { 9 };
	const struct lock_edge edges[] = {
		{ .thread = 1, .from = 1, .to = 2, .others = a, .other_count = 1 },
		{ .thread = 2, .from = 2, .to = 1, .others = b, .other_count = 1 },
	};
	RUN(edges);
}

/* More than a word has bits. */
static void gate_of_many(void)
{
	uint64_t a[100], b[100];
	for (uint64_t i = 0; i < 100; i++) {
		a[i] = 1000 + i;
		b[i] = 2000 + i;
	}
	struct lock_edge edges[] = {
		{ .thread = 1, .from = 1, .to = 2, .others = a, .other_count = 100 },
		{ .thread = 2, .from = 2, .to = 1, .others = b, .other_count = 100 },
	};
	RUN(edges);
	b[99] = a[70];
	RUN(edges);
}

static void readers(void)
{
	/* Both wait for who reads, to read. */
	const struct lock_edge none[] = {
		{ .thread = 1, .from = 1, .is_from_shared = true, .to = 2, .is_to_shared = true },
		{ .thread = 2, .from = 2, .is_from_shared = true, .to = 1, .is_to_shared = true },
	};
	const struct lock_edge writers[] = {
		{ .thread = 1, .from = 1, .is_from_shared = true, .to = 2 },
		{ .thread = 2, .from = 2, .is_from_shared = true, .to = 1 },
	};
	RUN(none);
	RUN(writers);
}

static void before(void)
{
	const struct lock_before seen[] = { { .slot = 3, .clock = 1 }, { .slot = 1, .clock = 5 } };
	const struct lock_edge after[] = {
		{ .thread = 1, .from = 1, .to = 2, .when = { 1, 5 } },
		{ .thread = 2, .from = 2, .to = 1, .when = { 2, 1 }, .before = seen, .before_count = 2 },
	};
	const struct lock_edge later[] = {
		{ .thread = 1, .from = 1, .to = 2, .when = { 1, 6 } },
		{ .thread = 2, .from = 2, .to = 1, .when = { 2, 1 }, .before = seen, .before_count = 2 },
	};
	RUN(after);
	RUN(later);
}

static void three(void)
{
	const struct lock_edge edges[] = {
		{ .thread = 3, .from = 3, .to = 1 },
		{ .thread = 1, .from = 1, .to = 2 },
		{ .thread = 2, .from = 2, .to = 3 },
		{ .thread = 4, .from = 2, .to = 9 },
	};
	RUN(edges);
}

static void limit(void)
{
	struct lock_edge edges[64];
	for (uint32_t i = 0; i < 64; i++)
		edges[i] = (struct lock_edge){ .thread = i + 1, .from = i % 8, .to = (i + 1) % 8 };
	printf("%s\n", run(edges, 64, 1000) ? "done" : "cut off");
}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "simple", simple },   { "same-thread", same_thread }, { "same-order", same_order },
		{ "gate", gate },       { "no-gate", no_gate },         { "many", gate_of_many },
		{ "readers", readers }, { "before", before },           { "three", three },
		{ "limit", limit },
	};
	for (size_t i = 0; count == 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(cases[i].name, arguments[1]) == 0) {
			cases[i].run();
			return 0;
		}
	return 2;
}
