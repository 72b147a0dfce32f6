/*
 * search.c: the campaign of a test: looks at each schedule, keeps evidence of what is new, and learns from the
 * schedules that end how long one may take before it is considered a livelock or a hang.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "campaign/expose.h"
#include "campaign/test_priv.h"
#include "judge/evidence.h"
#include "judge/hang.h"
#include "judge/outcome.h"
#include "launch/launch.h"
#include "symbols/describe.h"
#include "symbols/woven.h"

/* Events before a schedule is cut off. While none has ended it is not known how many it should have: then the limit is
 * the first of these, and ten times as many each time until the last. */
/* A proof that is wrong shows in nearly every schedule, as races do not depend on which of two accesses comes first. */
#define AUDITS 8u
#define BUDGET_FIRST 5000000ull
#define BUDGET_LAST 500000000ull
/* Once one has ended, a schedule with more than a multiple of its events goes on under a fair schedule, and if that does not
 * end it either within a multiple of that, it seems to be a livelock. */
#define FAIR_LEAST 300000ull
#define FAIR_FACTOR 20ull
#define BUDGET_LEAST 1000000ull
#define BUDGET_FACTOR 3ull
/* Where no other is known, the part of the budget after which it goes on like that. */
#define FAIR_PART 2ull

/* Seconds of processor time without an event before it seems to be a hang, likewise. MAX_HANGS schedules that hang are
 * enough: each takes its seconds, and people wait for the first output. */
#define HANG_FIRST 2u
#define HANG_LEAST 2u
#define HANG_FACTOR 10.0
#define MAX_LIVELOCKS 10u
#define MAX_HANGS 2u

/* Seconds of real time that a schedule may wait for the outside, while none has ended. */
#define OUTSIDE_FIRST 5u

/* Of the time that the user gave, what is kept to reduce failures and to try lock orders, or to describe findings. */
#define REDUCE_SHARE 0.25
#define CLASSIFY_SHARE 0.15 /* in addition, if there are races to classify */
#define DETAIL_SHARE 0.2
#define MAX_DETAIL_SHARE 0.4

/* This many schedules with one thread are enough to say that there is only one. */
#define SINGLE_RUNS 10u

#define KEPT_BYTES (256u << 10)

/* This many schedules in which nothing but a signal could end a wait, and no other schedules, are enough. */
#define MAX_SIGNAL_WAITS 3u

#define LIVELOCK_NOTE "the event budget is exhausted"

static bool has_note(const struct report *report, const char *note)
{
	for (size_t i = 0; i < report->note_count; i++)
		if (strcmp(report->notes[i], note) == 0)
			return true;
	return false;
}

/* Whether it is a deadlock only because no signal was sent. Where other schedules end, it is one all the same. */
static bool waits_for_signal(const struct campaign_run *run, const struct report *report)
{
	return run->result.outcome == HEDDLE_OUTCOME_DEADLOCK && has_note(report, HEDDLE_NOTE_SIGNAL);
}

/* A schedule that was cut off says nothing as long as it is not known how long schedules are. */
static bool is_unfinished(const struct test *self, const struct campaign_run *run, const struct report *report)
{
	if (self->longest)
		return false;
	if (waits_for_signal(run, report))
		return true;
	if (run->result.outcome == HEDDLE_OUTCOME_HANG)
		return self->request->run.hang == RUN_NUMBER_NONE || test_is_outside(report);
	return run->result.outcome == HEDDLE_OUTCOME_LIVELOCK && self->request->run.budget == RUN_NUMBER_NONE &&
	       has_note(report, LIVELOCK_NOTE);
}

/* Where the thread is that cannot be interrupted, or "". */
static void describe_spinning(struct test *self, const struct report *report, struct buf *out)
{
	struct scene *scene = &self->judge.scene;
	struct scene_place place;
	scene_set(scene, report);
	for (size_t i = 0; i < report->thread_count; i++)
		if (strcmp(report->threads[i].state, "running") == 0 &&
		    scene_own_place(scene, &report->threads[i], &place)) {
			buf_add_string(out, " at ");
			scene_describe_place(out, &place);
			return;
		}
	buf_add_string(out, "");
}

static bool is_woven(const char *program)
{
	struct woven *opened = NULL;
	struct err ignored = ERR_INIT;
	char *path = NULL;
	bool is_opened = launch_find(program, &path, &ignored) == 0 && woven_open(path, &opened, &ignored) == 0;
	if (is_opened)
		woven_free(opened);
	free(path);
	return is_opened;
}

/* The runs that hang are enough; no other has ended. */
static int give_up(struct test *self, const struct report *report, struct err *err)
{
	struct buf where = { 0 };
	describe_spinning(self, report, &where);
	err_hint(err, "%s; if it only computes, --hang SECONDS gives it more time",
		 is_woven(self->trace.program)
			 ? "the program is woven, but loops without memory accesses after optimisation are not "
			   "interrupted: if it waits there for another thread, the variable it reads must be "
			   "atomic or volatile; library code must be built with heddle-cc, too"
			 : "if it waits there for another thread, build that code with heddle-cc, so that it can be "
			   "interrupted");
	err_set(err, ETIME, "no run of the program ended: a thread computes%s for seconds without an event",
		where.data);
	buf_release(&where);
	return -ETIME;
}

/* The next ones get longer and longer: tells the waiting user what to do, also without a terminal. */
static void notify_cut_off(struct test *self, const struct campaign_run *run)
{
	if (self->unfinished_count != 1 || self->request->is_quiet)
		return;
	char *lines = mem_format(
		"heddle: the first schedule did not end within %" PRIu64
		" events: the next ones get more, which takes time.\n"
		"heddle: A program that never ends must be given a limit: on its number of requests or rounds, or "
		"its running time;\n"
		"heddle: or limit the events per schedule with --budget EVENTS.\n",
		run->request.event_budget);
	self->listener->notice(self->listener->context, lines);
	free(lines);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int allow_more(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err)
{
	self->unfinished_count++;
	self->is_unfinished_signal |= waits_for_signal(run, report);
	if (run->result.outcome == HEDDLE_OUTCOME_HANG)
		self->unfinished_seconds = larger(self->unfinished_seconds, run->control->channel->quiet_seconds);
	self->unfinished_events = larger(self->unfinished_events, run->result.event_count);
	int code = test_check_woven(self, run, report, err);
	if (code == 0 && waits_for_signal(run, report)) {
		self->is_endless = true;
		return self->unfinished_count >= MAX_SIGNAL_WAITS ? test_fail_signal(self, report, err) : 0;
	}
	if (code == 0)
		code = test_fail_endless(self, run, report, err);
	if (code < 0)
		return code;
	if (run->result.outcome == HEDDLE_OUTCOME_HANG)
		return self->hang_count >= MAX_HANGS ? give_up(self, report, err) : 0;
	notify_cut_off(self, run);
	if (run->request.event_budget >= BUDGET_LAST) {
		err_hint(err, "limit the number of requests or rounds, or the running time; or limit the events per "
			      "schedule with --budget EVENTS");
		return err_set(err, ETIME, "no run of the program ended, not even after %llu events", BUDGET_LAST);
	}
	if (self->trace.request.event_budget == run->request.event_budget) {
		self->trace.request.event_budget *= 10;
		self->campaign.setup.fair_after = self->trace.request.event_budget / FAIR_PART;
	}
	return 0;
}

static void adapt(struct test *self, const struct campaign_run *run)
{
	const uint64_t events = run->result.event_count;
	struct control_setup *setup = &self->campaign.setup;
	/* How long threads are held back follows from the budget. */
	if (run->plan.strategy == HEDDLE_STRATEGY_LOCKS)
		return;
	if (run->result.outcome == HEDDLE_OUTCOME_EXIT || run->result.outcome == HEDDLE_OUTCOME_SIGNAL) {
		self->longest = larger(self->longest, events);
		const uint64_t fair_from = run->control->channel->fair_from;
		if (!fair_from)
			self->longest_unfair = larger(self->longest_unfair, events);
		/* One that had far to go when threads began to take turns was not stuck, but long. One that was stuck ends soon then. */
		else if (events > fair_from && events - fair_from > fair_from / 4)
			self->long_enough = larger(self->long_enough, events + events / 4);
		/* Or it was just a little longer than what no schedule was known to need. Once: one that was stuck ends soon after
		 * whatever limit it has. */
		else if (!self->first_fair)
			self->first_fair = events + events / 4;
		if (run->seconds > self->longest_seconds)
			self->longest_seconds = run->seconds;
	}
	if (self->request->run.budget == RUN_NUMBER_NONE && self->longest) {
		if (self->longest_unfair)
			setup->fair_after = larger(self->longest_unfair * FAIR_FACTOR, FAIR_LEAST);
		else
			setup->fair_after = larger(setup->fair_after, self->first_fair);
		setup->fair_after = larger(setup->fair_after, self->long_enough);
		self->trace.request.event_budget = larger(setup->fair_after * BUDGET_FACTOR, BUDGET_LEAST);
		/* It must not take a second run each time. */
		self->trace.request.event_budget = larger(self->trace.request.event_budget, 2 * self->longest);
	}
	if (self->longest)
		self->campaign.setup.outside_seconds = 0;
	if (self->request->run.hang == RUN_NUMBER_NONE && self->longest) {
		double seconds = self->longest_seconds * HANG_FACTOR;
		setup->quiet_seconds = seconds > HANG_LEAST ? (uint64_t)seconds : HANG_LEAST;
	}
}

/* Why nothing is known about how the schedule ends. */
static void describe_lost(struct test *self, const struct campaign_run *run, const struct report *report,
			  struct buf *why)
{
	struct scene *scene = &self->judge.scene;
	if (run->result.outcome == HEDDLE_OUTCOME_HANG) {
		scene_set(scene, report);
		hang_describe_waiting(why, report, scene->symbols, scene->unwinder);
		return;
	}
	outcome_words(why, &run->result);
	for (size_t i = 0; i < report->note_count; i++) {
		buf_add_string(why, i ? "; " : ": ");
		text_terminal(why, report->notes[i]);
	}
}

static void count_lost(struct test *self, const struct campaign_run *run, const struct report *report)
{
	struct buf why = { 0 };
	self->lost_count++;
	describe_lost(self, run, report, &why);
	strings_note(&self->lost, "%s", why.data);
	buf_release(&why);
}

/* Notes of schedules that ended by themselves are about limits of detection. */
static void take_notes(struct test *self, const struct campaign_run *run, const struct report *report)
{
	if (run->result.thread_count > self->max_threads)
		self->max_threads = run->result.thread_count;
	if (run->control->channel->process_count)
		strings_note(&self->notes,
			     "the program starts other processes, which run uncontrolled: they are not observed");
	if (waits_for_signal(run, report))
		strings_note(&self->notes, "%s", HEDDLE_NOTE_SIGNAL);
	for (size_t i = 0; i < report->limit_count; i++) {
		char *shown = text_terminal_copy(report->limits[i]);
		strings_note(&self->notes, "%s", shown);
		free(shown);
	}
	for (size_t i = 0; i < report->opaque_count; i++) {
		struct buf text = { 0 };
		describe_opaque(&text, &report->opaque[i]);
		strings_note(&self->opaque, "%s", text.data);
		buf_release(&text);
	}
	if (run->result.outcome != HEDDLE_OUTCOME_EXIT)
		return;
	for (size_t i = 0; i < report->note_count; i++) {
		char *shown = text_terminal_copy(report->notes[i]);
		strings_note(&self->notes, "%s", shown);
		free(shown);
	}
}

static int check(struct test *self, const struct campaign_run *run, struct judged *judged, struct err *err)
{
	struct buf check_output = { 0 };
	char *how = NULL;
	if (!self->check.words.count || run->result.outcome != HEDDLE_OUTCOME_EXIT)
		return 0;
	int code = check_run(&self->check, run, self->request->is_stopped, &how, &check_output, err);
	if (code == 0)
		judge_check_failed(&self->judge, run, how, &check_output, judged);
	free(how);
	buf_release(&check_output);
	return code == -EINTR || code > 0 ? 0 : code;
}

/* What the schedule showed needs no sleep or time-out that ends early, if none did. */
static void take_timing(struct findings *findings, const struct campaign_run *run)
{
	for (size_t i = 0; !run->control->channel->early_count && i < findings->count; i++)
		findings->items[i]->evidence.is_strict |= findings->items[i]->evidence.last == run->number;
}

/* kept: the finding that the schedule was kept for; null: it was not yet. */
static int keep(struct test *self, struct finding *finding, const struct campaign_run *run, const struct finding **kept,
		struct err *err)
{
	if (*kept && evidence_share(finding, *kept) == 0)
		return 0;
	int code = evidence_keep(finding, run, &self->trace, false, self->judge.is_end_open, err);
	if (code == 0)
		*kept = finding;
	return code;
}

int test_judge(struct test *self, const struct campaign_run *run, const struct report *report, struct judged *judged,
	       struct err *err)
{
	struct findings *findings = &self->judge.findings;
	const struct finding *kept = NULL;
	judge_run(&self->judge, run, report, judged);
	int code = check(self, run, judged, err);
	take_timing(findings, run);
	for (uint32_t i = judged->new_orders; i > 0 && code == 0; i--)
		code = keep(self, self->judge.orders.items[self->judge.orders.count - i], run, &kept, err);
	for (uint32_t i = judged->new_findings; i > 0 && code == 0; i--) {
		struct finding *finding = findings->items[findings->count - i];
		code = keep(self, finding, run, &kept, err);
		if (code == 0 && finding->evidence.origin != FINDING_OF_END)
			test_await(self, finding);
		else if (code == 0)
			code = test_show_end(self, finding, err);
	}
	const size_t before = findings->count;
	if (code == 0)
		code = test_detail_some(self, err);
	/* Some are the same as others, as their calls show. */
	const size_t merged = before - findings->count;
	judged->new_findings -= merged < judged->new_findings ? (uint32_t)merged : judged->new_findings;
	self->has_orders |= judged->new_orders > 0;
	if (judged->is_lost)
		count_lost(self, run, report);
	return code;
}

/* What detection saw in it, and not how it ended: it was cut off, and that says nothing of the program. */
static int judge_detected(struct test *self, const struct campaign_run *run, const struct report *report,
			  struct judged *judged, struct err *err)
{
	self->judge.is_end_open = true;
	int code = test_judge(self, run, report, judged, err);
	self->judge.is_end_open = false;
	return code;
}

static bool is_lost_before(struct test *self, const struct campaign_run *run, const struct report *report)
{
	struct buf why = { 0 };
	describe_lost(self, run, report, &why);
	bool is_present = strings_has(&self->lost, why.data);
	buf_release(&why);
	return is_present;
}

/* Whether it seems to be a livelock or a hang only because it took longer than those before. */
static bool is_doubtful(struct test *self, const struct campaign_run *run, const struct report *report)
{
	bool is_livelock =
		run->result.outcome == HEDDLE_OUTCOME_LIVELOCK && self->request->run.budget == RUN_NUMBER_NONE;
	bool is_hang = run->result.outcome == HEDDLE_OUTCOME_HANG && self->request->run.hang == RUN_NUMBER_NONE;
	if (is_hang && is_lost_before(self, run, report))
		return false;
	return (is_livelock || is_hang) && !judge_knows_hang(&self->judge, run, report);
}

/* The second run of such a schedule has ended. */
static int judge_ended(struct test *self, const struct campaign_run *run, const struct lesson *learned, struct err *err)
{
	struct report report;
	report_parse(&report, learned->report, learned->report_bytes);
	self->fair_count += run->control->channel->fair_from != 0;
	int code = test_judge(self, run, &report, &self->second, err);
	adapt(self, run);
	report_release(&report);
	return code;
}

static int judge_doubtful(struct test *self, const struct campaign_run *run, const struct report *report,
			  struct judged *judged, struct err *err)
{
	enum confirmed confirmed;
	int code = test_confirm(self, run, judge_ended, &confirmed, err);
	if (code < 0)
		return code;
	if (confirmed == CONFIRMED_ENDS) {
		self->hang_count -= run->result.outcome == HEDDLE_OUTCOME_HANG;
		*judged = self->second;
		return 0;
	}
	if (confirmed != CONFIRMED_NOT)
		return test_judge(self, run, report, judged, err);
	char *text = mem_format("schedule %" PRIu64
				" may be a %s: there was no time to run it longer, so it is not reported",
				run->number, run->result.outcome == HEDDLE_OUTCOME_HANG ? "hang" : "livelock");
	judge_miss(&self->judge, text);
	free(text);
	return judge_detected(self, run, report, judged, err);
}

/* Of the time, what is kept for failures: to reduce them, or, when that is not wanted, to show their threads. */
static double failures_share(const struct test *self)
{
	double seconds = 0;
	for (size_t i = 0; i < self->judge.findings.count; i++) {
		if (!test_is_reducible(self->judge.findings.items[i]))
			continue;
		if (self->request->reduce != 0)
			return REDUCE_SHARE;
		seconds += self->request->is_threads_wanted ? test_threads_seconds(self) : 0;
	}
	return seconds < DETAIL_SHARE * (double)self->request->seconds ? seconds / (double)self->request->seconds
								       : DETAIL_SHARE;
}

/* Whether races are to be classified. */
static bool has_races(const struct test *self)
{
	for (size_t i = 0; self->request->classify != TEST_CLASSIFY_NO && i < self->judge.findings.count; i++)
		if (test_is_race(self->judge.findings.items[i]))
			return true;
	return false;
}

/* The campaign looks at its limit all the time. */
static void share_time(struct test *self)
{
	double share = 0;
	if (!test_is_timed(self))
		return;
	if (self->waiting.count || self->unshown.count) {
		share = test_detail_seconds(self) / (double)self->request->seconds;
		share = share < DETAIL_SHARE ? DETAIL_SHARE : share > MAX_DETAIL_SHARE ? MAX_DETAIL_SHARE : share;
	}
	const double for_failures = self->has_orders ? REDUCE_SHARE : failures_share(self);
	share = share > for_failures ? share : for_failures;
	share += has_races(self) ? CLASSIFY_SHARE : 0;
	self->campaign.seconds = (double)self->request->seconds * (1 - share);
}

bool test_has_enough(const struct test *self)
{
	return test_reported_count(self) >= (self->request->is_stopping ? 1 : self->request->findings);
}

static bool is_hanging(const struct test *self)
{
	return self->request->run.hang == RUN_NUMBER_NONE && self->hang_count >= MAX_HANGS;
}

/* Whether no schedule ever gets anywhere: each costs as much as the longest one could, and shows the same. */
static bool is_always_stuck(const struct test *self)
{
	return self->request->run.budget == RUN_NUMBER_NONE && self->livelock_count >= MAX_LIVELOCKS &&
	       self->livelock_count == self->campaign.answered;
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct test *self = context;
	struct judged judged = { .is_failure = false };
	struct report report;
	int code = 0;
	report_parse(&report, learned->report, learned->report_bytes);
	take_notes(self, run, &report);
	self->hang_count += run->result.outcome == HEDDLE_OUTCOME_HANG;
	self->livelock_count += run->result.outcome == HEDDLE_OUTCOME_LIVELOCK;
	self->event_count += run->result.event_count;
	without_take(&self->without, run->control->channel);
	enough_learn(&self->enough, run->control->channel->seen);
	self->fair_count += run->control->channel->fair_from && run->result.outcome == HEDDLE_OUTCOME_EXIT;
	if (is_unfinished(self, run, &report)) {
		code = judge_detected(self, run, &report, &judged, err);
		if (code == 0)
			code = allow_more(self, run, &report, err);
	} else if (test_is_outside(&report)) {
		code = judge_detected(self, run, &report, &judged, err);
		count_lost(self, run, &report);
	} else if (is_doubtful(self, run, &report)) {
		code = judge_doubtful(self, run, &report, &judged, err);
	} else {
		code = test_judge(self, run, &report, &judged, err);
	}
	if (code == 0)
		code = test_check_woven(self, run, &report, err);
	judge_look_again(&self->judge);
	adapt(self, run);
	share_time(self);
	report_release(&report);
	if (learned->channel)
		coverage_learn(&self->coverage, learned->channel->seen);
	learned->findings = judged.new_findings;
	learned->is_failure = judged.is_failure;
	test_progress(self);
	if (code < 0)
		return code;
	/* Schedule 1 is no later than number 2, though it runs behind it. */
	if (test_has_enough(self) &&
	    !(self->campaign.is_second_first && self->campaign.answered == 1 && self->campaign.runs != 1))
		return 1;
	self->is_single = self->max_threads <= 1 && self->campaign.answered >= SINGLE_RUNS;
	return self->is_single || is_hanging(self) || is_always_stuck(self);
}

static void wait(void *context)
{
	test_progress(context);
}

static void list_files(struct strings *names)
{
	DIR *folder = opendir(".");
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		strings_add(names, entry->d_name);
	if (folder)
		closedir(folder);
}

/* Only looked at once: in a folder with enough files to make this slow, the user would not notice new ones. */
static void note_files(struct test *self)
{
	struct strings now = { 0 };
	const char *first = NULL;
	size_t count = 0;
	list_files(&now);
	for (size_t i = 0; i < now.count && self->files.count < 1000; i++)
		if (!strings_has(&self->files, now.items[i]) && count++ == 0)
			first = now.items[i];
	if (count) {
		char *shown = text_terminal_copy(first);
		strings_note(&self->notes,
			     "the runs left \"%s\"%s behind, which later runs saw; --sandbox gives each run its own "
			     "directory, --before CMD runs a command that restores it",
			     shown, count > 1 ? " and other files" : "");
		free(shown);
	}
	strings_release(&now);
}

#define MAX_OPAQUE 5u /* in notes */

static void note_opaque(struct test *self)
{
	size_t count = self->opaque.count;
	for (size_t i = 0; i < count && i < MAX_OPAQUE; i++)
		strings_note(&self->notes, "%s", self->opaque.items[i]);
	if (count > MAX_OPAQUE)
		strings_note(&self->notes, "%zu more statement%s of inline assembly %s not observed",
			     count - MAX_OPAQUE, count > MAX_OPAQUE + 1 ? "s" : "",
			     count > MAX_OPAQUE + 1 ? "are" : "is");
}

/* Whether schedules that were cut off before one had ended went on for longer than one may, as is known now. */
static bool is_unfinished_stuck(const struct test *self)
{
	return self->longest && self->unfinished_count &&
	       (self->is_unfinished_signal || self->unfinished_events >= self->trace.request.event_budget ||
		(self->unfinished_seconds && self->unfinished_seconds >= self->campaign.setup.quiet_seconds));
}

static void miss_unfinished(struct test *self)
{
	if (!is_unfinished_stuck(self))
		return;
	char *text = mem_format("%" PRIu64
				" schedule%s cut off before any had ended, and may be stuck: others end much sooner; "
				"another --seed starts with another schedule",
				self->unfinished_count, self->unfinished_count == 1 ? " was" : "s were");
	judge_miss(&self->judge, text);
	free(text);
}

/* It may hang: a schedule that was not given enough time to tell does not count as good. */
static void miss_cut(struct test *self)
{
	const struct campaign *campaign = &self->campaign;
	const double usual = self->longest_seconds * HANG_FACTOR;
	if (campaign->end != CAMPAIGN_TIME || !self->longest ||
	    campaign->cut_seconds < (usual > HANG_LEAST ? usual : HANG_LEAST))
		return;
	char *text = mem_format("schedule %" PRIu64
				" had not ended when the time limit was reached, after %.1f s, while others took at "
				"most %.1f s: it may hang; --time SECONDS gives it more time",
				campaign->cut_number, campaign->cut_seconds, self->longest_seconds);
	judge_miss(&self->judge, text);
	free(text);
}

static void note_end(struct test *self)
{
	const struct campaign *campaign = &self->campaign;
	const char *problem = seal_problem();
	if (problem && self->judge.findings.count)
		strings_note(&self->notes,
			     "the evidence cannot be signed with your key, so heddle show does not replay it, and "
			     "heddle replay needs --trust: %s",
			     problem);
	without_describe(&self->without, self->request->store, &self->notes);
	note_opaque(self);
	judge_count_lost(&self->judge);
	miss_cut(self);
	miss_unfinished(self);
	test_note_unobserved(self);
	for (size_t i = 0; i < self->judge.missed.count; i++)
		strings_note(&self->notes, "%s", self->judge.missed.items[i]);
	if (self->is_single)
		strings_note(&self->notes,
			     "the program never had more than one thread, so all schedules are the same: stopped "
			     "after %" PRIu64,
			     campaign->answered);
	if (is_hanging(self) && self->longest)
		strings_note(&self->notes,
			     "stopped after %" PRIu64 " schedules, because %" PRIu64
			     " of them hung: loops cannot be interrupted in code that is not woven (build it with "
			     "heddle-cc, which cannot weave assembler files), or where all accesses are proved "
			     "free of races (heddle-cc --heddle-prove=no observes them); with --hang SECONDS the "
			     "test continues",
			     campaign->answered, self->hang_count);
	if (is_always_stuck(self))
		strings_note(&self->notes,
			     "stopped after %" PRIu64
			     " schedules, because each of them was a livelock; with --budget EVENTS, the event "
			     "limit of a schedule, the test continues",
			     campaign->answered);
	if (campaign->reason)
		strings_note(&self->notes, "%s", campaign->reason);
	if (campaign->left.count) {
		char *names = text_terminal_copy(campaign->left.names);
		strings_note(&self->notes, "%" PRIu32 " process%s that runs left running %s killed: %s",
			     campaign->left.count, campaign->left.count == 1 ? "" : "es",
			     campaign->left.count == 1 ? "was" : "were", names);
		free(names);
	}
	if (self->fair_count)
		strings_note(&self->notes,
			     "%" PRIu64
			     " schedule%s seemed to make no progress (threads waiting in loops, or a long sleep), "
			     "so the threads took turns until the end",
			     self->fair_count, self->fair_count == 1 ? "" : "s");
	if (self->unfinished_count && !self->is_endless && !is_unfinished_stuck(self))
		strings_note(&self->notes,
			     "%" PRIu64
			     " schedule%s cut off: the expected length of a run is learned from a schedule that ends; "
			     "if the program never ends, limit the events per schedule with --budget EVENTS",
			     self->unfinished_count, self->unfinished_count == 1 ? " was" : "s were");
}

void test_begin_campaign(struct test *self)
{
	struct campaign *campaign = &self->campaign;
	const struct trace_request *request = &self->trace.request;
	const char *strategy = self->request->run.strategy ? self->request->run.strategy : planner_names[0];
	const uint64_t outside = self->request->run.hang == RUN_NUMBER_NONE || self->request->run.hang < OUTSIDE_FIRST
					 ? OUTSIDE_FIRST
					 : self->request->run.hang;
	*campaign = (struct campaign){
		.trace = &self->trace,
		.setup = { .flags = HEDDLE_CONTROL_RECORD,
			   .trace_path = self->log_path,
			   .is_unattended = true,
			   .has_own_session = true,
			   .quiet_seconds =
				   self->request->run.hang == RUN_NUMBER_NONE ? HANG_FIRST : self->request->run.hang,
			   .outside_seconds = outside },
		.planner = planner_named_new(strategy, request->seed, request->depth, &self->judge.cycles),
		.jobs = self->request->jobs,
		.runs = self->request->runs,
		.is_second_first = strcmp(strategy, planner_names[0]) == 0,
		.audits = self->request->audits == RUN_NUMBER_NONE ? AUDITS : self->request->audits,
		.seconds = self->request->seconds == RUN_NUMBER_NONE ? 0 : (double)self->request->seconds,
		.capture_room = self->request->check ? MAX_CHECK_OUTPUT : KEPT_BYTES,
		.input_fd = campaign->input_fd,
		.is_sandboxed = self->request->is_sandboxed,
		.before_each = &self->before,
		.is_stopped = self->request->is_stopped,
		.known = &self->known,
		.take = take,
		.wait = wait,
		.context = self,
	};
	if (run_is_early(&self->request->run))
		planner_named_allow_early(campaign->planner);
	if (self->request->run.budget == RUN_NUMBER_NONE)
		self->trace.request.event_budget = BUDGET_FIRST;
	campaign->setup.fair_after = self->trace.request.event_budget / FAIR_PART;
	self->judge.known = &self->known;
	self->began = time_now_seconds();
}

void test_end_campaign(struct test *self)
{
	self->campaign.planner->free(self->campaign.planner);
	self->campaign.planner = NULL;
}

int test_search(struct test *self, struct err *err)
{
	test_begin_campaign(self);
	int code = test_expose_begin(self, err);
	if (code == 0)
		return test_serve(self, true, err);
	test_end_campaign(self);
	return code;
}

int test_serve(struct test *self, bool is_steered, struct err *err)
{
	struct campaign *campaign = &self->campaign;
	if (!self->request->is_sandboxed)
		list_files(&self->files);
	self->is_searching = true;
	int code = campaign_serve(campaign, err);
	/* What runs from now on is numbered in its order. */
	campaign->is_second_first = false;
	if (code == 0 && is_steered)
		code = test_steer(self, err);
	struct err unstored = ERR_INIT;
	int reported = test_report_orders(self, &unstored);
	if (code == 0 && reported < 0) {
		code = reported;
		*err = unstored;
	}
	if (!self->request->is_sandboxed)
		note_files(self);
	note_end(self);
	test_expose_end(self);
	test_end_campaign(self);
	return code;
}
