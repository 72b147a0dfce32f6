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

/* Whether it is an instance already, of that schedule. */
static bool is_known(const struct classifying *self, const struct instance *recorded,
		     const struct heddle_instance *told)
{
	for (size_t i = 0; i < self->instance_count; i++) {
		const struct instance *known = &self->instances[i];
		const struct report_race *race = &known->seen.evidence.race;
		if (strcmp(known->seen.evidence.trace, recorded->seen.evidence.trace) == 0 &&
		    known->first == told->first_event && race->event == told->second_event &&
		    race->later.thread == told->second_thread)
			return true;
	}
	return false;
}

static bool is_good(const struct heddle_instance *told)
{
	return told->size_bytes && told->first_event && told->first_event <= told->second_event;
}

/* The same schedule. */
static void copy_schedule(struct instance *instance, const struct instance *recorded)
{
	for (size_t i = 0; i < recorded->steps.count; i++)
		steps_add(&instance->steps, &recorded->steps.items[i]);
	instance->is_beginning = recorded->is_beginning;
	instance->recorded_hash = recorded->recorded_hash;
	instance->event_count = recorded->event_count;
}

/* Adds those of the slots, pairs of the places of asked, of the schedule of an instance, as many as most in all. is_open: not those that are hidden. */
static void take_slots(struct classifying *self, const struct report_race *asked, const struct instance *recorded,
		       const struct heddle_instance told[HEDDLE_INSTANCES], const uint32_t *slots, size_t slot_count,
		       bool is_open, size_t most)
{
	for (size_t i = 0; i < slot_count && self->instance_count < most; i++) {
		const struct heddle_instance *one = &told[slots[i]];
		if (!is_good(one) || (is_open && one->is_hidden) || is_known(self, recorded, one))
			continue;
		const struct report_race race = race_of(one, asked);
		struct instance *instance =
			classify_add_instance(self, &race, mem_copy_string(recorded->seen.evidence.trace), false);
		copy_schedule(instance, recorded);
		instance->first = one->first_event;
		instance->lock = one->lock_event;
		instance->passed = one->passed;
	}
}

void classify_take_told(struct classifying *self, size_t most)
{
	take_slots(self, &self->race->evidence.race, &self->instances[0], self->told, slots_used,
		   sizeof slots_used / sizeof *slots_used, false, most);
}

/* Pairs of other places on the same lines, from the report of the replay. */
static void take_variants(struct classifying *self, const struct report *report, size_t most)
{
	const struct instance *recorded = &self->instances[0];
	for (size_t i = 0; i < report->race_count && self->instance_count < most; i++) {
		if (!classify_is_new_variant(self, &report->races[i]))
			continue;
		struct err ignored = ERR_INIT;
		struct instance *instance = classify_add_instance(
			self, &report->races[i], mem_copy_string(recorded->seen.evidence.trace), false);
		copy_schedule(instance, recorded);
		instance->first = classify_first_event(self, instance, false, &ignored);
		if (!instance->first)
			classify_drop_last(self);
	}
}

/* What a replay of a schedule shows of the race. */
struct shown {
	struct report report;
	struct heddle_instance told[HEDDLE_INSTANCES];
	uint64_t count;
};

/* Release the report if it returns 0. */
static int replay(struct classifying *self, const struct report_race *race, const char *trace, struct shown *shown,
		  struct err *err)
{
	struct trace recorded;
	struct retrace replay = {
		.flags = HEDDLE_CONTROL_DETECT,
		.deadline = test_keep_deadline(self->test),
		.race = { { race->earlier.place, race->later.place }, self->race->evidence.plan.seed },
	};
	trace_init(&recorded);
	int code = trace_read(trace, &recorded, err);
	if (code == 0) {
		code = retrace(&replay, &recorded, err);
		/* Shared with the program, which has ended. */
		const struct heddle_channel *channel = replay.control.channel;
		if (code == 0) {
			const struct buf *text = &replay.now.report;
			report_parse(&shown->report, text->data ? text->data : "", text->size);
			shown->count = channel->instance_count;
			memcpy(shown->told, channel->instances, sizeof shown->told);
		}
		retrace_release(&replay);
	}
	trace_free(&recorded);
	return code;
}

int classify_replay_instances(struct classifying *self, size_t most, struct err *err)
{
	struct shown shown;
	int code = replay(self, &self->race->evidence.race, self->instances[0].seen.evidence.trace, &shown, err);
	if (code < 0)
		return code;
	self->seen_instances = shown.count;
	memcpy(self->told, shown.told, sizeof self->told);
	take_variants(self, &shown.report, 1 + (most - 1) / 2);
	classify_take_told(self, most);
	report_release(&shown.report);
	return 0;
}

static const uint32_t last_slots[] = { HEDDLE_INSTANCE_LAST, HEDDLE_INSTANCE_LAST + 1 };
static const size_t last_slot_count = sizeof last_slots / sizeof *last_slots;

void classify_add_last(struct classifying *self, const struct instance *instance, size_t most)
{
	const struct report_race *race = &instance->seen.evidence.race;
	struct shown shown;
	struct err ignored = ERR_INIT;
	if (replay(self, race, instance->seen.evidence.trace, &shown, &ignored) < 0)
		return;
	take_slots(self, race, instance, shown.told, last_slots, last_slot_count, false, most);
	report_release(&shown.report);
}

/* Adds the first of the slots. Its schedule is not known yet. */
static struct instance *add_told(struct classifying *self, const char *trace, const struct heddle_instance *told)
{
	for (size_t i = 0; i < sizeof slots_used / sizeof *slots_used; i++) {
		const struct heddle_instance *one = &told[slots_used[i]];
		if (!is_good(one) || one->is_hidden)
			continue;
		const struct report_race race = race_of(one, &self->race->evidence.race);
		struct instance *instance = classify_add_instance(self, &race, mem_copy_string(trace), false);
		instance->first = one->first_event;
		instance->lock = one->lock_event;
		instance->passed = one->passed;
		return instance;
	}
	return NULL;
}

/* Adds the race that the report has. */
static struct instance *add_reported(struct classifying *self, const char *trace, const struct report *report)
{
	for (size_t i = 0; i < report->race_count; i++)
		if (classify_is_variant(self, &report->races[i]))
			return classify_add_instance(self, &report->races[i], mem_copy_string(trace), false);
	return NULL;
}

int classify_add_schedule(struct classifying *self, const char *trace, bool is_open, size_t most, struct err *err)
{
	struct shown shown;
	int code = replay(self, &self->race->evidence.race, trace, &shown, err);
	if (code < 0)
		return code;
	/* Detection reports a pair once, and not all pairs; the count knows all. */
	struct instance *instance = add_reported(self, trace, &shown.report);
	instance = instance ? instance : add_told(self, trace, shown.told);
	code = instance ? classify_prepare(self, instance, err) : 0;
	if (instance && code == 0)
		take_slots(self, &self->race->evidence.race, instance, shown.told, slots_used,
			   sizeof slots_used / sizeof *slots_used, is_open, most);
	else if (instance)
		classify_drop_last(self);
	report_release(&shown.report);
	return code;
}
