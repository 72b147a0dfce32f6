/* test_say.c: what heddle test prints: findings as they are found, progress on a terminal, the summary. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/text.h"
#include "cmd/run_priv.h"
#include "cmd/test_priv.h"
#include "heddle/abi.h"

#define PROGRESS_SECONDS 0.2

/* With --json - or another report there, the standard output belongs to that. */
static bool is_silent(void)
{
	return outputs_has_stdout(&test_asked.outputs);
}

static void print_indented(const char *text)
{
	for (const char *at = text; at && *at;) {
		int size = (int)strcspn(at, "\n");
		printf("  %.*s\n", size, at);
		at += size + (at[size] == '\n');
	}
}

static const char *const standings[] = {
	[STORE_AGAIN] = "known",
	[STORE_CAME_BACK] = "came back: it was fixed",
	[STORE_FIXED_SINCE] = "fixed in a newer build",
};

static void print_replay(const struct finding *finding)
{
	if (!finding->trace)
		return;
	struct buf command = { 0 };
	proc_quote(&command, (char *[]){ "heddle", "replay", finding->trace, NULL });
	char *shown = text_terminal_copy(command.data);
	printf("  replay: %s\n", shown);
	free(shown);
	buf_release(&command);
}

void test_say_finding(struct test *self, const struct finding *finding)
{
	if (is_silent() || finding->suppression)
		return;
	test_clear_progress(self);
	printf("H%" PRIu64 " %s, found in schedule %" PRIu64, finding->number, finding->summary.data, finding->first);
	if (finding->standing != STORE_FIRST)
		printf(" (%s)", standings[finding->standing]);
	printf("\n");
	if (!test_asked.is_quiet) {
		print_indented(finding->details.data);
		print_replay(finding);
		printf("\n");
	}
	fflush(stdout);
}

void test_say_reduced(struct test *self, const struct finding *finding)
{
	if (is_silent() || test_asked.is_quiet)
		return;
	test_clear_progress(self);
	struct buf needs = { 0 };
	finding_tell_needs(&needs, finding);
	int head = (int)strcspn(needs.data, "\n");
	printf("H%" PRIu64 " %.*s\n", finding->number, head, needs.data);
	print_indented(needs.data + head + 1);
	printf("\n");
	buf_release(&needs);
	fflush(stdout);
}

double test_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void test_clear_progress(struct test *self)
{
	if (self->is_line_open)
		fprintf(stderr, "\r\033[K");
	self->is_line_open = false;
}

static void print_progress(const struct test *self, double seconds)
{
	const struct campaign *campaign = &self->campaign;
	size_t findings = test_told_count(self);
	fprintf(stderr, "%" PRIu64, campaign->answered);
	if (campaign->runs)
		fprintf(stderr, " of %" PRIu64, campaign->runs);
	fprintf(stderr, " schedules, %.1f a second, %zu finding%s",
		seconds > 0 ? (double)campaign->answered / seconds : 0.0, findings, findings == 1 ? "" : "s");
}

void test_say_progress(struct test *self)
{
	double now = test_now();
	if (test_asked.is_quiet || now - self->said_at < PROGRESS_SECONDS || !isatty(2))
		return;
	self->said_at = now;
	test_clear_progress(self);
	if (self->reduced)
		fprintf(stderr, "reducing H%" PRIu64 ": %" PRIu64 " runs", self->reduced->number, self->reduce_runs);
	else
		print_progress(self, now - self->began);
	fflush(stderr);
	self->is_line_open = true;
}

static void print_head(const struct test *self)
{
	const struct campaign *campaign = &self->campaign;
	size_t findings = test_told_count(self);
	printf("%" PRIu64 " schedule%s, %" PRIu64 " different, in %.1f s (%.1f a second); ", campaign->answered,
	       campaign->answered == 1 ? "" : "s", campaign->distinct, campaign->elapsed,
	       campaign->elapsed > 0 ? (double)campaign->answered / campaign->elapsed : 0.0);
	if (findings)
		printf("%zu finding%s", findings, findings == 1 ? "" : "s");
	else
		printf(self->unfinished_count == campaign->answered ? "none of them ended" : "nothing found");
	if (self->suppressed_count)
		printf(", %zu suppressed", self->suppressed_count);
	if (self->steer_runs)
		printf(", and %" PRIu64 " schedule%s to try lock orders", self->steer_runs,
		       self->steer_runs == 1 ? "" : "s");
	if (self->reduce_runs)
		printf(", and %" PRIu64 " run%s to reduce failures", self->reduce_runs,
		       self->reduce_runs == 1 ? "" : "s");
	printf("\n");
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
		printf("%10" PRIu64 "  %10" PRIu64 "  H%" PRIu64 " %s", finding->seen, finding->first, finding->number,
		       finding->summary.data);
		if (finding->variants > 1)
			printf(" (%" PRIu64 " %s)", finding->variants,
			       finding->origin == FINDING_OF_RACE ? "pairs of accesses" : "accesses");
		printf("\n");
	}
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i]->suppression || !is_always(self, findings->items[i]))
			continue;
		printf("note: H%" PRIu64 " is in every schedule: the program may fail like this without Heddle, too\n",
		       findings->items[i]->number);
		if (test_asked.is_sandboxed)
			printf("note: with --sandbox every run begins in an empty folder: name the files that the "
			       "program needs by full paths\n");
	}
}

static void print_notes(const struct test *self)
{
	for (size_t i = 0; i < self->notes.count; i++)
		printf("note: %s\n", self->notes.items[i]);
	if (self->lost_count)
		printf("note: %" PRIu64 " schedule%s could not be had:\n", self->lost_count,
		       self->lost_count == 1 ? "" : "s");
	for (size_t i = 0; i < self->lost.count; i++)
		printf("note:   %s\n", self->lost.items[i]);
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

static void print_summary(struct test *self)
{
	static const char *const cuts[] = {
		[CAMPAIGN_TIME] = "the time was up",
		[CAMPAIGN_STOPPED] = "interrupted",
	};
	if (is_silent() || (test_asked.is_quiet && !self->lost_count))
		return;
	if (self->campaign.answered)
		print_head(self);
	if (test_is_stopped || self->campaign.end == CAMPAIGN_TIME)
		printf("note: %s\n", cuts[self->campaign.end]);
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
