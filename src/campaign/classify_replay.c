/*
 * classify_replay.c: the dynamic instances of a race in the schedule of its evidence. Detection reports a pair of places once a run; a replay of the
 * whole schedule counts all pairs of these accesses that nothing orders, and describes some (detect/instances.h).
 */
#include <errno.h>
#include <string.h>

#include "campaign/classify_priv.h"
#include "judge/retrace.h"

/* The described ones, in the order of their use. Those far apart show consequences that only the first, or only the last,
 * of many accesses has. */
static const uint32_t slots_used[] = {
	HEDDLE_INSTANCE_WIDEST,   HEDDLE_INSTANCE_WIDEST + 1, HEDDLE_INSTANCE_LAST,     HEDDLE_INSTANCE_LAST + 1,
	HEDDLE_INSTANCE_NEAR,     HEDDLE_INSTANCE_ANY,        HEDDLE_INSTANCE_FIRST,    HEDDLE_INSTANCE_FIRST + 1,
	HEDDLE_INSTANCE_NEAR + 1, HEDDLE_INSTANCE_ANY + 1,    HEDDLE_INSTANCE_NEAR + 2, HEDDLE_INSTANCE_ANY + 2,
	HEDDLE_INSTANCE_NEAR + 3, HEDDLE_INSTANCE_ANY + 3,
};

static struct report_race race_of(const struct heddle_instance *told, const struct report_race *recorded)
{
	struct report_race race = *recorded;
	race.event = told->second_event;
	race.address = told->address;
	race.size = told->size_bytes;
	race.epoch = told->epoch;
	if (told->is_swapped) {
		race.earlier = recorded->later;
		race.later = recorded->earlier;
	}
	race.earlier.thread = told->first_thread;
	race.later.thread = told->second_thread;
	return race;
}

static bool is_known(const struct classifying *self, const struct heddle_instance *told)
{
	for (size_t i = 0; i < self->instance_count; i++) {
		const struct instance *known = &self->instances[i];
		if (known->first == told->first_event && known->seen.evidence.race.event == told->second_event &&
		    known->seen.evidence.race.later.thread == told->second_thread)
			return true;
	}
	return false;
}

static bool is_good(const struct heddle_instance *told)
{
	return told->size_bytes && told->first_event && told->first_event <= told->second_event;
}

static void take_told(struct classifying *self, const struct heddle_instance told[HEDDLE_INSTANCES], size_t most)
{
	const struct instance *recorded = &self->instances[0];
	for (size_t i = 0; i < sizeof slots_used / sizeof *slots_used && self->instance_count < most; i++) {
		const struct heddle_instance *one = &told[slots_used[i]];
		if (!is_good(one) || is_known(self, one))
			continue;
		const struct report_race race = race_of(one, &recorded->seen.evidence.race);
		struct instance *instance =
			classify_add_instance(self, &race, mem_copy_string(recorded->seen.evidence.trace), false);
		for (size_t j = 0; j < recorded->steps.count; j++)
			steps_add(&instance->steps, &recorded->steps.items[j]);
		instance->recorded_hash = recorded->recorded_hash;
		instance->first = one->first_event;
		instance->lock = one->lock_event;
		instance->passed = one->passed;
	}
}

int classify_replay_instances(struct classifying *self, size_t most, struct err *err)
{
	const struct report_race *race = &self->instances[0].seen.evidence.race;
	struct trace recorded;
	struct retrace replay = {
		.flags = HEDDLE_CONTROL_DETECT,
		.deadline = test_keep_deadline(self->test),
		.race = { { race->earlier.place, race->later.place }, self->race->evidence.plan.seed },
	};
	trace_init(&recorded);
	int code = trace_read(self->instances[0].seen.evidence.trace, &recorded, err);
	if (code == 0) {
		code = retrace(&replay, &recorded, err);
		/* Shared with the program, which has ended. */
		const struct heddle_channel *channel = replay.control.channel;
		if (code == 0 && channel) {
			self->seen_instances = channel->instance_count;
			take_told(self, channel->instances, most);
		}
		retrace_release(&replay);
	}
	trace_free(&recorded);
	return code;
}
