/* detected.c: see detected.h. */
#include "narrate/detected.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/line.h"

bool detected_is(const struct finding *finding)
{
	return finding->evidence.origin != FINDING_OF_END || finding->identity.kind == FINDING_LOCK_ORDER;
}

/* Describes the last new_findings findings, in one pass if there is a trace of them. */
static void detail(struct judge *judge, uint32_t new_findings, const char *path)
{
	struct findings *findings = &judge->findings;
	struct finding **new_ones = mem_alloc((new_findings + 1) * sizeof *new_ones);
	size_t count = 0;
	for (uint32_t left = new_findings; left > 0; left--) {
		struct finding *finding = findings->items[findings->count - left];
		if (finding->evidence.origin == FINDING_OF_END)
			continue;
		if (path)
			finding->evidence.trace = mem_copy_string(path);
		new_ones[count++] = finding;
	}
	for (size_t done = 0; done < count;) {
		struct second_pass second = { .count = count - done };
		struct err ignored = ERR_INIT;
		bool has_result = path && second_pass(&second, new_ones + done, count - done, 0, &ignored) == 0;
		for (size_t i = 0; i < second.count; i++)
			judge_detail(judge, new_ones[done + i],
				     has_result && second.looks[i].is_seen ? &second.looks[i] : NULL);
		done += second.count;
		if (path)
			second_pass_release(&second);
	}
	free(new_ones);
}

void detected_count(struct judge *judge, const struct campaign_run *run, const char *text, size_t size_bytes)
{
	struct judged judged;
	struct report report;
	report_parse(&report, text, size_bytes);
	judge->is_checked = true; /* no comparison of outputs was requested */
	judge_run(judge, run, &report, &judged);
	detail(judge, judged.new_findings, NULL);
	report_release(&report);
}

static void suppress(struct judge *judge, struct suppressions *suppressions)
{
	for (size_t i = 0; i < judge->findings.count; i++)
		if (detected_is(judge->findings.items[i]))
			suppressions_find(suppressions, judge->findings.items[i]);
}

void detected_finish(struct judge *judge, struct suppressions *suppressions)
{
	detail(judge, (uint32_t)judge_finish(judge), NULL);
	suppress(judge, suppressions);
}

static bool is_hypothetical(const char *path)
{
	struct trace trace;
	struct err ignored = ERR_INIT;
	trace_init(&trace);
	bool is_one = path && trace_read(path, &trace, &ignored) == 0 && trace_is_hypothetical(&trace);
	trace_free(&trace);
	return is_one;
}

void detected_find(struct judge *judge, const struct trace_result *result, const struct report *report,
		   const char *path)
{
	struct campaign_run run = { .number = 1, .result = *result };
	struct judged judged;
	judge->is_hypothetical = is_hypothetical(path);
	judge->is_checked = true; /* no comparison of outputs was requested */
	judge_run(judge, &run, report, &judged);
	detail(judge, judged.new_findings, path);
	detail(judge, (uint32_t)judge_finish(judge), path);
	for (size_t i = 0; i < judge->findings.count; i++)
		scene_find_code(&judge->scene, judge->findings.items[i]);
}

static void add_lines(struct buf *out, const char *prefix, const char *text)
{
	for (const char *at = text; at && *at;) {
		size_t size = strcspn(at, "\n");
		buf_add_string(out, prefix);
		buf_add(out, at, size);
		buf_add_string(out, "\n");
		at += size + (at[size] == '\n');
	}
}

bool detected_report(struct buf *out, const struct trace *trace, const char *path, struct suppressions *suppressions)
{
	bool is_any = false, has_near = false;
	struct judge judge = { .suppressions = suppressions && suppressions->count ? suppressions : NULL };
	struct report report;
	report_parse(&report, trace->report.data, trace->report.size);
	detected_find(&judge, &trace->result, &report, path);
	if (suppressions)
		suppress(&judge, suppressions);
	for (size_t i = 0; i < judge.findings.count; i++) {
		const struct finding *finding = judge.findings.items[i];
		if (!detected_is(finding) || finding->identity.suppression)
			continue;
		add_lines(out, "heddle: ", finding->presentation.summary.data);
		add_lines(out, "heddle:   ", finding->presentation.details.data);
		is_any = true;
		has_near = has_near || finding_has_near(finding);
	}
	if (has_near)
		buf_add_string(out, "heddle: note: " LINE_NOTE "\n");
	if (suppressions) {
		suppressions_list_used(out, "heddle: ", suppressions, &judge.findings, false);
		suppressions_list_unused(out, suppressions);
	}
	report_release(&report);
	judge_release(&judge);
	return is_any;
}
