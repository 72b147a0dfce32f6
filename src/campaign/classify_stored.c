/*
 * classify_stored.c: classifies a data race of the store, or those of a trace. The evidence is replayed, so that the accesses are known again;
 * then they are judged like races of the test that found them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/test_priv.h"
#include "judge/evidence.h"
#include "judge/grouping.h"
#include "judge/retrace.h"
#include "judge/store_use.h"
#include "narrate/detected.h"
#include "store/read.h"
#include "symbols/identity.h"

/* Schedules may have this many times the events of the recorded run, and at least this number. */
#define BUDGET_FACTOR 60u
#define BUDGET_LEAST 1000000u
#define QUIET_SECONDS 5u

/* Replays the trace: judge, which must be { 0 }, gets what was detected, also if an error is returned. */
static int look_again(struct test *self, const char *path, struct judge *judge, struct trace *recorded, struct err *err)
{
	struct retrace replay = { .quiet_seconds = QUIET_SECONDS };
	int code = trace_read(path, recorded, err);
	if (code == 0 && !(recorded->request.flags & HEDDLE_CONTROL_DETECT)) {
		err_hint(err, "heddle run --detect --trace=FILE -- PROG ARGS");
		code = err_set(err, ENOTSUP, "the evidence was recorded without detection");
	}
	if (code == 0)
		code = retrace(&replay, recorded, err);
	if (code == 0) {
		struct report report;
		report_parse(&report, replay.now.report.data ? replay.now.report.data : "", replay.now.report.size);
		/* The first runs are not judged, but their places are compared. */
		scene_set(&self->judge.scene, &report);
		detected_find(judge, &replay.now.result, &report, path);
		report_release(&report);
		const uint64_t budget = BUDGET_FACTOR * recorded->result.event_count;
		self->trace.request.event_budget = budget > BUDGET_LEAST ? budget : BUDGET_LEAST;
		self->campaign.setup.fair_after = self->trace.request.event_budget / 3;
	}
	if (code == 0 || replay.now.program)
		retrace_release(&replay);
	return code;
}

/* Makes it a finding of the test. */
static struct finding *take_finding(struct test *self, struct judge *judge, size_t at, const struct trace *recorded)
{
	findings_move(&self->judge.findings, &judge->findings, at);
	struct finding *found = self->judge.findings.items[self->judge.findings.count - 1];
	found->evidence.plan.seed = recorded->request.seed;
	identity_digest(recorded, found->evidence.parts);
	return found;
}

/* The finding of the trace that is like the stored one becomes one of the test. Null, with err set: it is not there. */
static struct finding *find_again(struct test *self, const char *path, const struct finding *stored, struct err *err)
{
	struct trace recorded;
	struct judge judge = { 0 };
	struct finding *found = NULL;
	trace_init(&recorded);
	int code = look_again(self, path, &judge, &recorded, err);
	const struct finding *like = code == 0 ? findings_matching(&judge.findings, stored) : NULL;
	for (size_t i = 0; i < judge.findings.count && !found; i++)
		if (judge.findings.items[i] == like)
			found = take_finding(self, &judge, i, &recorded);
	if (code == 0 && !found)
		err_set(err, EINVAL, "the race was not seen again in the replay of its evidence");
	judge_release(&judge);
	trace_free(&recorded);
	return found;
}

static int read_group(void *context, const struct store_finding *finding)
{
	struct test *self = context;
	self->stored_group = (uint64_t)finding->head;
	self->stored_rules = grouping_parse_rules(finding->rules);
	return 0;
}

int test_run_stored(struct test *self, int64_t id, struct err *err)
{
	struct finding stored = { 0 };
	char *path = NULL;
	uint64_t event;
	struct finding *race = NULL;
	test_begin_campaign(self);
	self->campaign.is_second_first = false;
	int code = store_find_trace(self->request->store, id, &path, &event, err);
	if (code == 0)
		code = store_find_sites(self->request->store, id, &stored, err);
	if (code == 0)
		code = store_list(self->store, &(struct store_filter){ .id = id }, read_group, self, err);
	if (code == 0) {
		race = find_again(self, path, &stored, err);
		code = race ? 0 : -EINVAL;
	}
	if (code == 0) {
		race->identity.number = (uint64_t)id;
		self->stored_race = race;
		self->keeps_evidence = true;
		free(race->evidence.trace);
		race->evidence.trace = mem_copy_string(path);
		test_classify(self);
		self->listener->classified(self->listener->context, self, race);
		test_reduce(self);
	}
	if (code == 0)
		code = test_check_before(self, err);
	test_end_campaign(self);
	finding_clear(&stored);
	free(path);
	struct err unstored = ERR_INIT;
	int closed = test_close_store(self, &unstored);
	if (closed < 0 && code == 0) {
		code = closed;
		*err = unstored;
	}
	return code;
}

/* All data races of the trace become findings of the test and of the store, with the trace as their evidence. */
static int take_races(struct test *self, const char *path, struct err *err)
{
	struct trace recorded;
	struct judge judge = { 0 };
	size_t at = 0, taken = 0;
	trace_init(&recorded);
	int code = look_again(self, path, &judge, &recorded, err);
	while (code == 0 && at < judge.findings.count) {
		if (!test_is_race(judge.findings.items[at])) {
			at++;
			continue;
		}
		struct finding *race = take_finding(self, &judge, at, &recorded);
		code = evidence_copy(race, path, err);
		if (code == 0)
			code = test_store(self, race, err);
		taken++;
	}
	if (code == 0 && !taken)
		code = err_set(err, ENOENT, "it has no data race");
	judge_release(&judge);
	trace_free(&recorded);
	return code;
}

int test_run_trace(struct test *self, const char *path, struct err *err)
{
	test_begin_campaign(self);
	self->campaign.is_second_first = false;
	int code = take_races(self, path, err);
	if (code == 0) {
		const size_t count = self->judge.findings.count;
		self->keeps_evidence = true;
		test_classify(self);
		for (size_t i = 0; i < count; i++)
			self->listener->classified(self->listener->context, self, self->judge.findings.items[i]);
		test_reduce(self);
		code = test_check_before(self, err);
	}
	test_end_campaign(self);
	struct err unstored = ERR_INIT;
	int closed = test_close_store(self, &unstored);
	if (closed < 0 && code == 0) {
		code = closed;
		*err = unstored;
	}
	return code;
}
