/*
 * races_slow.c: the candidates of a program, found again in the slowest and most obvious way, pair by pair, visit by visit and
 * location by location. Prints how many there are, and fails when races_find has others, or marks another set of accesses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lower.h"
#include "analysis/races.h"
#include "base/mem.h"
#include "heddle/abi.h"
#include "ir/program.h"

static const struct whole *whole;
static const struct points *points;
static const struct flow *flow;
static uint8_t *is_shared;

static bool is_write(const struct whole_access *access)
{
	return access->kind == HEDDLE_ACCESS_WRITE || access->kind == HEDDLE_ACCESS_ATOMIC_WRITE ||
	       access->kind == HEDDLE_ACCESS_ATOMIC_UPDATE || access->kind == HEDDLE_ACCESS_ATOMIC_EXCHANGE;
}

static bool overlap(const struct whole_access *a, struct points_location at_a, const struct whole_access *b,
		    struct points_location at_b)
{
	if (at_a.object != at_b.object)
		return false;
	if (at_a.offset == POINTS_ANYWHERE || at_b.offset == POINTS_ANYWHERE || at_a.object == 0)
		return true;
	const struct whole_object *object = &whole->object[at_a.object];
	if (whole_crosses_element(whole, object, at_a.offset, a->size_bytes) ||
	    whole_crosses_element(whole, object, at_b.offset, b->size_bytes))
		return true;
	uint64_t end_a = a->size_bytes ? at_a.offset + a->size_bytes : UINT64_MAX,
		 end_b = b->size_bytes ? at_b.offset + b->size_bytes : UINT64_MAX;
	return at_a.offset < end_b && at_b.offset < end_a;
}

/* Whether some visit of a and some visit of b may be made at once, at these two places, without a common lock. */
static bool may_meet(uint32_t a, struct points_location at_a, uint32_t b, struct points_location at_b)
{
	uint64_t offset_a = at_a.object ? at_a.offset : POINTS_ANYWHERE,
		 offset_b = at_b.object ? at_b.offset : POINTS_ANYWHERE;
	for (uint32_t i = 0; i < flow_visit_count(flow, a); i++)
		for (uint32_t k = 0; k < flow_visit_count(flow, b); k++) {
			const struct flow_visit *va = &flow_visits(flow, a)[i], *vb = &flow_visits(flow, b)[k];
			if (flow_may_overlap(flow, va, vb) &&
			    !races_have_common_lock(flow_locks(flow, va->locks), offset_a,
						    flow_locks(flow, vb->locks), offset_b))
				return true;
		}
	return false;
}

static bool is_candidate(uint32_t a, uint32_t b)
{
	const struct whole_access *x = &whole->access[a], *y = &whole->access[b];
	if (x->pointer == WHOLE_NONE || y->pointer == WHOLE_NONE || x->kind == HEDDLE_ACCESS_FENCE ||
	    y->kind == HEDDLE_ACCESS_FENCE)
		return false;
	if ((!is_write(x) && !is_write(y)) ||
	    (x->kind >= HEDDLE_ACCESS_ATOMIC_READ && y->kind >= HEDDLE_ACCESS_ATOMIC_READ))
		return false;
	struct points_set set_x = points_of_value(points, x->pointer), set_y = points_of_value(points, y->pointer);
	for (uint32_t i = 0; i < set_x.count; i++)
		for (uint32_t k = 0; k < set_y.count; k++) {
			struct points_location at_x = points_location(points, set_x.items[i]),
					       at_y = points_location(points, set_y.items[k]);
			const struct whole_object *object = &whole->object[at_x.object];
			if (overlap(x, at_x, y, at_y) && object->kind != WHOLE_CODE && !object->is_constant &&
			    is_shared[at_x.object] && may_meet(a, at_x, b, at_y))
				return true;
		}
	return false;
}

static uint8_t *listed(const struct races *races)
{
	uint8_t *is_listed = mem_alloc((size_t)whole->access_count * whole->access_count + 1);
	for (uint32_t i = 0; i < races->pair_count; i++) {
		uint32_t a = races->pairs[i].a.access, b = races->pairs[i].b.access;
		is_listed[(size_t)a * whole->access_count + b] += 1;
		if (a != b)
			is_listed[(size_t)b * whole->access_count + a] += 1;
	}
	return is_listed;
}

static int compare(const struct races *races)
{
	uint8_t *is_listed = listed(races), *is_in = mem_alloc((size_t)whole->access_count + 1);
	uint32_t missing = 0, doubled = 0, invented = 0, marks = 0, count = 0;
	for (uint32_t a = 0; a < whole->access_count; a++)
		for (uint32_t b = a; b < whole->access_count; b++) {
			uint8_t times = is_listed[(size_t)a * whole->access_count + b];
			bool is_one = is_candidate(a, b);
			count += is_one;
			missing += is_one && !times;
			invented += !is_one && times;
			doubled += times > 1;
			is_in[a] |= is_one;
			is_in[b] |= is_one;
		}
	for (uint32_t a = 0; a < whole->access_count; a++)
		marks += is_in[a] != races->is_instrumented[a];
	printf("%u candidates, %u missing, %u invented, %u doubled, %u marked wrongly\n", count, missing, invented, doubled,
	       marks);
	free(is_listed);
	free(is_in);
	return missing || invented || doubled || marks;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct unit *units = NULL;
	size_t count = 0;
	bool is_library = false;
	struct whole *made = NULL;
	struct points *solved = NULL;
	struct flow *flowed = NULL;
	/* "lump": with objects lumped together as in large programs. */
	struct points_options options = { 0 };
	if (argc == 3 && strcmp(argv[2], "lump") == 0)
		options = (struct points_options){ .lump_steps = 1, .lump_cells = 4 };
	else if (argc != 2)
		return 2;
	if (program_units(argv[1], &units, &count, &is_library, &err) < 0)
		return 2;
	struct lower_input *inputs = mem_alloc((count + 1) * sizeof *inputs);
	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct lower_input){ .unit = &units[i], .is_shared = is_library };
	if (lower_units(inputs, count, NULL, NULL, &made, &err) < 0 ||
	    points_solve(made, &options, &solved, &err) < 0 ||
	    flow_solve(made, solved, &(struct flow_options){ 0 }, &flowed, &err) < 0) {
		err_print(&err, "races_slow");
		return 2;
	}
	whole = made;
	points = solved;
	flow = flowed;
	is_shared = races_shared_objects(whole, points, flow);
	struct races *races = races_find(whole, points, flow);
	return compare(races);
}
