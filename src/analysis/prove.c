/* prove.c: see prove.h. */
#include "analysis/prove.h"

#include <stdlib.h>

#include "analysis/flow.h"
#include "analysis/lower.h"
#include "analysis/points.h"
#include "analysis/races.h"
#include "base/mem.h"
#include "heddle/abi.h"

/* Whether only memory that cannot be freed is touched. */
static bool is_lasting(const struct whole *whole, const struct points *points, uint32_t pointer)
{
	struct points_set set = points_of_value(points, pointer);
	for (uint32_t i = 0; i < set.count; i++) {
		uint8_t kind = whole->object[points_location(points, set.items[i]).object].kind;
		if (kind != WHOLE_GLOBAL && kind != WHOLE_THREAD_LOCAL && kind != WHOLE_STACK)
			return false;
	}
	return set.count > 0;
}

static bool is_proved(const struct whole *whole, const struct points *points, const struct flow *flow,
		      const struct races *races, uint32_t index)
{
	const struct whole_access *access = &whole->access[index];
	if (races->is_instrumented[index] || !flow_visit_count(flow, index))
		return false;
	if (access->kind != HEDDLE_ACCESS_READ && access->kind != HEDDLE_ACCESS_WRITE)
		return false;
	if (!access->size_bytes || access->flags & (HEDDLE_SITE_MASKED | HEDDLE_SITE_VOLATILE))
		return false;
	return is_lasting(whole, points, access->pointer);
}

static void prove_function(const struct whole *whole, const struct points *points, const struct flow *flow,
			   const struct races *races, const struct whole_function *function, const char *tag,
			   struct proof *proof)
{
	struct proof_function *answers = proof_add(proof, tag, function->name, function->access_count);
	if (!answers)
		return;
	proof->site_count += function->access_count;
	for (uint32_t i = 0; i < function->instruction_count; i++) {
		const struct whole_instruction *at = &whole->instruction[function->first_instruction + i];
		for (uint32_t k = 0; k < at->access_count; k++) {
			uint32_t access = at->first_access + k, ordinal = whole->access[access].ordinal;
			if (ordinal >= answers->count || !is_proved(whole, points, flow, races, access))
				continue;
			answers->is_proved[ordinal] = 1;
			proof->proved_count++;
		}
	}
}

static void prove(const struct unit *units, const struct whole *whole, const struct points *points,
		  const struct flow *flow, struct proof *proof)
{
	struct races *races = races_find(whole, points, flow);
	for (uint32_t i = 0; i < whole->function_count; i++) {
		const struct whole_function *function = &whole->function[i];
		if (!function->is_defined)
			continue;
		char tag[17];
		unit_tag(&units[function->unit], tag);
		prove_function(whole, points, flow, races, function, tag, proof);
	}
	races_free(races);
}

void prove_sites(const struct unit *units, size_t count, bool is_shared, struct proof *proof)
{
	struct err err = ERR_INIT;
	struct whole *whole = NULL;
	struct points *points = NULL;
	struct flow *flow = NULL;
	struct points_options points_options = { 0 };
	struct flow_options flow_options = { 0 };
	struct lower_input *inputs = mem_alloc((count + 1) * sizeof *inputs);
	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct lower_input){ .unit = &units[i], .is_shared = is_shared };
	if (lower_units(inputs, count, NULL, NULL, &whole, &err) == 0 &&
	    points_solve(whole, &points_options, &points, &err) == 0 &&
	    flow_solve(whole, points, &flow_options, &flow, &err) == 0)
		prove(units, whole, points, flow, proof);
	flow_free(flow);
	points_free(points);
	whole_free(whole);
	free(inputs);
}
