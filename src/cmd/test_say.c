/* test_say.c: what heddle test prints: findings as they are found, progress on a terminal, the summary. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "cmd/test_say.h"
#include "judge/grouping.h"
#include "judge/store_use.h"
#include "narrate/advice.h"
#include "narrate/interleaving.h"
#include "narrate/verdict.h"

/* With --json - or another report there, the standard output belongs to that. */
static bool is_silent(const struct test_say *self)
{
	return outputs_has_stdout(&self->outputs);
}

bool test_say_wants_threads(const struct test_say *self)
{
	return outputs_is_any(&self->outputs) || (!is_silent(self) && !self->is_quiet);
}

static const char *const standings[] = {
	[STORE_AGAIN] = "known",
	[STORE_CAME_BACK] = "came back: it was fixed",
	[STORE_REVERTED] = "came back: seen again in a build that was tested before",
};

/* The threads and what to try, from a replay of the evidence; for reports, too. */
static void add_timeline(struct test_say *self, struct test *test, struct buf *out, struct finding *finding)
{
	struct err err = ERR_INIT;
	const struct timeline *timeline_now =
		test->request->is_threads_wanted ? test_find_timeline(test, finding, &err) : NULL;
	const struct findings *others = &test->judge.findings;
	if (timeline_now)
		narrate_threads(out, &self->narrator, finding, timeline_now, NARRATE_ROWS_FEW);
	else if (err.message[0])
		buf_format(out, "  the threads cannot be shown: %s\n", err.message);
	narrate_advice(out, &self->narrator, finding, timeline_now, others);
	if (!outputs_is_any(&self->outputs))
		return;
	if (timeline_now)
		interleaving_json(&finding->presentation.interleaving, finding, finding, timeline_now);
	else if (err.message[0])
		lacking_add(&test->lacking, LACKING_INTERLEAVING, err.message, finding->identity.number);
	advice_collect(&finding->presentation.advice, finding, timeline_now, others);
}

/* What the standard output belongs to others for is only reported. */
static void print(struct test_say *self, struct buf *out)
{
	progress_clear(&self->line);
	if (!is_silent(self) && out->size)
		fwrite(out->data, 1, out->size, stdout);
	fflush(stdout);
	buf_release(out);
}

/* Whether another one with the same cause, as bad or worse, is reported in full. */
static bool is_explained(const struct test *test, const struct finding *finding)
{
	struct grouping grouping;
	bool is_explained = false;
	grouping_make(&grouping, &test->judge.findings);
	const size_t node = grouping_node(&grouping, finding);
	for (size_t i = 0; i < grouping.count && node != GROUP_NO_NODE && !is_explained; i++) {
		const struct group_node *own = &grouping.nodes[node], *other = &grouping.nodes[grouping.order[i]];
		const struct finding *member = grouping_finding(&grouping, grouping.order[i]);
		is_explained = other->head == own->head && other->rank <= own->rank && member != finding &&
			       member->presentation.is_explained;
	}
	grouping_release(&grouping);
	return is_explained;
}

/* A line while the search goes on, for those who watch it, and for logs of tests that are killed; reports are for its end, when the groups
 * are known. */
static void announce(struct test_say *self, const char *id, const struct finding *finding, const char *state)
{
	if (is_silent(self))
		return;
	progress_clear(&self->line);
	fprintf(stderr, "heddle: %s %s%s\n", id, finding->presentation.summary.data, state);
}

void test_say_state(struct buf *out, const struct finding *finding)
{
	buf_format(out, ", found in schedule %" PRIu64, finding->evidence.soonest);
	if (finding->identity.standing != STORE_FIRST)
		buf_format(out, " (%s)", standings[finding->identity.standing]);
}

/* Schedule 2, the one without preemption, is run first: number 1 may show it, too. */
static bool is_number_open(const struct test *test, const struct finding *finding)
{
	const struct campaign *campaign = &test->campaign;
	return campaign->is_second_first && campaign->runs != 1 && campaign->answered <= 1 &&
	       finding->evidence.soonest == 2 && finding->identity.standing == STORE_FIRST;
}

/* What is known of it when it is found. Reducible findings are shown once they are reduced: fewer preemptions are easier to read. */
static void make_report(struct test_say *self, struct test *test, struct finding *finding, const char *id)
{
	struct buf *out = &finding->presentation.report;
	buf_release(out);
	narrate_details(out, &self->narrator, finding->presentation.details.data, finding->evidence.sites,
			finding->evidence.site_count, finding_act(finding, FINDING_FREED, 0));
	if (!test_is_reducible(finding))
		add_timeline(self, test, out, finding);
	if (finding->evidence.trace)
		/* A later test may replace the file. */
		narrate_replay(out, &self->narrator,
			       finding->identity.number ? store_option(test->request->store) : NULL,
			       finding->identity.number ? id : finding->evidence.trace);
}

static void say_found(void *context, struct test *test, struct finding *finding)
{
	struct test_say *self = context;
	struct buf out = { 0 }, state = { 0 };
	char id[32];
	if (finding->identity.suppression)
		return;
	snprintf(id, sizeof id, "H%" PRIu64, finding->identity.number);
	if (is_number_open(test, finding))
		buf_add_string(&state, ", found without preemption");
	else
		test_say_state(&state, finding);
	finding->presentation.is_explained = !is_explained(test, finding);
	if (finding->presentation.is_explained)
		make_report(self, test, finding, id);
	else if (!test_is_reducible(finding) && outputs_is_any(&self->outputs))
		add_timeline(self, test, &out, finding);
	buf_release(&out);
	if (self->is_quiet) {
		buf_format(&out, "%s %s%s\n", id, finding->presentation.summary.data, state.data);
		print(self, &out);
	} else {
		announce(self, id, finding, state.data);
	}
	buf_release(&state);
}

/* The threads of a failure, once it is reduced or is not going to be. head: its lines before that. */
static void make_course(struct test_say *self, struct test *test, struct finding *finding, struct buf *head)
{
	struct buf *out = &finding->presentation.course;
	buf_release(out);
	*out = *head;
	*head = (struct buf){ 0 };
	add_timeline(self, test, out, finding);
	test_release_timeline(test);
}

static void say_unreduced(void *context, struct test *test, struct finding *finding)
{
	struct test_say *self = context;
	struct buf out = { 0 };
	if (!test->request->is_threads_wanted)
		return;
	char *head = mem_format("H%" PRIu64 " was not reduced; this is the schedule it was found in:",
				finding->identity.number);
	layout_fold(&out, &self->narrator.layout, LAYOUT_HEAD, 0, head);
	make_course(self, test, finding, &out);
	free(head);
}

static void say_reduced(void *context, struct test *test, struct finding *finding)
{
	struct test_say *self = context;
	struct buf needs = { 0 }, out = { 0 };
	if (!test->request->is_threads_wanted)
		return;
	finding_describe_needs(&needs, finding);
	size_t size = strcspn(needs.data, "\n");
	bool has_lines = size && needs.data[size - 1] == ':';
	char *head =
		mem_format("H%" PRIu64 " %.*s%s%s", finding->identity.number, (int)(size - has_lines), needs.data,
			   finding->evidence.is_from_earlier ? " (from an earlier test)" : "", has_lines ? ":" : "");
	layout_fold(&out, &self->narrator.layout, LAYOUT_HEAD, 0, head);
	narrate_details(&out, &self->narrator, needs.data + size + 1, NULL, 0, NULL);
	if (finding->identity.kind == FINDING_OUTPUT_DIFFERS)
		narrate_details(&out, &self->narrator, finding->presentation.details.data, NULL, 0, NULL);
	make_course(self, test, finding, &out);
	free(head);
	buf_release(&needs);
}

static void say_classified(void *context, struct test *test, struct finding *finding)
{
	struct test_say *self = context;
	struct buf out = { 0 };
	(void)test;
	if (!self->is_quiet)
		return;
	test_say_verdict(&out, self, finding);
	print(self, &out);
}

static void say_progress(void *context, struct test *test)
{
	struct test_say *self = context;
	const struct campaign *campaign = &test->campaign;
	double now = time_now_seconds();
	char *other = NULL;
	if (self->is_quiet)
		return;
	if (test->reduced)
		other = mem_format("reducing H%" PRIu64 ": %" PRIu64 " runs", test->reduced->identity.number,
				   test->reduce_runs);
	const struct progress progress = {
		.schedules = campaign->answered,
		.of = campaign->runs,
		.seconds = now - test->began,
		.findings = test_reported_count(test),
		.other = other,
	};
	progress_print(&self->line, &progress, &test->coverage, now);
	free(other);
}

static void say_notice(void *context, const char *lines)
{
	struct test_say *self = context;
	progress_clear(&self->line);
	fputs(lines, stderr);
}

static void print_folded(const struct test_say *self, const char *text)
{
	struct buf out = { 0 };
	layout_fold(&out, &self->narrator.layout, LAYOUT_PLAIN, 0, text);
	fputs(out.data, stdout);
	buf_release(&out);
}

static void print_note(const struct test_say *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print_note(const struct test_say *self, const char *format, ...)
{
	char text[1200] = "note: ";
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text + 6, sizeof text - 6, format, arguments);
	va_end(arguments);
	print_folded(self, text);
}

/* Of a hypothetical test. */
static void add_nothing(struct buf *line, const struct test *test)
{
	for (size_t i = 0; i < test->without.count; i++)
		if (!test->without.lines[i].skipped) {
			buf_format(line, "nothing found, but nothing was skipped at %s", test->without.lines[i].place);
			return;
		}
	buf_add_string(line, "nothing would go wrong without ");
	for (size_t i = 0; i < test->without.count; i++)
		buf_format(line, "%s%s", i ? ", " : "", test->without.lines[i].place);
}

static void add_count(struct buf *out, const struct test *test, size_t findings)
{
	struct grouping grouping;
	grouping_make(&grouping, &test->judge.findings);
	buf_format(out, "%zu %sfinding%s", findings, test->without.count ? "hypothetical " : "",
		   findings == 1 ? "" : "s");
	if (grouping.group_count != grouping.count)
		buf_format(out, " in %zu group%s", grouping.group_count, grouping.group_count == 1 ? "" : "s");
	grouping_release(&grouping);
}

static void print_head(const struct test_say *self, const struct test *test)
{
	const struct campaign *campaign = &test->campaign;
	size_t findings = test_reported_count(test);
	struct buf line = { 0 };
	buf_format(&line, "%" PRIu64 " schedule%s, %" PRIu64 " different, in %.1f s (%.1f per second); ",
		   campaign->answered, campaign->answered == 1 ? "" : "s", campaign->distinct, campaign->elapsed,
		   campaign->elapsed > 0 ? (double)campaign->answered / campaign->elapsed : 0.0);
	if (findings)
		add_count(&line, test, findings);
	else if (test->unfinished_count == campaign->answered)
		buf_add_string(&line, "none of them ended");
	else if (test->lost_count == campaign->answered)
		buf_add_string(&line, "none of them could be controlled to the end");
	else if (test->is_untested)
		buf_add_string(&line, "nothing was tested");
	else if (test->is_cut || test->lost_count || test_is_stopped(test) || test->judge.missed.count)
		buf_add_string(&line, "the test is incomplete, and found no bug so far");
	else if (test->without.count)
		add_nothing(&line, test);
	else
		buf_add_string(&line, "nothing found");
	if (test->suppressed_count)
		buf_format(&line, ", %zu suppressed", test->suppressed_count);
	if (test->steer_runs)
		buf_format(&line, ", and %" PRIu64 " schedule%s to try lock orders", test->steer_runs,
			   test->steer_runs == 1 ? "" : "s");
	if (test->reduce_runs)
		buf_format(&line, ", and %" PRIu64 " run%s in %.1f s to reduce failures", test->reduce_runs,
			   test->reduce_runs == 1 ? "" : "s", test->reduce_seconds);
	if (test->classify_runs)
		buf_format(&line, ", and %" PRIu64 " run%s in %.1f s to classify races", test->classify_runs,
			   test->classify_runs == 1 ? "" : "s", test->classify_seconds);
	print_folded(self, line.data);
	buf_release(&line);
}

/* Whether it is enough. */
static void print_left(const struct test_say *self, const struct test *test)
{
	const struct enough_estimate left = enough_estimate(&test->enough);
	struct buf line = { 0 };
	if (!left.is_known)
		return;
	buf_format(&line, "new behaviour (switches and pairs of accesses): %" PRIu64 " in the last %u schedules, ",
		   left.recent, ENOUGH_RECENT);
	if (left.expected < 1)
		buf_format(&line, "less than 1 expected in the next %u: try other inputs", ENOUGH_RECENT);
	else
		buf_format(&line, "about %.0f expected in the next %u, at least %.0f not yet seen: run more schedules",
			   left.expected, ENOUGH_RECENT, left.undiscovered);
	print_folded(self, line.data);
	buf_release(&line);
}

/* Failures that every schedule has may have nothing to do with schedules. */
static bool is_always(const struct test *test, const struct finding *finding)
{
	bool is_end = kinds[finding->identity.kind].traits & KIND_END;
	return is_end && finding->evidence.seen == test->campaign.answered + test->steer_runs &&
	       finding->evidence.seen > 1;
}

static void print_table(const struct test_say *self, const struct test *test)
{
	const struct findings *findings = &test->judge.findings;
	if (!test_reported_count(test))
		return;
	struct grouping grouping;
	grouping_make(&grouping, findings);
	printf("%10s  %10s  %s\n", "seen in", "first in", "finding");
	for (size_t i = 0; i < grouping.count; i++) {
		const bool is_grouped = grouping.group_count != grouping.count;
		const size_t node = is_grouped ? grouping.order[i] : i;
		const struct finding *finding = grouping_finding(&grouping, node);
		struct buf line = { 0 };
		buf_format(&line, "%10" PRIu64 "  %10" PRIu64 "  %sH%" PRIu64 " ", finding->evidence.seen,
			   finding->evidence.soonest,
			   grouping.nodes[node].head == node ? "" : "  also shows as: ", finding->identity.number);
		if (finding->evidence.has_verdict)
			buf_format(&line, "(%s) ", verdict_classes[finding->evidence.verdict.class].listed);
		buf_format(&line, "%s",
			   finding->presentation.first_summary ? finding->presentation.first_summary
							       : finding->presentation.summary.data);
		if (finding->evidence.variants > 1)
			buf_format(&line, " (%" PRIu64 " %s)", finding->evidence.variants,
				   finding->evidence.origin == FINDING_OF_RACE ? "pairs of accesses" : "accesses");
		/* It was already reported in full. */
		if (self->narrator.layout.width)
			text_fit(&line, self->narrator.layout.width, TEXT_CUT_RIGHT);
		printf("%s\n", line.data);
		buf_release(&line);
	}
	grouping_release(&grouping);
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i]->identity.suppression || !is_always(test, findings->items[i]))
			continue;
		print_note(self,
			   "H%" PRIu64 " occurs in every schedule: the program may fail like this without Heddle, too",
			   findings->items[i]->identity.number);
		if (findings->items[i]->identity.kind == FINDING_BAD_EXIT)
			print_note(self, "runs have no terminal: a program that needs one cannot be tested without it");
		if (test->request->is_sandboxed)
			print_note(self, "with --sandbox every run starts in an empty directory: use absolute "
					 "paths for the files that the program needs");
	}
}

static void print_notes(const struct test_say *self, const struct test *test)
{
	for (size_t i = 0; i < test->notes.count; i++)
		print_note(self, "%s", test->notes.items[i]);
	if (test->lost_count)
		print_note(self, "%" PRIu64 " schedule%s aborted:", test->lost_count,
			   test->lost_count == 1 ? " was" : "s were");
	for (size_t i = 0; i < test->lost.count; i++)
		print_note(self, "  %s", test->lost.items[i]);
}

static void print_suppressed(const struct test *test)
{
	struct buf out = { 0 };
	suppressions_list_used(&out, "", &test->suppressions, &test->judge.findings, true);
	fputs(out.data ? out.data : "", stdout);
	buf_release(&out);
}

static void warn_unused(const struct test *test)
{
	struct buf out = { 0 };
	suppressions_list_unused(&out, &test->suppressions);
	fflush(stdout);
	err_show(&out);
	buf_release(&out);
}

/* What ended it early: the campaign may have been over when the user interrupted what comes after it. */
static void print_cut(const struct test_say *self, const struct test *test)
{
	if (test->campaign.end == CAMPAIGN_TIME)
		print_note(self, "the time limit was reached");
	if (test_is_stopped(test) && test->reduced && !test->reduced->evidence.is_reduced)
		print_note(self, "interrupted while H%" PRIu64 " was being reduced", test->reduced->identity.number);
	else if (test_is_stopped(test))
		print_note(self, "interrupted");
}

static void print_summary(struct test_say *self, struct test *test)
{
	if (is_silent(self))
		return;
	if (self->is_quiet && !test->lost_count) {
		for (size_t i = 0; i < test->judge.missed.count; i++)
			print_note(self, "%s", test->judge.missed.items[i]);
		return;
	}
	if (test->campaign.answered)
		print_head(self, test);
	print_cut(self, test);
	print_table(self, test);
	print_suppressed(test);
	print_notes(self, test);
	print_left(self, test);
}

void test_say_summary(struct test_say *self, struct test *test)
{
	progress_clear(&self->line);
	if (!self->is_quiet && !is_silent(self))
		test_say_groups(self, test);
	print_summary(self, test);
	if (!self->is_quiet)
		warn_unused(test);
}

void test_say_init(struct test_say *self, struct test_listener *listener)
{
	*listener = (struct test_listener){
		.found = say_found,
		.reduced = say_reduced,
		.unreduced = say_unreduced,
		.classified = say_classified,
		.progress = say_progress,
		.notice = say_notice,
		.context = self,
	};
}
