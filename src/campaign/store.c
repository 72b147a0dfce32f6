/*
 * store.c: what a test writes into the store (store/record.h): each finding before it is reported, so that the reader
 * of a report can count on it, and at the end how many schedules there were.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "campaign/test_priv.h"
#include "explore/strategies.h"
#include "judge/evidence.h"
#include "judge/grouping.h"
#include "judge/store_use.h"
#include "narrate/stored.h"
#include "narrate/verdict.h"
#include "store/fingerprint.h"
#include "store/read.h"
#include "store/sweep.h"
#include "store/verdict.h"
#include "symbols/describe.h"
#include "symbols/line.h"

static char *weave_of(const char *program)
{
	struct woven *woven;
	struct err ignored = ERR_INIT;
	struct buf out = { 0 };
	if (woven_open(program, &woven, &ignored) < 0)
		return NULL;
	describe_build(&out, woven_build(woven)->id);
	woven_free(woven);
	return out.data;
}

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
	self->weave = weave_of(self->trace.program);
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

/* What distinguishes it from others of its kind, apart from places. */
static const char *detail_of(const struct finding *finding)
{
	switch (kinds[finding->identity.kind].fingerprint) {
	case KIND_BY_PLACES:
		break;
	case KIND_BY_MEMORY:
		if (finding_is_bad_free(finding))
			return report_free_word(&finding->evidence.memory);
		if (finding->evidence.origin == FINDING_OF_MEMORY)
			return report_state_words[finding->evidence.memory.state];
		return finding->evidence.site_count ? finding->evidence.sites[0].access : "";
	case KIND_BY_ACCESS:
		return finding->evidence.site_count ? finding->evidence.sites[0].access : "";
	case KIND_BY_KEY:
		return finding->identity.key;
	}
	return "";
}

/* What the build kept of the line is the same wherever the test runs; sources are asked where it kept nothing. */
static void set_place(const struct test *self, struct fingerprint_place *place, const struct finding_site *site,
		      struct strings *kept)
{
	struct symbols *symbols = self->judge.scene.symbols;
	struct buf code = { 0 }, around = { 0 };
	*place = (struct fingerprint_place){
		.function = site->function,
		.variable = site->variable,
		.file = site->file,
		.line = line_is_near(site->line) ? 0 : site->line,
	};
	if (symbols && site->file && place->line && symbols_line(symbols, site->file, place->line, &code, &around)) {
		strings_add(kept, code.data);
		place->code = kept->items[kept->count - 1];
		strings_add(kept, around.data);
		place->around = kept->items[kept->count - 1];
	}
	buf_release(&code);
	buf_release(&around);
}

/* Whether its callers distinguish it: then it has a fingerprint without them, too. */
static bool has_old_identity(const struct finding *finding)
{
	return kinds[finding->identity.kind].fingerprint == KIND_BY_ACCESS;
}

/* is_old: as version 0.1.0 made it, without callers. */
static void make_fingerprint(const struct test *self, const struct finding *finding, bool is_old,
			     struct fingerprint *fingerprint)
{
	const size_t caller_count = is_old ? 0 : finding->evidence.caller_count;
	struct fingerprint_place *places =
		mem_alloc((finding->evidence.site_count + caller_count + 1) * sizeof *places);
	const char *slash = strrchr(self->short_path, '/');
	char *program = mem_format("%s%s", slash ? slash + 1 : self->short_path, arguments_of(self));
	struct fingerprint_subject subject = {
		.kind = kinds[finding->identity.kind].word,
		.detail = detail_of(finding),
		.program = program,
		.places = places,
	};
	struct stat status;
	struct strings kept = { 0 };
	for (size_t i = 0; i < finding->evidence.site_count; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		if (!site->is_beside)
			set_place(self, &places[subject.place_count++], site, &kept);
	}
	for (size_t i = 0; i < caller_count; i++) {
		const struct finding_caller *caller = &finding->evidence.callers[i];
		const struct finding_site site = { .file = caller->file,
						   .function = caller->function,
						   .line = caller->line };
		set_place(self, &places[subject.place_count++], &site, &kept);
	}
	if (stat(self->trace.program, &status) == 0)
		subject.built = status.st_mtim;
	fingerprint_make(fingerprint, &subject);
	strings_release(&kept);
	free(places);
	free(program);
}

static const char *keep_value(struct strings *values, uint64_t value)
{
	struct buf text = { 0 };
	finding_describe_value(&text, value);
	strings_add(values, text.data);
	buf_release(&text);
	return values->items[values->count - 1];
}

/* To be freed; the strings of values are in it. */
static struct store_site *sites_of(const struct finding *finding, struct strings *values)
{
	struct store_site *sites = mem_alloc((finding->evidence.site_count + 1) * sizeof *sites);
	for (size_t i = 0; i < finding->evidence.site_count; i++) {
		const struct finding_site *site = &finding->evidence.sites[i];
		sites[i] = (struct store_site){
			.file = site->file,
			.function = site->function,
			.variable = site->variable,
			.access = site->access,
			.line = line_number(site->line),
			.is_near = line_is_near(site->line),
			.column = site->column,
			.thread = site->thread,
			.thread_name = site->thread_name,
			.event = site->event,
			.is_beside = site->is_beside,
			.code = site->code,
			.proof = site->proof,
			.proof_locks = site->proof_locks,
			.before = site->has_value ? keep_value(values, site->value_before) : NULL,
			.after = site->has_value && site->is_changed ? keep_value(values, site->value_after) : NULL,
		};
	}
	return sites;
}

/* 0: at the end of the evidence */
static uint64_t event_of(const struct finding *finding)
{
	switch (finding->evidence.origin) {
	case FINDING_OF_RACE:
		return finding->evidence.race.event;
	case FINDING_OF_MEMORY:
		return finding->evidence.memory.event;
	case FINDING_OF_END:
	case FINDING_OF_ORDERS:
		break;
	}
	return 0;
}

int test_store(struct test *self, struct finding *finding, struct err *err)
{
	struct fingerprint fingerprint, old;
	struct strings values = { 0 };
	struct store_site *sites = sites_of(finding, &values);
	int64_t id;
	make_fingerprint(self, finding, false, &fingerprint);
	make_fingerprint(self, finding, true, &old);
	memcpy(finding->identity.fingerprint, fingerprint.identity, sizeof finding->identity.fingerprint);
	const struct store_seen seen = {
		.kind = kinds[finding->identity.kind].word,
		.key = finding->identity.key,
		.fingerprint = fingerprint.identity,
		.context = fingerprint.context,
		.old_key = finding->identity.old_key ? finding->identity.old_key : finding->identity.key,
		.old_fingerprint = has_old_identity(finding) ? old.identity : NULL,
		.summary = finding->presentation.summary.data ? finding->presentation.summary.data : "",
		.details = finding->presentation.details.data ? finding->presentation.details.data : "",
		.sites = sites,
		.site_count = finding->evidence.site_count,
		.schedule = finding->evidence.first,
		.strategy = finding->evidence.plan.strategy < HEDDLE_STRATEGY_COUNT
				    ? strategies_rows[finding->evidence.plan.strategy].word
				    : "",
		.seed = finding->evidence.plan.seed,
		.trace = finding->evidence.trace ? evidence_in_store(finding->evidence.trace) : NULL,
		.parts = finding->evidence.parts,
		.event = event_of(finding),
	};
	int code = store_see(&self->stored, &seen, &id, &finding->identity.standing, err);
	if (code == 0)
		finding->identity.number = (uint64_t)id;
	strings_release(&values);
	free(sites);
	return code;
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
	struct store_site *sites = sites_of(finding, &values);
	finding_describe_needs(&needs, finding);
	const struct store_needs stored = {
		.text = needs.data,
		.summary = finding->presentation.summary.data ? finding->presentation.summary.data : "",
		.details = finding->presentation.details.data ? finding->presentation.details.data : "",
		.sites = sites,
		.site_count = finding->evidence.site_count,
		.trace = evidence_in_store(finding->evidence.trace),
		.parts = finding->evidence.parts,
		.event = event_of(finding),
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
