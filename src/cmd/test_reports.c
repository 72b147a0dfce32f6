/* test_reports.c: what heddle test found, in the formats that were asked for; docs/FORMATS.md has the schema of the JSON. */
#include <inttypes.h>

#include "cmd/test_say.h"
#include "judge/store_use.h"
#include "narrate/advice.h"
#include "narrate/finding_json.h"

static void add_json(struct buf *out, const struct test *test)
{
	const struct campaign *campaign = &test->campaign;
	buf_add_string(out, "{\"heddle\":1,");
	json_put(out, "program", test->trace.program);
	json_put_strings(out, "arguments", &test->trace.arguments);
	buf_add_string(out, ",");
	json_put(out, "build", test->identity);
	buf_add_string(out, ",");
	json_put(out, "weave", test->weave);
	buf_add_string(out, ",");
	json_put(out, "timing", run_timings[run_is_early(&test->request->run) ? 0 : 1]);
	buf_format(out, ",\"schedules\":%" PRIu64 ",\"different\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"seconds\":%.3f",
		   campaign->answered, campaign->distinct, test->lost_count, campaign->elapsed);
	buf_format(out, ",\"reduce_runs\":%" PRIu64 ",\"replays\":%" PRIu64, test->reduce_runs, test->replay_count);
	buf_format(out, ",\"interrupted\":%s", test_is_stopped(test) ? "true" : "false");
	json_put_strings(out, "notes", &test->notes);
	json_put_strings(out, "unwoven", &test->unwoven);
	buf_format(out, ",\"openmp_threads\":%" PRIu32, test->hidden_most);
	json_put_strings(out, "missed", &test->judge.missed);
	json_put_suppressions(out, &test->suppressions);
	buf_add_string(out, ",\"findings\":[");
	for (size_t i = 0; i < test->judge.findings.count; i++) {
		if (i)
			buf_add_string(out, ",");
		finding_json(out, test->judge.findings.items[i], NULL, store_option(test->request->store));
	}
	buf_add_string(out, "]}\n");
}

int test_say_reports(struct test_say *self, struct test *test, struct err *err)
{
	struct findings *findings = &test->judge.findings;
	struct buf json = { 0 };
	struct document document = { .is_own = true };
	if (!outputs_is_any(&self->outputs))
		return 0;
	/* What was not shown, since it was interrupted or is suppressed, has no advice yet. */
	for (size_t i = 0; i < findings->count; i++)
		if (!findings->items[i]->presentation.advice.count)
			advice_collect(&findings->items[i]->presentation.advice, findings->items[i], NULL, findings);
	add_json(&json, test);
	int code = document_read(&document, json.data, json.size, NULL, err);
	if (code == 0)
		code = outputs_write(&self->outputs, &json, &document, err);
	document_release(&document);
	buf_release(&json);
	return code;
}
