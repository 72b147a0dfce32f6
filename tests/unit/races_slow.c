/*
 * races_slow.c: the candidates of a program, found again in the slowest and most obvious way, pair by pair, visit by visit and
 * location by location. Prints how many there are, and fails when races_find has others, or marks another set of accesses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lower/lower.h"
#include "analysis/races/races.h"
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
	if ((a->flags | b->flags) & WHOLE_ACCESS_FREE)
		return whole_can_be_freed(whole, at_a.object);
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
			if (x->flags & WHOLE_ACCESS_FREE)
				at_x.offset = POINTS_ANYWHERE;
			if (y->flags & WHOLE_ACCESS_FREE)
				at_y.offset = POINTS_ANYWHERE;
			if (overlap(x, at_x, y, at_y) && object->kind != WHOLE_CODE && !object->is_constant &&
			    is_shared[at_x.object] && may_meet(a, at_x, b, at_y))
				return true;
		}
	return false;
}

/* ---- types ---- */

enum { MAX_VIEWS = 64 };

/* What is accessed, as each of the types that it is inside of has it. */
struct view {
	uint32_t type;
	uint64_t offset;
};

static uint32_t list_views(const struct whole_tag *tag, struct view views[MAX_VIEWS], bool *is_known)
{
	uint32_t count = 0;
	views[count++] = (struct view){ tag->base, tag->offset };
	for (;;) {
		struct view last = views[count - 1];
		const struct whole_type *row = &whole->type[last.type];
		uint32_t found = WHOLE_NONE;
		for (uint32_t i = 0; i < row->member_count; i++)
			if (whole->member[row->first_member + i].offset <= last.offset)
				found = row->first_member + i;
		*is_known &= found != WHOLE_NONE || !row->member_count;
		if (found == WHOLE_NONE)
			return count;
		views[count++] = (struct view){ whole->member[found].type, last.offset - whole->member[found].offset };
	}
}

static uint32_t root_of(uint32_t type)
{
	while (whole->type[type].member_count)
		type = whole->member[whole->type[type].first_member].type;
	return type;
}

/* Whether there are two with its name. */
static bool is_ambiguous(uint32_t type)
{
	const char *name = whole->type[type].name;
	for (uint32_t i = 0; i < whole->type_count; i++)
		if (*name && i != type && strcmp(whole->type[i].name, name) == 0 && root_of(i) == root_of(type))
			return true;
	return false;
}

static bool do_types_agree(uint32_t a, uint32_t b)
{
	if (whole->access[a].tag == WHOLE_NONE || whole->access[b].tag == WHOLE_NONE)
		return true;
	const struct whole_tag *x = &whole->tag[whole->access[a].tag], *y = &whole->tag[whole->access[b].tag];
	struct view of_x[MAX_VIEWS], of_y[MAX_VIEWS];
	bool is_known = true;
	uint32_t x_count = list_views(x, of_x, &is_known), y_count = list_views(y, of_y, &is_known);
	if (!is_known || root_of(x->scalar) != root_of(y->scalar))
		return true;
	/* Where both begin with the same type it is the offset in it that decides. */
	bool is_one_base = x->base == y->base;
	for (uint32_t i = 0; i < (is_one_base ? 1 : x_count); i++)
		for (uint32_t k = 0; k < (is_one_base ? 1 : y_count); k++) {
			const struct whole_type *type_x = &whole->type[of_x[i].type],
						*type_y = &whole->type[of_y[k].type];
			if (is_ambiguous(of_x[i].type) || is_ambiguous(of_y[k].type))
				return true;
			/* They meet where one of them begins. */
			if (i && k)
				continue;
			if (type_x == type_y ? of_x[i].offset == of_y[k].offset : !*type_x->name && !*type_y->name)
				return true;
		}
	/* A scalar that is known to be in nothing. */
	for (uint32_t i = 0; i < x_count; i++)
		if (y->base == y->scalar && of_x[i].type == y->scalar)
			return true;
	for (uint32_t k = 0; k < y_count; k++)
		if (x->base == x->scalar && of_y[k].type == x->scalar)
			return true;
	return false;
}

static bool has_type(uint32_t access)
{
	uint32_t tag = whole->access[access].tag;
	return tag != WHOLE_NONE && (whole->tag[tag].base != whole->tag[tag].scalar ||
				     strcmp(whole->type[whole->tag[tag].scalar].name, "omnipotent char") != 0);
}

/* Pairs whose doubt is wrong, or which are behind one that is less likely; groups, too. */
static uint32_t count_wrong_types(const struct races *races)
{
	uint32_t wrong = 0;
	for (uint32_t i = 0; i < races->pair_count; i++) {
		const struct races_pair *pair = &races->pairs[i], *before = i ? pair - 1 : pair;
		bool is_apart = pair->doubts & RACES_TYPES, was_apart = before->doubts & RACES_TYPES;
		struct races_pair again;
		wrong += is_apart == do_types_agree(pair->a.access, pair->b.access);
		wrong += !!(pair->doubts & RACES_ONE_TYPE) !=
			 (has_type(pair->a.access) != has_type(pair->b.access) &&
			  (pair->doubts & (RACES_ANYWHERE | RACES_OUTSIDE)));
		wrong += !races_pair(races, pair->a.access, pair->b.access, &again) || again.doubts != pair->doubts ||
			 again.score != pair->score;
		wrong += pair->group == before->group && (was_apart != is_apart ? was_apart : before->score < pair->score);
	}
	for (uint32_t i = 0; i < races->group_count; i++) {
		const struct races_group *group = &races->groups[i];
		uint64_t apart = 0, tally = 0;
		for (uint32_t k = 0; k < group->pair_count; k++)
			apart += (races->pairs[group->first_pair + k].doubts & RACES_TYPES) != 0;
		for (uint32_t score = 0; score <= 100; score++)
			tally += group->types_tally[score];
		wrong += apart != tally || group->has_agreeing != (apart < group->pair_count);
		wrong += i && group->has_agreeing && !group[-1].has_agreeing;
	}
	return wrong;
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
	uint32_t missing = 0, doubled = 0, invented = 0, marks = 0, count = 0, agreeing = 0;
	for (uint32_t a = 0; a < whole->access_count; a++)
		for (uint32_t b = a; b < whole->access_count; b++) {
			uint8_t times = is_listed[(size_t)a * whole->access_count + b];
			bool is_one = is_candidate(a, b);
			count += is_one;
			agreeing += is_one && do_types_agree(a, b);
			missing += is_one && !times;
			invented += !is_one && times;
			doubled += times > 1;
			is_in[a] |= is_one;
			is_in[b] |= is_one;
		}
	for (uint32_t a = 0; a < whole->access_count; a++)
		marks += is_in[a] != races->is_instrumented[a];
	uint32_t types = count_wrong_types(races) + (agreeing != races->pruned.agreeing);
	printf("%u candidates, types agree in %u; %u missing, %u invented, %u doubled, %u marked wrongly, %u with wrong types\n",
	       count, agreeing, missing, invented, doubled, marks, types);
	free(is_listed);
	free(is_in);
	return missing || invented || doubled || marks || types;
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
