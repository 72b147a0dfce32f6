/* races.c: see races.h. Which objects are shared, which locks are the same, and the steps of the search. */
#include "analysis/races/races.h"

#include <stdlib.h>

#include "analysis/races/races_priv.h"
#include "base/mem.h"

/* ---- what more than one thread can reach ---- */

struct reach {
	const struct points *points;
	uint8_t *is_reached; /* by object */
	uint32_t *todo;
	uint32_t count;
	struct flow_interned sets; /* that were gone through: equal ones have the same items */
	uint32_t *first;           /* locations of an object: locations[first[o]] to locations[first[o + 1] - 1] */
	uint32_t *locations;
};

static void reach_object(struct reach *reach, uint32_t object)
{
	if (reach->is_reached[object])
		return;
	reach->is_reached[object] = 1;
	reach->todo[reach->count++] = object;
}

static void reach_set(struct reach *reach, struct points_set set)
{
	uint32_t before = reach->sets.count;
	if (flow_interned_add(&reach->sets, &set.items, (uint32_t)(sizeof(void *) / sizeof(uint32_t))) != before)
		return;
	for (uint32_t i = 0; i < set.count; i++)
		reach_object(reach, points_location(reach->points, set.items[i]).object);
}

static void list_locations(struct reach *reach, uint32_t object_count)
{
	uint32_t count = points_location_count(reach->points);
	reach->first = mem_alloc(((size_t)object_count + 2) * sizeof *reach->first);
	reach->locations = mem_alloc(((size_t)count + 1) * sizeof *reach->locations);
	for (uint32_t i = 0; i < count; i++)
		reach->first[points_location(reach->points, i).object + 2]++;
	for (uint32_t i = 2; i < object_count + 2; i++)
		reach->first[i] += reach->first[i - 1];
	for (uint32_t i = 0; i < count; i++)
		reach->locations[reach->first[points_location(reach->points, i).object + 1]++] = i;
}

/* What a thread is started with and what it gives back. */
static void reach_threads(struct reach *reach, const struct whole *whole, const struct flow *flow)
{
	for (uint32_t i = 0; i < flow_root_count(flow); i++) {
		const struct flow_root *root = flow_root(flow, i);
		const struct whole_function *function = &whole->function[root->function];
		if (root->call == WHOLE_NONE)
			continue;
		const struct whole_instruction *call = &whole->instruction[root->call];
		for (uint32_t k = 1; k < call->operand_count; k++)
			reach_set(reach, points_of_value(reach->points, whole_operand(whole, call, k)));
		for (uint32_t k = 0; k < function->parameter_count; k++)
			reach_set(reach, points_of_value(reach->points, function->first_parameter + k));
		for (uint32_t k = 0; k < function->instruction_count; k++) {
			const struct whole_instruction *at = &whole->instruction[function->first_instruction + k];
			if (at->op == WHOLE_RETURN && at->operand_count)
				reach_set(reach, points_of_value(reach->points, whole_operand(whole, at, 0)));
		}
	}
}

uint8_t *races_shared_objects(const struct whole *whole, const struct points *points, const struct flow *flow)
{
	struct reach reach = { .points = points };
	reach.is_reached = mem_alloc((size_t)whole->object_count + 1);
	reach.todo = mem_alloc(((size_t)whole->object_count + 1) * sizeof *reach.todo);
	list_locations(&reach, whole->object_count);
	for (uint32_t i = 0; i < whole->object_count; i++)
		if (whole->object[i].kind == WHOLE_GLOBAL || whole->object[i].kind == WHOLE_OUTSIDE)
			reach_object(&reach, i);
	reach_threads(&reach, whole, flow);
	/* Any code may call a library's functions, with any arguments. */
	for (uint32_t i = 0; whole->is_library && i < whole->function_count; i++)
		for (uint32_t k = 0; whole->function[i].is_exported && k < whole->function[i].parameter_count; k++)
			reach_set(&reach, points_of_value(points, whole->function[i].first_parameter + k));
	while (reach.count) {
		uint32_t object = reach.todo[--reach.count];
		for (uint32_t i = reach.first[object]; i < reach.first[object + 1]; i++)
			reach_set(&reach, points_of_location(points, reach.locations[i]));
	}
	free(reach.todo);
	free(reach.first);
	free(reach.locations);
	flow_interned_release(&reach.sets);
	return reach.is_reached;
}

/* ---- locks ---- */

static bool is_same_lock(const struct flow_lock *a, uint64_t offset_a, const struct flow_lock *b, uint64_t offset_b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == FLOW_CONCRETE)
		return a->object == b->object && a->offset == b->offset;
	/* Where both accesses meet, what is at the same distance from the start of the same part of it is the same. */
	return a->kind == FLOW_RELATIVE && offset_a != POINTS_ANYWHERE && offset_b != POINTS_ANYWHERE &&
	       (int64_t)offset_a + a->distance == (int64_t)offset_b + b->distance;
}

bool races_common_lock(struct flow_locks a, uint64_t offset_a, struct flow_locks b, uint64_t offset_b,
		       const struct flow_lock *common[2])
{
	bool has_common = false;
	for (uint32_t i = 0; i < a.count; i++)
		for (uint32_t k = 0; k < b.count; k++) {
			if ((a.items[i].is_shared && b.items[k].is_shared) ||
			    !is_same_lock(&a.items[i], offset_a, &b.items[k], offset_b))
				continue;
			if (!common)
				return true;
			if (!has_common || (!common[0]->name && a.items[i].name)) {
				common[0] = &a.items[i];
				common[1] = &b.items[k];
			}
			has_common = true;
		}
	return has_common;
}

bool races_have_common_lock(struct flow_locks a, uint64_t offset_a, struct flow_locks b, uint64_t offset_b)
{
	return races_common_lock(a, offset_a, b, offset_b, NULL);
}

/* ---- all of it ---- */

struct races *races_find(const struct whole *whole, const struct points *points, const struct flow *flow)
{
	struct races *races = mem_alloc(sizeof *races);
	struct races_search *search = races->search = mem_alloc(sizeof *search);
	*search = (struct races_search){ .whole = whole, .points = points, .flow = flow, .races = races };
	races->is_instrumented = mem_alloc((size_t)whole->access_count + 1);
	races->is_met = mem_alloc((size_t)whole->access_count + 1);
	search->is_shared = races_shared_objects(whole, points, flow);
	races_weigh(search);
	races_note_functions(search);
	races_classify(search);
	races_split(search);
	races_prepare(search);
	races_find_contacts(search);
	races_multiply(search);
	races_unfold(search);
	return races;
}

static void free_search(struct races_search *search)
{
	void *const blocks[] = { search->is_shared, search->function_flags, search->stands_for,    search->alike,
				 search->ranges,    search->footprints,     search->ways,          search->way_verdicts,
				 search->manners,   search->relations,      search->classes,       search->class_of,
				 search->members,   search->contacts,       search->contact_table, search->meetings,
				 search->products,  search->parts,          search->agreements };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		free(blocks[i]);
	races_release_remote(search);
	flow_interned_release(&search->manner_rows);
	flow_interned_release(&search->way_rows);
	flow_interned_release(&search->group_rows);
	free(search);
}

void races_free(struct races *races)
{
	if (!races)
		return;
	free_search(races->search);
	free(races->pairs);
	free(races->groups);
	free(races->is_instrumented);
	free(races->is_met);
	free(races);
}
