/* graph.c: the contracts are in graph.h. Nothing here calls itself: graphs of programs are deep. */
#include "analysis/program/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static uint32_t *new_words(size_t count)
{
	return mem_alloc((count ? count : 1) * sizeof(uint32_t));
}

static uint32_t *new_nones(size_t count)
{
	uint32_t *words = new_words(count);
	memset(words, 0xff, count * sizeof *words);
	return words;
}

void graph_release(struct graph *graph)
{
	free(graph->first);
	free(graph->targets);
	*graph = (struct graph){ 0 };
}

void graph_reverse(const struct graph *graph, struct graph *reversed)
{
	uint32_t count = graph->node_count, edges = graph->first[count];
	reversed->node_count = count;
	reversed->first = new_words((size_t)count + 1);
	reversed->targets = new_words(edges);
	for (uint32_t i = 0; i < edges; i++)
		reversed->first[graph->targets[i] + 1]++;
	for (uint32_t n = 0; n < count; n++)
		reversed->first[n + 1] += reversed->first[n];
	uint32_t *next = new_words(count);
	memcpy(next, reversed->first, count * sizeof *next);
	for (uint32_t n = 0; n < count; n++)
		for (uint32_t i = graph->first[n]; i < graph->first[n + 1]; i++)
			reversed->targets[next[graph->targets[i]]++] = n;
	free(next);
}

uint32_t graph_order(const struct graph *graph, uint32_t root, uint32_t *order)
{
	uint32_t count = graph->node_count, depth = 0, done = count;
	uint32_t *stack = new_words(count), *next = new_words(count);
	bool *is_seen = mem_alloc(count + 1);
	is_seen[root] = true;
	next[root] = graph->first[root];
	stack[depth++] = root;
	while (depth) {
		uint32_t node = stack[depth - 1];
		if (next[node] == graph->first[node + 1]) {
			order[--done] = node;
			depth--;
			continue;
		}
		uint32_t target = graph->targets[next[node]++];
		if (!is_seen[target]) {
			is_seen[target] = true;
			next[target] = graph->first[target];
			stack[depth++] = target;
		}
	}
	memmove(order, order + done, (count - done) * sizeof *order);
	free(stack);
	free(next);
	free(is_seen);
	return count - done;
}

void graph_dominators(const struct graph *graph, uint32_t root, uint32_t *parent)
{
	uint32_t count = graph->node_count;
	uint32_t *order = new_words(count), *number = new_nones(count);
	uint32_t reached = graph_order(graph, root, order);
	struct graph reversed;
	graph_reverse(graph, &reversed);
	for (uint32_t i = 0; i < reached; i++)
		number[order[i]] = i;
	memset(parent, 0xff, count * sizeof *parent);
	parent[root] = root;
	for (bool is_changed = true; is_changed;) {
		is_changed = false;
		for (uint32_t i = 1; i < reached; i++) {
			uint32_t node = order[i], best = GRAPH_NONE;
			for (uint32_t e = reversed.first[node]; e < reversed.first[node + 1]; e++) {
				uint32_t from = reversed.targets[e];
				if (number[from] == GRAPH_NONE || parent[from] == GRAPH_NONE)
					continue;
				if (best == GRAPH_NONE) {
					best = from;
					continue;
				}
				uint32_t a = best, b = from;
				while (a != b) {
					while (number[a] > number[b])
						a = parent[a];
					while (number[b] > number[a])
						b = parent[b];
				}
				best = a;
			}
			if (parent[node] != best) {
				parent[node] = best;
				is_changed = true;
			}
		}
	}
	parent[root] = GRAPH_NONE;
	graph_release(&reversed);
	free(order);
	free(number);
}

bool graph_dominates(const uint32_t *parent, uint32_t over, uint32_t under)
{
	while (under != over && under != GRAPH_NONE)
		under = parent[under];
	return under == over;
}

/* Nodes that the end follows: those without successors, and those of cycles that nothing leads out of. */
static void mark_last(const struct graph *graph, bool *is_last)
{
	uint32_t count = graph->node_count;
	uint32_t *component = new_words(count);
	uint32_t components = graph_components(graph, component, NULL);
	bool *leads_out = mem_alloc((size_t)components + 1);
	for (uint32_t n = 0; n < count; n++)
		for (uint32_t i = graph->first[n]; i < graph->first[n + 1]; i++)
			if (component[graph->targets[i]] != component[n])
				leads_out[component[n]] = true;
	for (uint32_t n = 0; n < count; n++)
		is_last[n] = !leads_out[component[n]];
	free(leads_out);
	free(component);
}

void graph_post_dominators(const struct graph *graph, uint32_t root, uint32_t *parent)
{
	uint32_t count = graph->node_count, edges = graph->first[count], added = 0;
	uint32_t *order = new_words(count);
	bool *is_last = mem_alloc((size_t)count + 1), *is_reached = mem_alloc((size_t)count + 1);
	uint32_t reached = graph_order(graph, root, order);
	for (uint32_t i = 0; i < reached; i++)
		is_reached[order[i]] = true;
	mark_last(graph, is_last);
	/* The same graph with one node more, after the last. */
	struct graph ended = { .node_count = count + 1,
			       .first = new_words((size_t)count + 2),
			       .targets = new_words((size_t)edges + count) };
	for (uint32_t n = 0; n < count; n++) {
		ended.first[n] = added;
		for (uint32_t i = graph->first[n]; is_reached[n] && i < graph->first[n + 1]; i++)
			ended.targets[added++] = graph->targets[i];
		if (is_reached[n] && is_last[n])
			ended.targets[added++] = count;
	}
	ended.first[count] = ended.first[count + 1] = added;
	struct graph reversed;
	graph_reverse(&ended, &reversed);
	uint32_t *parents = new_words((size_t)count + 1);
	graph_dominators(&reversed, count, parents);
	for (uint32_t n = 0; n < count; n++)
		parent[n] = parents[n] == count ? GRAPH_NONE : parents[n];
	free(parents);
	graph_release(&reversed);
	graph_release(&ended);
	free(order);
	free(is_last);
	free(is_reached);
}

/* Tarjan's algorithm over the nodes n for which level[n] == wanted (all, when level is null). */
struct components {
	const struct graph *graph;
	const uint32_t *level;
	uint32_t wanted, next_number, count;
	uint32_t *number, *low, *stack, *calls, *next;
	uint32_t stack_count, call_count;
	uint32_t *component; /* GRAPH_NONE until it has one */
};

static void components_init(struct components *c, const struct graph *graph, uint32_t *component)
{
	uint32_t count = graph->node_count;
	*c = (struct components){ .graph = graph, .component = component };
	c->number = new_nones(count);
	c->low = new_words(count);
	c->stack = new_words(count);
	c->calls = new_words(count);
	c->next = new_words(count);
	memset(component, 0xff, count * sizeof *component);
}

static void components_release(struct components *c)
{
	free(c->number);
	free(c->low);
	free(c->stack);
	free(c->calls);
	free(c->next);
}

static void components_enter(struct components *c, uint32_t node)
{
	c->number[node] = c->low[node] = c->next_number++;
	c->next[node] = c->graph->first[node];
	c->stack[c->stack_count++] = node;
	c->calls[c->call_count++] = node;
}

static void components_from(struct components *c, uint32_t root)
{
	components_enter(c, root);
	while (c->call_count) {
		uint32_t node = c->calls[c->call_count - 1];
		if (c->next[node] < c->graph->first[node + 1]) {
			uint32_t target = c->graph->targets[c->next[node]++];
			if (c->level && c->level[target] != c->wanted)
				continue;
			if (c->number[target] == GRAPH_NONE)
				components_enter(c, target);
			else if (c->component[target] == GRAPH_NONE && c->number[target] < c->low[node])
				c->low[node] = c->number[target];
			continue;
		}
		c->call_count--;
		if (c->call_count) {
			uint32_t caller = c->calls[c->call_count - 1];
			if (c->low[node] < c->low[caller])
				c->low[caller] = c->low[node];
		}
		if (c->low[node] != c->number[node])
			continue;
		uint32_t member;
		do {
			member = c->stack[--c->stack_count];
			c->component[member] = c->count;
		} while (member != node);
		c->count++;
	}
}

static void mark_cycles(const struct graph *graph, const uint32_t *component, uint32_t count, bool *is_cycle)
{
	uint32_t *sizes = new_words(count);
	memset(is_cycle, 0, count * sizeof *is_cycle);
	for (uint32_t n = 0; n < graph->node_count; n++) {
		if (++sizes[component[n]] > 1)
			is_cycle[component[n]] = true;
		for (uint32_t i = graph->first[n]; i < graph->first[n + 1]; i++)
			if (graph->targets[i] == n)
				is_cycle[component[n]] = true;
	}
	free(sizes);
}

uint32_t graph_components(const struct graph *graph, uint32_t *component, bool *is_cycle)
{
	struct components c;
	components_init(&c, graph, component);
	for (uint32_t n = 0; n < graph->node_count; n++)
		if (c.number[n] == GRAPH_NONE)
			components_from(&c, n);
	components_release(&c);
	if (is_cycle)
		mark_cycles(graph, component, c.count, is_cycle);
	return c.count;
}

/*
 * Loops are components: of the graph; then, of each one without its header; and so on. In a graph whose cycles all have a
 * header that dominates them that gives exactly the natural loops, those of one header as one. level[n] says with
 * which loop's inside n is to be examined: its header's number + 1; 0 at first; GRAPH_NONE when n is done.
 */
struct loops {
	const struct graph *graph;
	uint32_t *order, *number, *level;
	uint32_t reached;
	uint32_t *loop_of, *outer;
	uint32_t *todo; /* headers whose inside is to be examined; GRAPH_NONE: everything */
	uint32_t todo_count;
	bool is_irreducible;
};

static bool has_own_edge(const struct graph *graph, uint32_t node)
{
	for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
		if (graph->targets[i] == node)
			return true;
	return false;
}

/* The inside of one loop, whose nodes are members. */
static void split(struct loops *l, struct components *c, uint32_t around, const uint32_t *members,
		  uint32_t member_count)
{
	c->wanted = around == GRAPH_NONE ? 0 : around + 1;
	c->count = 0;
	uint32_t *header, *sizes;
	for (uint32_t i = 0; i < member_count; i++) {
		c->number[members[i]] = GRAPH_NONE;
		c->component[members[i]] = GRAPH_NONE;
	}
	for (uint32_t i = 0; i < member_count; i++)
		if (c->number[members[i]] == GRAPH_NONE)
			components_from(c, members[i]);
	header = new_nones(c->count);
	sizes = new_words(c->count);
	for (uint32_t i = 0; i < member_count; i++) { /* members are in reverse postorder */
		uint32_t node = members[i], of = c->component[node];
		sizes[of]++;
		if (header[of] == GRAPH_NONE)
			header[of] = node;
	}
	for (uint32_t i = 0; i < member_count; i++) {
		uint32_t node = members[i], of = c->component[node], head = header[of];
		if (sizes[of] == 1 && !has_own_edge(l->graph, node)) {
			l->level[node] = GRAPH_NONE;
			continue;
		}
		l->loop_of[node] = head;
		if (node == head) {
			l->outer[head] = around;
			l->todo[l->todo_count++] = head;
			l->level[node] = GRAPH_NONE;
		} else {
			l->level[node] = head + 1;
		}
	}
	free(header);
	free(sizes);
}

/* A cycle that no header dominates has another node, besides its header, that is entered from outside. */
static void find_side_entries(struct loops *l)
{
	for (uint32_t i = 0; i < l->reached; i++) {
		uint32_t from = l->order[i];
		for (uint32_t e = l->graph->first[from]; e < l->graph->first[from + 1]; e++) {
			uint32_t to = l->graph->targets[e], loop = l->loop_of[to];
			/* Every loop around `to` that `from` is not in is entered here, so `to` must be its header. */
			for (; loop != GRAPH_NONE; loop = l->outer[loop]) {
				uint32_t in = l->loop_of[from];
				while (in != GRAPH_NONE && in != loop)
					in = l->outer[in];
				if (in == loop)
					break;
				if (to != loop)
					l->is_irreducible = true;
			}
		}
	}
}

void graph_loops(const struct graph *graph, uint32_t root, uint32_t *loop_of, uint32_t *outer, bool *is_irreducible)
{
	uint32_t count = graph->node_count;
	struct loops l = { .graph = graph, .loop_of = loop_of, .outer = outer };
	struct components c;
	uint32_t *component = new_words(count), *members = new_words(count);
	components_init(&c, graph, component);
	l.order = new_words(count);
	l.number = new_nones(count);
	l.level = new_nones(count);
	l.todo = new_words(count);
	memset(loop_of, 0xff, count * sizeof *loop_of);
	memset(outer, 0xff, count * sizeof *outer);
	l.reached = graph_order(graph, root, l.order);
	for (uint32_t i = 0; i < l.reached; i++) {
		l.number[l.order[i]] = i;
		l.level[l.order[i]] = 0;
	}
	c.level = l.level;
	split(&l, &c, GRAPH_NONE, l.order, l.reached);
	while (l.todo_count) {
		uint32_t around = l.todo[--l.todo_count], member_count = 0;
		/* What is inside comes after the header in reverse postorder. */
		for (uint32_t i = l.number[around] + 1; i < l.reached; i++)
			if (l.level[l.order[i]] == around + 1)
				members[member_count++] = l.order[i];
		split(&l, &c, around, members, member_count);
	}
	find_side_entries(&l);
	if (is_irreducible)
		*is_irreducible = l.is_irreducible;
	components_release(&c);
	free(component);
	free(members);
	free(l.order);
	free(l.number);
	free(l.level);
	free(l.todo);
}
