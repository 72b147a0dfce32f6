/*
 * graph_test.c: known graphs, and random ones against definitions that are slow and obvious. `graph_test known` prints
 * results to compare; `graph_test fuzz N` checks N graphs and prints the first that differs.
 */
#include "analysis/program/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 12, MAX_EDGES = 40 };

struct edges {
	uint32_t node_count, edge_count;
	uint32_t from[MAX_EDGES], to[MAX_EDGES];
};

static struct graph make(const struct edges *edges)
{
	struct graph graph = { .node_count = edges->node_count };
	graph.first = calloc(edges->node_count + 1, sizeof *graph.first);
	graph.targets = calloc(edges->edge_count + 1, sizeof *graph.targets);
	uint32_t count = 0;
	for (uint32_t n = 0; n < edges->node_count; n++) {
		graph.first[n] = count;
		for (uint32_t i = 0; i < edges->edge_count; i++)
			if (edges->from[i] == n)
				graph.targets[count++] = edges->to[i];
	}
	graph.first[edges->node_count] = count;
	return graph;
}

/* Which nodes can be reached from `from`, not through `without` (GRAPH_NONE: none); bit n. */
static uint32_t reach(const struct edges *edges, uint32_t from, uint32_t without)
{
	uint32_t seen = from == without ? 0 : 1u << from, before;
	do {
		before = seen;
		for (uint32_t i = 0; i < edges->edge_count; i++)
			if ((seen >> edges->from[i] & 1) && edges->to[i] != without)
				seen |= 1u << edges->to[i];
	} while (seen != before);
	return seen;
}

static bool slow_dominates(const struct edges *edges, uint32_t over, uint32_t under)
{
	return over == under || !(reach(edges, 0, over) >> under & 1);
}

/* Whether every way from `from` to an end passes `by`; ends are nodes without successors and those of cycles without exit. */
static bool slow_post_dominates(const struct edges *edges, uint32_t by, uint32_t from)
{
	if (by == from)
		return true;
	uint32_t seen = reach(edges, from, by);
	for (uint32_t n = 0; n < edges->node_count; n++) {
		if (!(seen >> n & 1))
			continue;
		/* An end: all that n reaches also reaches n. */
		bool is_end = true;
		for (uint32_t m = 0; m < edges->node_count; m++)
			if ((reach(edges, n, GRAPH_NONE) >> m & 1) && !(reach(edges, m, GRAPH_NONE) >> n & 1))
				is_end = false;
		if (is_end)
			return false;
	}
	return true;
}

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			printf("line %d: %s\n", __LINE__, #condition);                                                 \
			return false;                                                                                  \
		}                                                                                                      \
	} while (0)

static bool check_order(const struct edges *edges, const struct graph *graph)
{
	uint32_t order[MAX_NODES], all = reach(edges, 0, GRAPH_NONE), seen = 0;
	uint32_t count = graph_order(graph, 0, order);
	CHECK(order[0] == 0);
	for (uint32_t i = 0; i < count; i++) {
		CHECK(!(seen >> order[i] & 1));
		seen |= 1u << order[i];
		/* Each but the first has an edge from an earlier one. */
		bool has_earlier = i == 0;
		for (uint32_t e = 0; e < edges->edge_count; e++)
			for (uint32_t j = 0; j < i; j++)
				has_earlier |= edges->from[e] == order[j] && edges->to[e] == order[i];
		CHECK(has_earlier);
	}
	CHECK(seen == all);
	return true;
}

static bool check_dominators(const struct edges *edges, const struct graph *graph)
{
	uint32_t parent[MAX_NODES], post[MAX_NODES], all = reach(edges, 0, GRAPH_NONE);
	graph_dominators(graph, 0, parent);
	graph_post_dominators(graph, 0, post);
	for (uint32_t n = 0; n < edges->node_count; n++) {
		if (!(all >> n & 1)) {
			CHECK(parent[n] == GRAPH_NONE && post[n] == GRAPH_NONE);
			continue;
		}
		for (uint32_t over = 0; over < edges->node_count; over++) {
			if (!(all >> over & 1))
				continue;
			CHECK(graph_dominates(parent, over, n) == slow_dominates(edges, over, n));
			CHECK(graph_dominates(post, over, n) == slow_post_dominates(edges, over, n));
		}
	}
	return true;
}

static bool check_components(const struct edges *edges, const struct graph *graph)
{
	uint32_t component[MAX_NODES];
	bool is_cycle[MAX_NODES];
	uint32_t count = graph_components(graph, component, is_cycle);
	for (uint32_t a = 0; a < edges->node_count; a++) {
		bool on_cycle = false;
		CHECK(component[a] < count);
		for (uint32_t b = 0; b < edges->node_count; b++) {
			bool is_mutual = (reach(edges, a, GRAPH_NONE) >> b & 1) && (reach(edges, b, GRAPH_NONE) >> a & 1);
			CHECK((component[a] == component[b]) == is_mutual);
			on_cycle |= is_mutual && a != b;
		}
		for (uint32_t e = 0; e < edges->edge_count; e++) {
			on_cycle |= edges->from[e] == a && edges->to[e] == a;
			CHECK(component[edges->from[e]] >= component[edges->to[e]]);
		}
		CHECK(is_cycle[component[a]] == on_cycle);
	}
	return true;
}

static bool is_back(const struct edges *edges, uint32_t e, uint32_t all)
{
	return (all >> edges->from[e] & 1) && slow_dominates(edges, edges->to[e], edges->from[e]);
}

/* Without the edges that lead to a dominator, is there still a cycle? */
static bool slow_irreducible(const struct edges *edges, uint32_t all)
{
	struct edges rest = { .node_count = edges->node_count };
	for (uint32_t e = 0; e < edges->edge_count; e++)
		if ((all >> edges->from[e] & 1) && !is_back(edges, e, all)) {
			rest.from[rest.edge_count] = edges->from[e];
			rest.to[rest.edge_count++] = edges->to[e];
		}
	for (uint32_t e = 0; e < rest.edge_count; e++)
		if (reach(&rest, rest.to[e], GRAPH_NONE) >> rest.from[e] & 1)
			return true;
	return false;
}

/* The natural loop of a header: it, and all that reaches one of its back edges without it. 0 when it has none. */
static uint32_t slow_loop(const struct edges *edges, uint32_t header, uint32_t all)
{
	uint32_t loop = 0;
	for (uint32_t e = 0; e < edges->edge_count; e++) {
		if (edges->to[e] != header || !is_back(edges, e, all))
			continue;
		loop |= 1u << header;
		for (uint32_t n = 0; n < edges->node_count; n++)
			if ((all >> n & 1) && n != header && (reach(edges, n, header) >> edges->from[e] & 1))
				loop |= 1u << n;
	}
	return loop;
}

static bool check_loops(const struct edges *edges, const struct graph *graph)
{
	uint32_t loop_of[MAX_NODES], outer[MAX_NODES], all = reach(edges, 0, GRAPH_NONE), loops[MAX_NODES];
	bool is_irreducible;
	graph_loops(graph, 0, loop_of, outer, &is_irreducible);
	CHECK(is_irreducible == slow_irreducible(edges, all));
	for (uint32_t n = 0; n < edges->node_count; n++) {
		/* In any graph: to be in a loop is to be on a cycle. */
		bool on_cycle = false;
		for (uint32_t e = 0; e < edges->edge_count; e++)
			on_cycle |= (all >> n & 1) && edges->from[e] == n && (reach(edges, edges->to[e], GRAPH_NONE) >> n & 1);
		CHECK((loop_of[n] != GRAPH_NONE) == on_cycle);
		loops[n] = slow_loop(edges, n, all);
	}
	if (is_irreducible)
		return true;
	for (uint32_t n = 0; n < edges->node_count; n++) {
		uint32_t inner = GRAPH_NONE, around = GRAPH_NONE;
		for (uint32_t h = 0; h < edges->node_count; h++) {
			if ((loops[h] >> n & 1) &&
			    (inner == GRAPH_NONE || __builtin_popcount(loops[h]) < __builtin_popcount(loops[inner])))
				inner = h;
			if (h != n && loops[n] && (loops[h] >> n & 1) &&
			    (around == GRAPH_NONE || __builtin_popcount(loops[h]) < __builtin_popcount(loops[around])))
				around = h;
		}
		CHECK(loop_of[n] == inner);
		if (loops[n])
			CHECK(outer[n] == around);
	}
	return true;
}

static bool check_reverse(const struct edges *edges, const struct graph *graph)
{
	struct graph reversed;
	graph_reverse(graph, &reversed);
	uint32_t found = 0;
	for (uint32_t n = 0; n < edges->node_count; n++)
		for (uint32_t i = reversed.first[n]; i < reversed.first[n + 1]; i++)
			for (uint32_t e = 0; e < edges->edge_count; e++)
				if (edges->from[e] == reversed.targets[i] && edges->to[e] == n) {
					found++;
					break;
				}
	bool is_whole = found == edges->edge_count && reversed.first[edges->node_count] == edges->edge_count;
	graph_release(&reversed);
	CHECK(is_whole);
	return true;
}

static uint64_t random_state = 88172645463325252ull;

static uint32_t below(uint32_t bound)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % bound;
}

static int fuzz(long count)
{
	long irreducible = 0;
	for (long round = 0; round < count; round++) {
		struct edges edges = { .node_count = 1 + below(MAX_NODES) };
		edges.edge_count = below(2 * edges.node_count + 1);
		for (uint32_t e = 0; e < edges.edge_count; e++) {
			edges.from[e] = below(edges.node_count);
			edges.to[e] = below(edges.node_count);
		}
		struct graph graph = make(&edges);
		bool is_good = check_order(&edges, &graph) && check_dominators(&edges, &graph) &&
			       check_components(&edges, &graph) && check_loops(&edges, &graph) && check_reverse(&edges, &graph);
		irreducible += slow_irreducible(&edges, reach(&edges, 0, GRAPH_NONE));
		graph_release(&graph);
		if (!is_good) {
			printf("graph %ld of %" PRIu32 " nodes:", round, edges.node_count);
			for (uint32_t e = 0; e < edges.edge_count; e++)
				printf(" %" PRIu32 ">%" PRIu32, edges.from[e], edges.to[e]);
			printf("\n");
			return 1;
		}
	}
	printf("%s\n", irreducible > count / 100 && irreducible < count / 2 ? "both kinds" : "one kind only");
	return 0;
}

static void print(const char *name, const uint32_t *values, uint32_t count)
{
	printf("%s", name);
	for (uint32_t i = 0; i < count; i++)
		if (values[i] == GRAPH_NONE)
			printf(" -");
		else
			printf(" %" PRIu32, values[i]);
	printf("\n");
}

/* An if in a loop in a loop, and a way out of the middle:
 * 0 > 1; 1 > 2, 7; 2 > 3, 4; 3 > 5; 4 > 5; 5 > 2, 6; 6 > 1, 8; 7 and 8 are ends; 9 is not reached. */
static int known(void)
{
	struct edges edges = { .node_count = 10 };
	static const char text[] = "01 12 17 23 24 35 45 52 56 61 68 91";
	for (size_t i = 0; i < sizeof text; i += 3) {
		edges.from[edges.edge_count] = (uint32_t)(text[i] - '0');
		edges.to[edges.edge_count++] = (uint32_t)(text[i + 1] - '0');
	}
	struct graph graph = make(&edges);
	uint32_t a[MAX_NODES], b[MAX_NODES];
	bool is_irreducible;
	graph_dominators(&graph, 0, a);
	print("dominators", a, 10);
	graph_post_dominators(&graph, 0, a);
	print("post-dominators", a, 10);
	graph_loops(&graph, 0, a, b, &is_irreducible);
	print("loops", a, 10);
	print("outer", b, 10);
	printf("%s\n", is_irreducible ? "irreducible" : "reducible");
	graph_release(&graph);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "known"))
		return known();
	if (argc == 3 && !strcmp(argv[1], "fuzz"))
		return fuzz(strtol(argv[2], NULL, 10));
	return 2;
}
