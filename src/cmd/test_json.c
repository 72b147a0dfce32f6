/* test_json.c: what heddle test found, as JSON; docs/FORMATS.md has the schema. */
#include <inttypes.h>

#include "cmd/finding_json.h"
#include "cmd/run_priv.h"
#include "cmd/store_use.h"
#include "cmd/test_priv.h"

void test_json(const struct test *self, struct buf *out)
{
	const struct campaign *campaign = &self->campaign;
	buf_add_string(out, "{\"heddle\":1,");
	json_put(out, "program", self->trace.program);
	json_put_strings(out, "arguments", &self->trace.arguments);
	buf_add_string(out, ",");
	json_put(out, "build", self->identity);
	buf_add_string(out, ",");
	json_put(out, "weave", self->weave);
	buf_add_string(out, ",");
	json_put(out, "timing", run_timings[run_is_early() ? 0 : 1]);
	buf_format(out, ",\"schedules\":%" PRIu64 ",\"different\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"seconds\":%.3f",
		   campaign->answered, campaign->distinct, self->lost_count, campaign->elapsed);
	buf_format(out, ",\"reduce_runs\":%" PRIu64 ",\"replays\":%" PRIu64, self->reduce_runs, self->replay_count);
	buf_format(out, ",\"interrupted\":%s", test_is_stopped ? "true" : "false");
	json_put_strings(out, "notes", &self->notes);
	json_put_strings(out, "unwoven", &self->unwoven);
	buf_format(out, ",\"openmp_threads\":%" PRIu32, self->hidden_most);
	json_put_strings(out, "missed", &self->judge.missed);
	json_put_suppressions(out, &self->suppressions);
	buf_add_string(out, ",\"findings\":[");
	for (size_t i = 0; i < self->judge.findings.count; i++) {
		if (i)
			buf_add_string(out, ",");
		finding_json(out, self->judge.findings.items[i], NULL, store_option(test_asked.store));
	}
	buf_add_string(out, "]}\n");
}
