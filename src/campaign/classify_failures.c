/*
 * classify_failures.c: schedules that fail, for a race that no witness shows to be harmful: loose runs of its own, and the failures that the test has
 * found. What fails may need a third thread at the right moment, and such a schedule has it. It contains many races, though, so a failure counts only if the same schedule with the
 * accesses of this race in the other order does not have it: all else goes on as its steps say.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/classify_priv.h"

/* The run of the recorded order of that instance; null: there is none. */
static const struct witness *recorded_of(const struct classifying *self, size_t instance)
{
	for (size_t i = 0; i < self->witness_count; i++)
		if (self->witnesses[i].instance == instance && !self->witnesses[i].is_other)
			return &self->witnesses[i];
	return NULL;
}

/* Whether the order decides that the run fails in that thread, the one that comes second there: with the accesses in the opposite order it fails
 * not at all, or, if that is known, only in other threads. */
static bool is_decisive(const struct witness *run, const struct witness *opposite, uint32_t second)
{
	if (!run->failure || !opposite->failure)
		return run->failure && !opposite->failure;
	return run->failing & witness_thread(second) && opposite->failing &&
	       !(opposite->failing & witness_thread(second));
}

/* Whether it had the order that it should have, and it is known whether it fails. */
static bool is_complete(const struct witness *run)
{
	return run->order == WITNESS_MADE && !run->is_lost && (!run->is_cut || run->failure);
}

/* Whether the failure is there in one order only, and each run had the order that it should have. All runs of the other order count: what else is changed
 * together with the order may be the reason in one of them. */
static bool is_caused(const struct classifying *self, size_t instance)
{
	const struct report_race *race = &self->instances[instance].seen.evidence.race;
	const struct witness *recorded = recorded_of(self, instance);
	bool is_recorded = recorded && is_complete(recorded), is_other = is_recorded;
	bool is_known = false;
	for (size_t i = 0; i < self->witness_count && is_recorded | is_other; i++) {
		const struct witness *witness = &self->witnesses[i];
		if (witness->instance != instance || !witness->is_other)
			continue;
		if (!is_complete(witness))
			return false;
		is_known = true;
		is_recorded = is_recorded && is_decisive(recorded, witness, race->later.thread);
		is_other = is_other && is_decisive(witness, recorded, race->earlier.thread);
	}
	/* An interrupted test may have made no run of the other order. */
	return is_known && (is_recorded || is_other);
}

/* The trace of a witness that does not count. */
static void drop_harm(struct classifying *self)
{
	if (self->harm_trace)
		unlink(self->harm_trace);
	free(self->harm_trace);
	self->harm_trace = NULL;
	self->is_harm_other = false;
}

/* Returns 1 when the failure is caused by the order. */
static int try_instance(struct classifying *self, size_t at, struct err *err)
{
	const struct instance *instance = &self->instances[at];
	drop_harm(self);
	classify_want(self, instance, false, instance->first, false, 0);
	classify_want(self, instance, true, instance->first, false, 0);
	classify_want_onward(self, instance, HEDDLE_ONWARD_SKIP);
	classify_want_onward(self, instance, HEDDLE_ONWARD_RETURN);
	int code = classify_serve(self, err);
	if (code == 0 && is_caused(self, at))
		return 1;
	drop_harm(self);
	return code;
}

/* Returns 1 when its failure is caused by the order: then its instances and their witnesses stay, up to the one that shows it. Those that do not are forgotten. */
static int try_schedule(struct classifying *self, const char *trace, struct err *err)
{
	const size_t from = self->instance_count, witnesses = self->witness_count;
	struct err ignored = ERR_INIT;
	int code = 0;
	/* A schedule that cannot be replayed is none. */
	if (classify_add_schedule(self, trace, true, from + FAILED_INSTANCES, &ignored) < 0)
		return 0;
	size_t at = from;
	while (at < self->instance_count && code == 0)
		code = try_instance(self, at++, err);
	if (code == 0)
		classify_forget(self, witnesses, from);
	for (size_t i = witnesses; i < self->witness_count; i++)
		if (code < 0 || self->witnesses[i].instance + 1 != at)
			self->witnesses[i].order = WITNESS_UNKNOWN;
	return code;
}

int classify_try_suspects(struct classifying *self, struct err *err)
{
	int code = 0;
	for (size_t i = 0; i < self->suspect_count && code == 0; i++)
		code = try_schedule(self, self->suspects[i], err);
	return code;
}

void classify_drop_suspects(struct classifying *self)
{
	for (size_t i = 0; i < self->suspect_count; i++) {
		unlink(self->suspects[i]);
		free(self->suspects[i]);
		self->suspects[i] = NULL;
	}
	self->suspect_count = 0;
}

int classify_try_failures(struct classifying *self, size_t from, struct err *err)
{
	const struct findings *findings = &self->test->judge.findings;
	size_t tried = 0;
	int code = classify_try_suspects(self, err);
	for (size_t i = from; i < findings->count && code == 0 && tried < FAILED_SCHEDULES; i++) {
		const struct finding *failure = findings->items[i];
		if (!classify_is_failure(failure) || !test_is_reducible(failure))
			continue;
		tried++;
		code = try_schedule(self, failure->evidence.trace, err);
	}
	return code < 0 ? code : 0;
}
