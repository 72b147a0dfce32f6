/*
 * store.c: what a test writes into the store (store/record.h): each finding before it is reported, so that the reader
 * of a report can count on it, and at the end how many schedules there were.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/stored_finding.h"
#include "campaign/test_priv.h"
#include "explore/strategies.h"
#include "judge/evidence.h"
#include "judge/grouping.h"
#include "judge/store_use.h"
#include "narrate/stored.h"
#include "narrate/verdict.h"
#include "store/read.h"
#include "store/sweep.h"
#include "store/verdict.h"

/* After the identity of the build: see evidence_program. */
static const char *arguments_of(const struct test *self)
{
	return self->program + strcspn(self->program, "\n");
}

int test_open_store(struct test *self, struct err *err)
{
	self->log_path = evidence_path("log");
	self->identity = store_identity(self->trace.program);
	if (!self->identity)
		self->identity = mem_copy_string("unknown");
	self->weave = stored_weave(self->trace.program);
	self->short_path = store_program_path(self->trace.program);
	int code = store_use(self->request->store, STORE_WRITE, &self->store, err);
	if (code < 0)
		return code;
	running_open(&self->running, store_folder(self->request->store));
	code = store_sweep(self->store, &self->running, SWEEP_ALL, err);
	if (code < 0)
		return code;
	const struct store_subject subject = {
		.identity = self->identity,
		.weave = self->weave,
		.program = self->short_path,
		.arguments = arguments_of(self),
		.strategy = self->request->run.strategy ? self->request->run.strategy : planner_names[0],
		.seed = self->trace.request.seed,
	};
	code = store_begin_test(&self->stored, self->store, &self->running, &subject, err);
	evidence_set_mark(self->stored.mark);
	return code;
}

static struct stored_program program_of(const struct test *self)
{
	return (struct stored_program){ .path = self->trace.program,
					.short_path = self->short_path,
					.arguments = arguments_of(self),
					.symbols = self->judge.scene.symbols };
}

int test_store(struct test *self, struct finding *finding, struct err *err)
{
	const struct stored_program program = program_of(self);
	const char *strategy = finding->evidence.plan.strategy < HEDDLE_STRATEGY_COUNT
				       ? strategies_rows[finding->evidence.plan.strategy].word
				       : "";
	/* The runs that classify fail, if anything does. Evidence of other races that ends in that failure would make these harmful, too. */
	const bool is_spare = self->keeps_evidence && test_is_race(finding);
	return stored_finding_see(&self->stored, &program, finding, strategy, is_spare, err);
}

int test_store_suppression(struct test *self, struct finding *finding, struct err *err)
{
	bool is_suppressed = finding->identity.suppression,
	     was_suppressed = finding->identity.standing == STORE_SUPPRESSED;
	if (!is_suppressed && !was_suppressed)
		return 0;
	if (!is_suppressed)
		finding->identity.standing = STORE_AGAIN;
	return store_set_suppressed(&self->stored, (int64_t)finding->identity.number,
				    is_suppressed ? finding->identity.suppression->text : NULL, err);
}

bool test_is_kept(struct test *self, const char *trace)
{
	return trace && store_has_trace(self->store, evidence_in_store(trace));
}

int test_store_needs(struct test *self, const struct finding *finding, struct err *err)
{
	struct buf needs = { 0 };
	struct strings values = { 0 };
	if (!finding->identity.number)
		return 0;
	struct store_site *sites = stored_finding_sites(finding, &values);
	finding_describe_needs(&needs, finding);
	const struct store_needs stored = {
		.text = needs.data,
		.summary = finding->presentation.summary.data ? finding->presentation.summary.data : "",
		.details = finding->presentation.details.data ? finding->presentation.details.data : "",
		.sites = sites,
		.site_count = finding->evidence.site_count,
		.trace = evidence_in_store(finding->evidence.trace),
		.parts = finding->evidence.parts,
		.event = stored_finding_event(finding),
		.preemptions = finding->evidence.preemptions,
		.early = finding->evidence.early,
		.is_fewest = finding->evidence.is_fewest,
	};
	int code = store_set_needs(&self->stored, (int64_t)finding->identity.number, &stored, err);
	strings_release(&values);
	free(sites);
	buf_release(&needs);
	return code;
}

/* Kinds that this test would have seen. */
static bool would_see(const struct test *self, enum kind_seen seen)
{
	switch (seen) {
	case KIND_ALWAYS:
		return true;
	case KIND_WOVEN:
		return self->is_woven && !self->request->run.switched;
	case KIND_NO_ORDERS_LEFT:
		return self->judge.orders.count == 0;
	case KIND_UNCHECKED:
		return !self->judge.is_checked;
	case KIND_OUTPUT:
		return !self->judge.is_checked && self->judge.output != JUDGE_OUTPUT_IGNORED;
	case KIND_CHECKED:
		return self->judge.is_checked;
	case KIND_NEVER:
		break;
	}
	return false;
}

static void list_kinds(const struct test *self, const char *seen[FINDING_KIND_COUNT + 1])
{
	size_t count = 0;
	for (size_t i = 0; i < FINDING_KIND_COUNT; i++)
		if (would_see(self, kinds[i].seen))
			seen[count++] = kinds[i].word;
	seen[count] = NULL;
}

static const char *keep_rules(struct strings *kept, uint32_t rules)
{
	struct buf text = { 0 };
	grouping_add_rules(&text, rules);
	strings_add(kept, text.data ? text.data : "");
	buf_release(&text);
	return kept->items[kept->count - 1];
}

/* A race of the store is classified without the other findings of its group: it stays there, and what it leads to comes with it. */
static void keep_group(struct test *self)
{
	const struct findings *findings = &self->judge.findings;
	const struct finding *race = self->stored_race;
	if (!race || !self->stored_group)
		return;
	const uint64_t made = race->identity.group;
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = findings->items[i];
		if (finding->identity.group != made)
			continue;
		finding->identity.group = self->stored_group;
		finding->identity.rules |= finding == race ? self->stored_rules : 0;
	}
}

int test_close_store(struct test *self, struct err *err)
{
	const struct findings *findings = &self->judge.findings;
	const char *seen[FINDING_KIND_COUNT + 1];
	struct store_count *counts = mem_alloc((findings->count + 1) * sizeof *counts);
	struct store_fixed *fixed;
	size_t fixed_count;
	struct buf suppressions = { 0 };
	size_t count = 0;
	uint64_t ran = self->campaign.answered + self->steer_runs, unknown = self->lost_count + self->unfinished_count;
	struct strings rules = { 0 };
	struct grouping grouping;
	grouping_make(&grouping, findings);
	grouping_keep(&grouping);
	grouping_release(&grouping);
	keep_group(self);
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i]->identity.number)
			counts[count++] = (struct store_count){
				.id = (int64_t)findings->items[i]->identity.number,
				.head = (int64_t)findings->items[i]->identity.group,
				.rules = keep_rules(&rules, findings->items[i]->identity.rules),
				.seen = findings->items[i]->evidence.seen,
				.soonest = findings->items[i]->evidence.soonest,
				.variants = findings->items[i]->evidence.variants
						    ? findings->items[i]->evidence.variants
						    : 1,
			};
	for (size_t i = 0; i < findings->count; i++)
		findings->items[i]->evidence.schedules = ran;
	for (size_t i = 0; i < self->suppressions.count; i++)
		buf_format(&suppressions, "%s%s\n", i ? "" : "\n", self->suppressions.items[i].text);
	list_kinds(self, seen);
	const struct store_end end = {
		.counts = counts,
		.count = count,
		.schedules = ran > unknown ? ran - unknown : 0,
		.kinds = seen,
		.suppressions = suppressions.size ? suppressions.data : "",
		.fixed_after = self->request->fixed_after,
	};
	int code = store_end_test(&self->stored, &end, &fixed, &fixed_count, err);
	if (code == 0)
		code = store_sweep(self->store, &self->running, SWEEP_SUPERSEDED, err);
	for (size_t i = 0; i < fixed_count && code == 0; i++)
		strings_note(&self->notes,
			     "H%" PRId64 " is considered fixed: it was not seen in %" PRIu64
			     " schedules of newer builds",
			     fixed[i].id, fixed[i].unseen);
	free(fixed);
	strings_release(&rules);
	buf_release(&suppressions);
	free(counts);
	return code;
}
