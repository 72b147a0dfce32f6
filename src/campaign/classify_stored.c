/*
 * classify_stored.c: classifies a data race of the store. Its evidence is replayed, so that its accesses are known again; then it is
 * judged like a race of the test that found it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/test_priv.h"
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

/* Replays the trace, and moves the finding that is like the stored one to those of the test. Null, with err set: it is not there. */
static struct finding *find_again(struct test *self, const char *path, const struct finding *stored, struct err *err)
{
	struct trace recorded;
	struct retrace replay = { .quiet_seconds = QUIET_SECONDS };
	struct finding *found = NULL;
	trace_init(&recorded);
	int code = trace_read(path, &recorded, err);
	if (code == 0 && !(recorded.request.flags & HEDDLE_CONTROL_DETECT))
		code = err_set(err, ENOTSUP, "the evidence was recorded without detection");
	if (code == 0)
		code = retrace(&replay, &recorded, err);
	if (code == 0) {
		struct report report;
		struct judge judge = { 0 };
		report_parse(&report, replay.now.report.data ? replay.now.report.data : "", replay.now.report.size);
		/* The first runs are not judged, but their places are compared. */
		scene_set(&self->judge.scene, &report);
		detected_find(&judge, &replay.now.result, &report, path);
		const struct finding *like = findings_matching(&judge.findings, stored);
		for (size_t i = 0; i < judge.findings.count && !found; i++)
			if (judge.findings.items[i] == like) {
				findings_move(&self->judge.findings, &judge.findings, i);
				found = self->judge.findings.items[self->judge.findings.count - 1];
			}
		judge_release(&judge);
		report_release(&report);
		const uint64_t budget = BUDGET_FACTOR * recorded.result.event_count;
		self->trace.request.event_budget = budget > BUDGET_LEAST ? budget : BUDGET_LEAST;
		self->campaign.setup.fair_after = self->trace.request.event_budget / 3;
		if (found) {
			found->evidence.plan.seed = recorded.request.seed;
			identity_digest(&recorded, found->evidence.parts);
		} else {
			err_set(err, EINVAL, "the race was not seen again in the replay of its evidence");
		}
	}
	if (code == 0 || replay.now.program)
		retrace_release(&replay);
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
