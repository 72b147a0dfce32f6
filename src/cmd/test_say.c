/* test_say.c: what heddle test prints: findings as they are found, progress on a terminal, the summary. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cmd/advice.h"
#include "cmd/interleaving.h"
#include "cmd/run_priv.h"
#include "cmd/store_use.h"
#include "cmd/tell.h"
#include "cmd/test_priv.h"
#include "heddle/abi.h"

/* With --json - or another report there, the standard output belongs to that. */
static bool is_silent(void)
{
	return outputs_has_stdout(&test_asked.outputs);
}

static const char *const standings[] = {
	[STORE_AGAIN] = "known",
	[STORE_CAME_BACK] = "came back: it was fixed",
	[STORE_REVERTED] = "came back: seen again in a build that was tested before",
};

/* The event of the evidence that the finding is complete with; 0: its end. */
static uint64_t last_event(const struct finding *finding)
{
	uint64_t last = 0;
	if (finding->origin == FINDING_OF_END)
		return 0;
	for (size_t i = 0; i < finding->site_count; i++)
		last = finding->sites[i].event > last ? finding->sites[i].event : last;
	return last;
}

bool test_wants_threads(void)
{
	return outputs_is_any(&test_asked.outputs) || (!is_silent() && !test_asked.is_quiet);
}

/* The last event of interest among the findings of the schedule that are to be shown, so that one replay is enough. */
static uint64_t last_event_of_all(const struct test *self, const struct finding *finding)
{
	uint64_t last = last_event(finding);
	for (size_t i = 0; last && i < self->unshown.count; i++) {
		const struct finding *other = self->unshown.items[i];
		uint64_t event = other->first == finding->first ? last_event(other) : 0;
		last = event > last && event <= PLAY_EVENTS_MOST ? event : last;
	}
	return last;
}

/* Returns null, with err set unless there are no replays left. */
static const struct play *find_play(struct test *self, const struct finding *finding, struct err *err)
{
	double began = test_now();
	const bool is_there = self->play.count;
	if (!finding->trace || finding->is_slow || (!is_there && !test_may_replay(self, TEST_REPLAY_THREADS))) {
		if (finding->trace && !finding->is_slow)
			test_note_unplayed(self, finding);
		return NULL;
	}
	int code = play(&self->play, finding->trace, last_event_of_all(self, finding), test_deadline(self), err);
	if (code != 1 && code != -EFBIG)
		test_count_replays(self, TEST_REPLAY_THREADS, 1, self->play.count, began);
	return code < 0 ? NULL : &self->play;
}

/* The threads and what to try, from a replay of the evidence; for reports, too. */
static void add_play(struct test *self, struct buf *out, struct finding *finding)
{
	struct err err = ERR_INIT;
	const struct play *play_now = test_wants_threads() ? find_play(self, finding, &err) : NULL;
	const struct findings *others = &self->judge.findings;
	if (play_now)
		tell_threads(out, &self->teller, finding, play_now, TELL_ROWS_FEW);
	else if (err.message[0])
		buf_format(out, "  the threads cannot be shown: %s\n", err.message);
	tell_advice(out, &self->teller, finding, play_now, others);
	if (!outputs_is_any(&test_asked.outputs))
		return;
	if (play_now)
		interleaving_json(&finding->interleaving, finding, finding, play_now);
	else if (err.message[0])
		test_note(&self->notes, "H%" PRIu64 " is reported without its interleaving: %s", finding->number,
			  err.message);
	advice_collect(&finding->advice, finding, play_now, others);
}

/* What the standard output belongs to others for is only reported. */
static void print(struct test *self, struct buf *out)
{
	test_clear_progress(self);
	if (!is_silent() && out->size)
		fwrite(out->data, 1, out->size, stdout);
	fflush(stdout);
	buf_release(out);
}

void test_say_finding(struct test *self, struct finding *finding)
{
	struct buf out = { 0 }, state = { 0 };
	char id[32];
	if (finding->suppression)
		return;
	snprintf(id, sizeof id, "H%" PRIu64, finding->number);
	buf_format(&state, ", found in schedule %" PRIu64, finding->first);
	if (finding->standing != STORE_FIRST)
		buf_format(&state, " (%s)", standings[finding->standing]);
	tell_head(&out, &self->teller, id, finding, finding->summary.data, state.data);
	tell_details(&out, &self->teller, finding->details.data, finding->sites, finding->site_count,
		     finding_act(finding, FINDING_FREED, 0));
	/* What is reduced is shown then: the fewer preemptions, the better it can be read. */
	if (!test_is_reducible(finding))
		add_play(self, &out, finding);
	if (finding->trace)
		/* The file may give way to that of a later test. */
		tell_replay(&out, &self->teller, finding->number ? store_option(test_asked.store) : NULL,
			    finding->number ? id : finding->trace);
	buf_add_string(&out, "\n");
	if (test_asked.is_quiet) {
		buf_release(&out);
		buf_format(&out, "%s %s%s\n", id, finding->summary.data, state.data);
	}
	print(self, &out);
	buf_release(&state);
}

void test_say_found(struct test *self, struct finding *finding)
{
	struct buf out = { 0 };
	if (!test_wants_threads())
		return;
	char *head = mem_format("H%" PRIu64 " was not reduced: the schedule that it was found in", finding->number);
	paper_fold(&out, &self->teller.paper, PAPER_HEAD, 0, head);
	add_play(self, &out, finding);
	play_release(&self->play);
	buf_add_string(&out, "\n");
	if (test_asked.is_quiet)
		buf_release(&out);
	print(self, &out);
	free(head);
}

void test_say_reduced(struct test *self, struct finding *finding)
{
	struct buf needs = { 0 }, out = { 0 };
	if (!test_wants_threads())
		return;
	finding_tell_needs(&needs, finding);
	size_t size = strcspn(needs.data, "\n");
	bool has_lines = size && needs.data[size - 1] == ':';
	char *head = mem_format("H%" PRIu64 " %.*s%s%s", finding->number, (int)(size - has_lines), needs.data,
				finding->is_from_earlier ? " (from an earlier test)" : "", has_lines ? ":" : "");
	paper_fold(&out, &self->teller.paper, PAPER_HEAD, 0, head);
	tell_details(&out, &self->teller, needs.data + size + 1, NULL, 0, NULL);
	if (finding->kind == FINDING_OUTPUT_DIFFERS)
		tell_details(&out, &self->teller, finding->details.data, NULL, 0, NULL);
	add_play(self, &out, finding);
	play_release(&self->play);
	buf_add_string(&out, "\n");
	if (test_asked.is_quiet)
		buf_release(&out);
	print(self, &out);
	free(head);
	buf_release(&needs);
}

double test_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void test_clear_progress(struct test *self)
{
	progress_clear(&self->line);
}

void test_say_progress(struct test *self)
{
	const struct campaign *campaign = &self->campaign;
	double now = test_now();
	char *other = NULL;
	if (test_asked.is_quiet)
		return;
	if (self->reduced)
		other = mem_format("reducing H%" PRIu64 ": %" PRIu64 " runs", self->reduced->number, self->reduce_runs);
	const struct progress progress = {
		.schedules = campaign->answered,
		.of = campaign->runs,
		.seconds = now - self->began,
		.findings = test_told_count(self),
		.other = other,
	};
	progress_say(&self->line, &progress, &self->coverage, now);
	free(other);
}

static void print_folded(const struct test *self, const char *text)
{
	struct buf out = { 0 };
	paper_fold(&out, &self->teller.paper, PAPER_PLAIN, 0, text);
	fputs(out.data, stdout);
	buf_release(&out);
}

static void print_note(const struct test *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print_note(const struct test *self, const char *format, ...)
{
	char text[1200] = "note: ";
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text + 6, sizeof text - 6, format, arguments);
	va_end(arguments);
	print_folded(self, text);
}

static void print_head(const struct test *self)
{
	const struct campaign *campaign = &self->campaign;
	size_t findings = test_told_count(self);
	struct buf line = { 0 };
	buf_format(&line, "%" PRIu64 " schedule%s, %" PRIu64 " different, in %.1f s (%.1f a second); ",
		   campaign->answered, campaign->answered == 1 ? "" : "s", campaign->distinct, campaign->elapsed,
		   campaign->elapsed > 0 ? (double)campaign->answered / campaign->elapsed : 0.0);
	if (findings)
		buf_format(&line, "%zu finding%s", findings, findings == 1 ? "" : "s");
	else if (self->unfinished_count == campaign->answered)
		buf_add_string(&line, "none of them ended");
	else if (self->lost_count == campaign->answered)
		buf_add_string(&line, "none of them could be controlled to its end");
	else if (self->is_untested)
		buf_add_string(&line, "nothing was tested");
	else if (self->is_cut || self->lost_count || test_is_stopped || self->judge.missed.count)
		buf_add_string(&line, "the test is not complete, and what there was of it found no bug");
	else
		buf_add_string(&line, "nothing found");
	if (self->suppressed_count)
		buf_format(&line, ", %zu suppressed", self->suppressed_count);
	if (self->steer_runs)
		buf_format(&line, ", and %" PRIu64 " schedule%s to try lock orders", self->steer_runs,
			   self->steer_runs == 1 ? "" : "s");
	if (self->reduce_runs)
		buf_format(&line, ", and %" PRIu64 " run%s in %.1f s to reduce failures", self->reduce_runs,
			   self->reduce_runs == 1 ? "" : "s", self->reduce_seconds);
	print_folded(self, line.data);
	buf_release(&line);
}

/* Failures that every schedule has may have nothing to do with schedules. */
static bool is_always(const struct test *self, const struct finding *finding)
{
	switch (finding->kind) {
	case FINDING_CRASH:
	case FINDING_ASSERTION:
	case FINDING_DEADLOCK:
	case FINDING_HANG:
	case FINDING_BAD_EXIT:
	case FINDING_CHECK_FAILED:
		return finding->seen == self->campaign.answered + self->steer_runs && finding->seen > 1;
	default:
		return false;
	}
}

static void print_table(const struct test *self)
{
	const struct findings *findings = &self->judge.findings;
	if (!test_told_count(self))
		return;
	printf("%10s  %10s  %s\n", "seen in", "first in", "finding");
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = findings->items[i];
		if (finding->suppression)
			continue;
		struct buf line = { 0 };
		buf_format(&line, "%10" PRIu64 "  %10" PRIu64 "  H%" PRIu64 " %s", finding->seen, finding->first,
			   finding->number, finding->told ? finding->told : finding->summary.data);
		if (finding->variants > 1)
			buf_format(&line, " (%" PRIu64 " %s)", finding->variants,
				   finding->origin == FINDING_OF_RACE ? "pairs of accesses" : "accesses");
		/* It was told in full. */
		if (self->teller.paper.width)
			text_fit(&line, self->teller.paper.width, TEXT_CUT_RIGHT);
		printf("%s\n", line.data);
		buf_release(&line);
	}
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i]->suppression || !is_always(self, findings->items[i]))
			continue;
		print_note(self,
			   "H%" PRIu64 " is in every schedule: the program may fail like this without Heddle, too",
			   findings->items[i]->number);
		if (findings->items[i]->kind == FINDING_BAD_EXIT)
			print_note(self, "runs have no terminal: a program that needs one cannot be tested without it");
		if (test_asked.is_sandboxed)
			print_note(self, "with --sandbox every run begins in an empty folder: name the files that the "
					 "program needs by full paths");
	}
}

static void print_notes(const struct test *self)
{
	for (size_t i = 0; i < self->notes.count; i++)
		print_note(self, "%s", self->notes.items[i]);
	if (self->lost_count)
		print_note(self, "%" PRIu64 " schedule%s aborted:", self->lost_count,
			   self->lost_count == 1 ? " was" : "s were");
	for (size_t i = 0; i < self->lost.count; i++)
		print_note(self, "  %s", self->lost.items[i]);
}

static void print_suppressed(const struct test *self)
{
	struct buf out = { 0 };
	suppressions_tell_used(&out, "", &self->suppressions, &self->judge.findings, true);
	fputs(out.data ? out.data : "", stdout);
	buf_release(&out);
}

static void warn_unused(const struct test *self)
{
	struct buf out = { 0 };
	suppressions_tell_unused(&out, &self->suppressions);
	fflush(stdout);
	fputs(out.data ? out.data : "", stderr);
	buf_release(&out);
}

/* What ended it early: the campaign may have been over when somebody interrupted what comes after it. */
static void print_cut(const struct test *self)
{
	if (self->campaign.end == CAMPAIGN_TIME)
		print_note(self, "the time was up");
	if (test_is_stopped && self->reduced && !self->reduced->is_reduced)
		print_note(self, "interrupted while H%" PRIu64 " was being reduced", self->reduced->number);
	else if (test_is_stopped)
		print_note(self, "interrupted");
}

static void print_summary(struct test *self)
{
	if (is_silent())
		return;
	if (test_asked.is_quiet && !self->lost_count) {
		for (size_t i = 0; i < self->judge.missed.count; i++)
			print_note(self, "%s", self->judge.missed.items[i]);
		return;
	}
	if (self->campaign.answered)
		print_head(self);
	print_cut(self);
	print_table(self);
	print_suppressed(self);
	print_notes(self);
}

void test_say_summary(struct test *self)
{
	test_clear_progress(self);
	print_summary(self);
	if (!test_asked.is_quiet)
		warn_unused(self);
}
