/* group.c: see group.h. Facets are sorted, and nodes with equal ones are joined (union-find). */
#include "model/group.h"

#include <stdlib.h>
#include <string.h>

const char *const group_rule_words[GROUP_RULE_COUNT] = {
	[GROUP_SAME_FREE] = "same-free",
	[GROUP_CONSEQUENCE] = "consequence",
	[GROUP_ONE_OPERATION] = "one-operation",
	[GROUP_SAME_OBJECT] = "same-object",
};

const char *const group_rule_texts[GROUP_RULE_COUNT] = {
	[GROUP_SAME_FREE] = "the same free",
	[GROUP_CONSEQUENCE] = "a race and its consequence",
	[GROUP_ONE_OPERATION] = "one operation on a range of memory",
	[GROUP_SAME_OBJECT] = "the same variable in the same functions",
};

static enum group_rank rank_of(const struct group_node *node)
{
	if (node->kind == FINDING_MEMORY_ERROR)
		return GROUP_MEMORY_ERROR;
	if (node->kind == FINDING_OUTPUT_DIFFERS)
		return GROUP_DIFFERS;
	if (node->kind != FINDING_DATA_RACE)
		return kinds[node->kind].level == KIND_ERROR ? GROUP_FAILURE : GROUP_UNDECIDED;
	if (!node->has_class)
		return GROUP_UNDECIDED;
	switch (node->class) {
	case VERDICT_SPEC_VIOLATED:
		return GROUP_HARMFUL;
	case VERDICT_OUTPUT_DIFFERS:
		return GROUP_DIFFERS;
	case VERDICT_HARMLESS:
	case VERDICT_SINGLE_ORDERING:
	case VERDICT_ORDERED:
		return GROUP_HARMLESS;
	case VERDICT_UNDECIDED:
	case VERDICT_COUNT:
		break;
	}
	return GROUP_UNDECIDED;
}

/* Facets that are being collected. A facet with an unknown text is none. */
struct facets {
	struct group_facet *items;
	size_t count;
};

static void add(struct facets *self, enum group_rule rule, size_t node, const char *a, const char *b, const char *c,
		const char *d)
{
	if (a && b && c && d)
		self->items[self->count++] =
			(struct group_facet){ .rule = rule, .texts = { a, b, c, d }, .node = node };
}

/* The operation, and the function or the object of what it races with. Functions and objects must not be mistaken for each other. */
static void add_operations(struct facets *self, const struct group_node *node, size_t number)
{
	for (int i = 0; i < 2; i++) {
		const struct group_side *side = &node->sides[i], *other = &node->sides[!i];
		if (!side->is_range)
			continue;
		add(self, GROUP_ONE_OPERATION, number, side->place, side->caller, "in function", other->function);
		add(self, GROUP_ONE_OPERATION, number, side->place, side->caller, "on object",
		    node->made ? node->made : node->variable);
	}
}

static void add_object(struct facets *self, const struct group_node *node, size_t number)
{
	const char *one = node->sides[0].function, *other = node->sides[1].function;
	bool is_swapped = one && other && strcmp(one, other) > 0;
	add(self, GROUP_SAME_OBJECT, number, node->object, is_swapped ? other : one, is_swapped ? one : other,
	    node->made ? node->made : "");
}

static void add_facets(struct facets *self, const struct group_node *node, size_t number)
{
	for (int i = 0; i < 2; i++)
		add(self, GROUP_SAME_FREE, number, node->frees[i].place, node->frees[i].caller,
		    node->made ? node->made : "", "");
	if (node->kind == FINDING_DATA_RACE) {
		add_operations(self, node, number);
		add_object(self, node, number);
	}
}

/* By what they are about; equal ones by their node. */
static int compare_facets(const void *a, const void *b)
{
	const struct group_facet *one = a, *other = b;
	if (one->rule != other->rule)
		return one->rule < other->rule ? -1 : 1;
	for (int i = 0; i < 4; i++) {
		int order = strcmp(one->texts[i], other->texts[i]);
		if (order)
			return order;
	}
	return (one->node > other->node) - (one->node < other->node);
}

static bool is_same(const struct group_facet *a, const struct group_facet *b)
{
	struct group_facet moved = *b;
	moved.node = a->node;
	return compare_facets(a, &moved) == 0;
}

/* While groups are made, a head is a step towards the one of the whole group. */
static size_t root_of(const struct group_node *nodes, size_t node)
{
	while (nodes[node].head != node)
		node = nodes[node].head;
	return node;
}

static bool is_worse(const struct group_node *nodes, size_t one, size_t other)
{
	return nodes[one].rank != nodes[other].rank ? nodes[one].rank < nodes[other].rank : one < other;
}

static void join(struct group_node *nodes, size_t a, size_t b, uint32_t rules)
{
	size_t one = root_of(nodes, a), other = root_of(nodes, b);
	if (is_worse(nodes, other, one)) {
		size_t kept = one;
		one = other;
		other = kept;
	}
	if (one != other) {
		nodes[other].head = one;
		nodes[one].rules |= nodes[other].rules | rules;
		nodes[one].size += nodes[other].size;
	}
}

/* A failure has one cause here: the worst race that leads to it, the first of several. Otherwise it would join races that have nothing else in common. */
static void join_consequences(struct group_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t failure = nodes[i].consequence, cause = i;
		if (failure == GROUP_NO_NODE || failure == i)
			continue;
		for (size_t j = 0; j < count; j++)
			if (nodes[j].consequence == failure && is_worse(nodes, j, cause))
				cause = j;
		if (cause == i)
			join(nodes, i, failure, 1u << GROUP_CONSEQUENCE);
	}
}

static bool comes_before(const struct group_node *nodes, size_t one, size_t other)
{
	if (nodes[one].head != nodes[other].head)
		return is_worse(nodes, nodes[one].head, nodes[other].head);
	return one != other && is_worse(nodes, one, other);
}

/* Merges two sorted halves: qsort has no argument for the nodes. */
static void sort(const struct group_node *nodes, size_t *order, size_t *room, size_t count)
{
	size_t half = count / 2;
	if (count < 2)
		return;
	sort(nodes, order, room, half);
	sort(nodes, order + half, room, count - half);
	memcpy(room, order, half * sizeof *order);
	for (size_t a = 0, b = half, at = 0; a < half; at++) {
		bool is_second = b < count && comes_before(nodes, order[b], room[a]);
		order[at] = is_second ? order[b++] : room[a++];
	}
}

void group_findings(struct group_node *nodes, size_t count, struct group_facet *facets, size_t *order)
{
	struct facets all = { .items = facets };
	for (size_t i = 0; i < count; i++) {
		nodes[i].rank = rank_of(&nodes[i]);
		nodes[i].head = order[i] = i;
		nodes[i].rules = 0;
		nodes[i].size = 1;
		add_facets(&all, &nodes[i], i);
	}
	if (all.count)
		qsort(all.items, all.count, sizeof *all.items, compare_facets);
	for (size_t i = 1; i < all.count; i++)
		if (is_same(&all.items[i - 1], &all.items[i]))
			join(nodes, all.items[i - 1].node, all.items[i].node, 1u << all.items[i].rule);
	join_consequences(nodes, count);
	for (size_t i = 0; i < count; i++)
		if (nodes[i].given != GROUP_NO_NODE)
			join(nodes, i, nodes[i].given, nodes[i].given_rules);
	for (size_t i = 0; i < count; i++)
		nodes[i].head = root_of(nodes, i);
	for (size_t i = 0; i < count; i++) {
		nodes[i].rules = nodes[nodes[i].head].rules;
		nodes[i].size = nodes[nodes[i].head].size;
	}
	/* The facets are no longer needed: their room is large enough, and aligned. */
	sort(nodes, order, (size_t *)facets, count);
}
