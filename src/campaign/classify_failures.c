/*
 * classify_failures.c: schedules that fail, for a race that no witness shows to be harmful: loose runs of its own, and the failures that the test has
 * found. What fails may need a third thread at the right moment, and such a schedule has it. It contains many races, though, so a failure counts only if the same schedule with the
 * accesses of this race in the other order does not have it: all else goes on as its steps say.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "campaign/classify_priv.h"

/* Whether the failure is there in the recorded order only, and each run had the order that it should have. */
static bool is_caused(const struct classifying *self, size_t instance)
{
	bool is_failed = false;
	for (size_t i = 0; i < self->witness_count; i++) {
		const struct witness *witness = &self->witnesses[i];
		if (witness->instance != instance)
			continue;
		if (witness->order != WITNESS_MADE || witness->is_lost || !witness->failure != witness->is_other)
			return false;
		is_failed |= !witness->is_other;
	}
	return is_failed;
}

static void forget(struct classifying *self, size_t instance)
{
	for (size_t i = 0; i < self->witness_count; i++)
		if (self->witnesses[i].instance == instance)
			self->witnesses[i].order = WITNESS_UNKNOWN;
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
	classify_want(self, instance, false, instance->first, false, 0);
	classify_want(self, instance, true, instance->first, false, 0);
	classify_want_onward(self, instance);
	int code = classify_serve(self, err);
	if (code == 0 && is_caused(self, at))
		return 1;
	forget(self, at);
	drop_harm(self);
	return code;
}

static int try_schedule(struct classifying *self, const char *trace, size_t most, struct err *err)
{
	const size_t from = self->instance_count;
	struct err ignored = ERR_INIT;
	int code = 0;
	/* A schedule that cannot be replayed is none. */
	if (classify_add_schedule(self, trace, most, &ignored) < 0)
		return 0;
	for (size_t at = from; at < self->instance_count && code == 0; at++)
		code = try_instance(self, at, err);
	return code;
}

int classify_try_suspects(struct classifying *self, size_t most, struct err *err)
{
	int code = 0;
	for (size_t i = 0; i < self->suspect_count && code == 0 && self->instance_count < most; i++)
		code = try_schedule(self, self->suspects[i], most, err);
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
	const size_t most = self->instance_count + FAILED_INSTANCES;
	size_t tried = 0;
	int code = classify_try_suspects(self, most, err);
	for (size_t i = from; i < findings->count && code == 0 && tried < FAILED_SCHEDULES; i++) {
		const struct finding *failure = findings->items[i];
		if (!classify_is_failure(failure) || !test_is_reducible(failure) || self->instance_count >= most)
			continue;
		tried++;
		code = try_schedule(self, failure->evidence.trace, most, err);
	}
	return code < 0 ? code : 0;
}
