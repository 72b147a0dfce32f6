/* test_reports.c: what heddle test found, in the formats that were asked for; docs/FORMATS.md has the schema of the JSON. */
#include "cmd/test_say.h"
#include "judge/store_use.h"
#include "narrate/advice.h"
#include "narrate/finding_json.h"
#include "narrate/groups_json.h"

/* What is found without some synchronisation is not a finding of the program. */
/* What is left to find; null as long as nothing can be said. */
static void add_left(struct json_writer *out, const struct enough *enough)
{
	const struct enough_estimate left = enough_estimate(enough);
	if (!left.is_known) {
		json_add_null(out, "left");
		return;
	}
	json_open_object(out, "left");
	json_add_number(out, "shown", left.shown);
	json_add_number(out, "recent", left.recent);
	json_add_decimal(out, "expected", left.expected, 1);
	json_add_decimal(out, "undiscovered", left.undiscovered, 1);
	json_close_object(out);
}

static void add_without(struct json_writer *out, const struct without *without)
{
	if (!without->count)
		return;
	json_add_bool(out, "hypothetical", true);
	json_open_array(out, "without");
	for (size_t i = 0; i < without->count; i++) {
		const struct without_line *line = &without->lines[i];
		json_open_object(out, NULL);
		json_add_string(out, "file", line->found);
		json_add_number(out, "line", line->line);
		json_add_strings(out, "functions", &line->functions);
		json_add_number(out, "skipped", line->skipped);
		json_add_number(out, "schedules", line->schedules);
		json_close_object(out);
	}
	json_close_array(out);
}

static void add_json(struct buf *text, const struct test *test)
{
	const struct campaign *campaign = &test->campaign;
	struct json_writer writer, *out = &writer;
	struct grouping grouping;
	grouping_make(&grouping, &test->judge.findings);
	grouping_keep(&grouping);
	json_begin_report(out, text);
	json_add_string(out, "program", test->trace.program);
	json_add_strings(out, "arguments", &test->trace.arguments);
	json_add_string(out, "build", test->identity);
	json_add_string(out, "weave", test->weave);
	json_add_string(out, "timing", run_timings[run_is_early(&test->request->run) ? 0 : 1]);
	json_add_number(out, "schedules", campaign->answered);
	json_add_number(out, "different", campaign->distinct);
	add_left(out, &test->enough);
	json_add_number(out, "lost", test->lost_count);
	json_add_decimal(out, "seconds", campaign->elapsed, 3);
	json_add_number(out, "reduce_runs", test->reduce_runs);
	json_add_number(out, "classify_runs", test->classify_runs);
	json_add_decimal(out, "classify_seconds", test->classify_seconds, 3);
	json_add_number(out, "replays", test->replay_count);
	json_add_bool(out, "interrupted", test_is_stopped(test));
	json_add_strings(out, "notes", &test->notes);
	add_without(out, &test->without);
	json_add_strings(out, "unwoven", &test->unwoven);
	json_add_number(out, "openmp_threads", test->max_hidden);
	json_add_strings(out, "missed", &test->judge.missed);
	json_add_suppressions(out, &test->suppressions);
	groups_json(out, &grouping);
	json_open_array(out, "findings");
	for (size_t i = 0; i < test->judge.findings.count; i++)
		finding_json(out, test->judge.findings.items[i], NULL, store_option(test->request->store));
	json_close_array(out);
	json_end_file(out);
	grouping_release(&grouping);
}

int test_say_reports(struct test_say *self, struct test *test, struct err *err)
{
	struct findings *findings = &test->judge.findings;
	struct buf json = { 0 };
	if (!outputs_is_any(&self->outputs))
		return 0;
	/* What was not shown, since it was interrupted or is suppressed, has no advice yet. */
	for (size_t i = 0; i < findings->count; i++)
		if (!findings->items[i]->presentation.advice.count)
			advice_collect(&findings->items[i]->presentation.advice, findings->items[i], NULL, findings);
	add_json(&json, test);
	int code = outputs_write_own(&self->outputs, &json, err);
	buf_release(&json);
	return code;
}
