/* test_json.c: what heddle test found, as JSON; docs/FORMATS.md has the schema. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/proc.h"
#include "base/text.h"
#include "cmd/describe.h"
#include "cmd/run_priv.h"
#include "cmd/test_priv.h"
#include "cmd/woven.h"

static void add_member(struct buf *out, const char *name, const char *value)
{
	buf_format(out, "\"%s\":", name);
	text_json(out, value);
}

static void add_build(struct buf *out, const char *program)
{
	struct woven *woven;
	struct err ignored = ERR_INIT;
	if (woven_open(program, &woven, &ignored) < 0) {
		buf_add_string(out, "\"build\":null");
		return;
	}
	buf_add_string(out, "\"build\":\"");
	describe_build(out, woven_build(woven)->id);
	buf_add_string(out, "\"");
	woven_free(woven);
}

/* A string: not every number of 64 bits survives in readers of JSON. */
static void add_value(struct buf *out, const char *name, uint64_t value)
{
	buf_format(out, ",\"%s\":\"", name);
	finding_tell_value(out, value);
	buf_add_string(out, "\"");
}

static void add_site(struct buf *out, const struct finding_site *site)
{
	buf_add_string(out, "{");
	add_member(out, "file", site->file);
	buf_format(out, ",\"line\":%" PRIu32 ",\"column\":%" PRIu32 ",", site->line, site->column);
	add_member(out, "function", site->function);
	buf_add_string(out, ",");
	add_member(out, "variable", site->variable);
	buf_add_string(out, ",");
	add_member(out, "access", site->access);
	buf_format(out, ",\"thread\":%" PRIu32, site->thread);
	if (site->is_beside)
		buf_add_string(out, ",\"is_beside\":true");
	if (site->thread_name) {
		buf_add_string(out, ",");
		add_member(out, "thread_name", site->thread_name);
	}
	if (site->event)
		buf_format(out, ",\"event\":%" PRIu64, site->event);
	if (site->has_value)
		add_value(out, "before", site->value_before);
	if (site->has_value && site->is_changed)
		add_value(out, "after", site->value_after);
	buf_add_string(out, "}");
}

static void add_suppression(struct buf *out, const struct suppression *suppression)
{
	buf_add_string(out, "{");
	add_member(out, "file", suppression->file);
	buf_format(out, ",\"line\":%" PRIu32 ",", suppression->line);
	add_member(out, "text", suppression->text);
	buf_format(out, ",\"matched\":%" PRIu64 "}", suppression->matched);
}

static void add_suppressions(struct buf *out, const struct suppressions *suppressions)
{
	buf_add_string(out, ",\"suppressions\":[");
	for (size_t i = 0; i < suppressions->count; i++) {
		buf_add_string(out, i ? "," : "");
		add_suppression(out, &suppressions->items[i]);
	}
	buf_add_string(out, "]");
}

static const char *const standings[] = {
	[STORE_FIRST] = "new",         [STORE_AGAIN] = "known",           [STORE_CAME_BACK] = "came-back",
	[STORE_FIXED_SINCE] = "fixed", [STORE_SUPPRESSED] = "suppressed",
};

static void add_finding(struct buf *out, const struct finding *finding)
{
	struct buf replay = { 0 };
	if (finding->trace)
		proc_quote(&replay, (char *[]){ "heddle", "replay", finding->trace, NULL });
	buf_format(out, "{\"id\":\"H%" PRIu64 "\",", finding->number);
	add_member(out, "name", finding->name);
	buf_add_string(out, ",");
	add_member(out, "kind", finding_kind_words[finding->kind]);
	buf_add_string(out, ",");
	add_member(out, "standing", standings[finding->standing]);
	if (finding->fingerprint[0]) {
		buf_add_string(out, ",");
		add_member(out, "fingerprint", finding->fingerprint);
	}
	buf_add_string(out, ",\"class\":null,");
	add_member(out, "summary", finding->summary.data);
	buf_add_string(out, ",");
	add_member(out, "details", finding->details.data ? finding->details.data : "");
	if (finding->is_reduced) {
		buf_format(out, ",\"preemptions\":%" PRIu32 ",\"is_fewest\":%s,", finding->preemptions,
			   finding->is_fewest ? "true" : "false");
		add_member(out, "needs", finding->needs.data ? finding->needs.data : "");
	}
	if (finding->cycle)
		buf_format(out, ",\"steered\":%" PRIu32, finding->cycle->tried);
	buf_add_string(out, ",\"sites\":[");
	for (size_t i = 0; i < finding->site_count; i++) {
		if (i)
			buf_add_string(out, ",");
		add_site(out, &finding->sites[i]);
	}
	buf_format(out, "],\"variants\":%" PRIu64 ",\"schedules_to_first\":%" PRIu64 ",\"seen\":%" PRIu64 ",",
		   finding->variants ? finding->variants : 1, finding->first, finding->seen);
	if (finding->suppression) {
		buf_add_string(out, "\"suppressed\":true,\"suppression\":");
		add_suppression(out, finding->suppression);
	} else {
		buf_add_string(out, "\"suppressed\":false,\"suppression\":null");
	}
	buf_add_string(out, ",");
	add_member(out, "trace", finding->trace);
	buf_add_string(out, ",");
	add_member(out, "replay", replay.data);
	if (finding->interleaving.size)
		buf_format(out, ",%s", finding->interleaving.data);
	buf_add_string(out, "}");
	buf_release(&replay);
}

static void add_strings(struct buf *out, const char *name, const struct strings *list)
{
	buf_format(out, ",\"%s\":[", name);
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			buf_add_string(out, ",");
		text_json(out, list->items[i]);
	}
	buf_add_string(out, "]");
}

void test_json(const struct test *self, struct buf *out)
{
	const struct campaign *campaign = &self->campaign;
	buf_add_string(out, "{\"heddle\":1,");
	add_member(out, "program", self->trace.program);
	add_strings(out, "arguments", &self->trace.arguments);
	buf_add_string(out, ",");
	add_build(out, self->trace.program);
	buf_format(out, ",\"schedules\":%" PRIu64 ",\"different\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"seconds\":%.3f",
		   campaign->answered, campaign->distinct, self->lost_count, campaign->elapsed);
	buf_format(out, ",\"interrupted\":%s", test_is_stopped ? "true" : "false");
	add_strings(out, "notes", &self->notes);
	add_suppressions(out, &self->suppressions);
	buf_add_string(out, ",\"findings\":[");
	for (size_t i = 0; i < self->judge.findings.count; i++) {
		if (i)
			buf_add_string(out, ",");
		add_finding(out, self->judge.findings.items[i]);
	}
	buf_add_string(out, "]}\n");
}
