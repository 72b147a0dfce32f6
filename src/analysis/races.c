/* races.c: see races.h. Which objects are shared, and for each of them who accesses it. */
#include "analysis/races.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/models.h"
#include "analysis/races_priv.h"
#include "base/mem.h"
#include "heddle/abi.h"

/* ---- what more than one thread can reach ---- */

struct reach {
	const struct points *points;
	uint8_t *is_reached; /* by object */
	uint32_t *todo;
	uint32_t count;
	uint32_t *first; /* locations of an object: locations[first[o]] to locations[first[o + 1] - 1] */
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
	/* Anybody may call a library's functions, with anything. */
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

bool races_have_common_lock(struct flow_locks a, uint64_t offset_a, struct flow_locks b, uint64_t offset_b)
{
	for (uint32_t i = 0; i < a.count; i++)
		for (uint32_t k = 0; k < b.count; k++)
			if (!(a.items[i].is_shared && b.items[k].is_shared) &&
			    is_same_lock(&a.items[i], offset_a, &b.items[k], offset_b))
				return true;
	return false;
}

/* ---- who accesses what ---- */

struct entries {
	struct races_entry *items;
	uint32_t *objects; /* of each */
	uint32_t count, room;
};

static void add_entry(struct entries *entries, uint32_t object, struct races_entry entry)
{
	if (entries->count == entries->room) {
		entries->room = entries->room ? entries->room * 2 : 1024;
		entries->items = mem_resize(entries->items, entries->room * sizeof *entries->items);
		entries->objects = mem_resize(entries->objects, entries->room * sizeof *entries->objects);
	}
	entries->items[entries->count] = entry;
	entries->objects[entries->count++] = object;
}

static bool is_memory(const struct whole_access *access)
{
	return access->kind != HEDDLE_ACCESS_FENCE && access->kind != HEDDLE_ACCESS_NONE &&
	       access->pointer != WHOLE_NONE;
}

/* Whether an object can be raced for at all. */
static bool is_racy_object(const struct races_search *search, uint32_t object)
{
	const struct whole_object *row = &search->whole->object[object];
	return row->kind != WHOLE_CODE && !row->is_constant;
}

static void add_access(struct races_search *search, uint32_t index, struct entries *entries)
{
	const struct whole_access *access = &search->whole->access[index];
	uint32_t visits = flow_visit_count(search->flow, index);
	if (!visits || !is_memory(access))
		return;
	uint32_t *ways = mem_alloc(visits * sizeof *ways);
	for (uint32_t i = 0; i < visits; i++)
		ways[i] = races_way(search, &flow_visits(search->flow, index)[i]);
	struct points_set set = points_of_value(search->points, access->pointer);
	uint64_t last = 0;
	uint32_t last_object = WHOLE_NONE;
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(search->points, set.items[i]);
		if (!is_racy_object(search, at.object) || (at.object == last_object && at.offset == last))
			continue;
		last = at.offset;
		last_object = at.object;
		struct races_entry entry = { .offset = at.offset, .access = index };
		entry.is_anywhere = at.offset == POINTS_ANYWHERE ||
				    whole_crosses_element(search->whole, &search->whole->object[at.object], at.offset,
							  access->size_bytes);
		entry.end = access->size_bytes ? at.offset + access->size_bytes : UINT64_MAX;
		if (entry.is_anywhere || at.object == 0) {
			entry.offset = 0;
			entry.end = UINT64_MAX;
			entry.is_anywhere = true;
		}
		for (uint32_t k = 0; k < visits; k++) {
			entry.way = ways[k];
			add_entry(entries, at.object, entry);
		}
	}
	free(ways);
}

/* Sorts entries by object, keeping their order. */
static void by_object(const struct races_search *search, const struct entries *entries, uint32_t **first,
		      struct races_entry **sorted)
{
	uint32_t objects = search->whole->object_count;
	*first = mem_alloc(((size_t)objects + 2) * sizeof **first);
	*sorted = mem_alloc(((size_t)entries->count + 1) * sizeof **sorted);
	for (uint32_t i = 0; i < entries->count; i++)
		(*first)[entries->objects[i] + 2]++;
	for (uint32_t i = 2; i < objects + 2; i++)
		(*first)[i] += (*first)[i - 1];
	for (uint32_t i = 0; i < entries->count; i++)
		(*sorted)[(*first)[entries->objects[i] + 1]++] = entries->items[i];
}

struct races *races_find(const struct whole *whole, const struct points *points, const struct flow *flow)
{
	struct races *races = mem_alloc(sizeof *races);
	struct races_search search = { .whole = whole, .points = points, .flow = flow, .races = races };
	struct entries entries = { 0 };
	uint32_t *first;
	struct races_entry *sorted;
	races->is_instrumented = mem_alloc((size_t)whole->access_count + 1);
	search.is_shared = races_shared_objects(whole, points, flow);
	races_note_functions(&search);
	for (uint32_t i = 0; i < whole->access_count; i++)
		add_access(&search, i, &entries);
	races_prepare(&search);
	by_object(&search, &entries, &first, &sorted);
	free(entries.items);
	free(entries.objects);
	/* A pair is told with the first object that shows it: variables say most. */
	for (uint32_t kind = WHOLE_GLOBAL; kind <= WHOLE_OUTSIDE; kind++)
		for (uint32_t i = 0; i < whole->object_count; i++)
			if (whole->object[i].kind == kind && first[i + 1] > first[i])
				races_pair_up(&search, i, sorted + first[i], first[i + 1] - first[i]);
	free(first);
	free(sorted);
	races_group(&search);
	free(search.is_shared);
	free(search.table);
	free(search.function_flags);
	free(search.ways);
	free(search.way_table);
	free(search.verdicts);
	free(search.done);
	return races;
}

void races_free(struct races *races)
{
	if (!races)
		return;
	free(races->pairs);
	free(races->groups);
	free(races->is_instrumented);
	free(races);
}
