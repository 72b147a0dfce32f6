/*
 * detail.c: what heddle test reports about findings beyond what the schedule itself reported: stacks, from second
 * passes, and threads, from replays with all events. The search comes first: while it runs, these replays take only a
 * fraction of its time, and the remaining findings wait for its end. After it there is a limit too.
 *
 * Limits are counted in events, and each run counts as a fixed number of events, so that the same test reports the
 * same; with --time they are limits of the clock. All findings of a schedule share their replays.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "campaign/test_priv.h"
#include "judge/evidence.h"
#include "symbols/line.h"

#define REPLAY_EVENTS 50000u /* a replay takes as long as this many events before its first one */
#define SEARCH_LEAST 500000u /* while the search goes on: this many events, ... */
#define REST_LEAST 10000000u /* ... when it is over: these, ... */
#define SEARCH_SHARE 4u      /* ... or this part of the search */
#define SECONDS_SHARE 0.2    /* the same part of the time that has passed, ... */
#define SECONDS_REDUCE 0.5   /* ... and of what is left, when failures are to be reduced */
#define REPLAYS_NEXT 10    /* two for stacks and one for threads, each slower than a schedule, take as long as these */
#define REPLAYS_THREADS 3  /* the one for threads alone */
#define SECONDS_START 0.05 /* of a replay, before its first event */
#define MAX_LISTED 10u     /* findings that a note names */

uint64_t test_search_cost(const struct test *self)
{
	return self->event_count + self->campaign.answered * TEST_SCHEDULE_EVENTS;
}

bool test_is_timed(const struct test *self)
{
	return self->request->seconds != RUN_NUMBER_NONE;
}

double test_deadline(const struct test *self)
{
	return test_is_timed(self) ? self->began + (double)self->request->seconds : 0;
}

double test_detail_seconds(const struct test *self)
{
	return REPLAYS_NEXT * (self->longest_seconds + SECONDS_START);
}

double test_threads_seconds(const struct test *self)
{
	return REPLAYS_THREADS * (self->longest_seconds + SECONDS_START);
}

double test_keep_deadline(const struct test *self)
{
	return test_is_timed(self) ? test_deadline(self) + TEST_SECONDS_KEEP : 0;
}

/* When replays for details end that begin now; 0: they do not. */
static double details_deadline(const struct test *self)
{
	return self->is_searching || !test_is_timed(self) ? test_deadline(self) : self->details_until;
}

bool test_may_replay(const struct test *self, enum test_replay kind)
{
	if (test_is_stopped(self))
		return false;
	/* With the next ones it must not be more than that either. */
	if (test_is_timed(self) && self->is_searching)
		return self->replay_seconds + test_detail_seconds(self) <
		       (time_now_seconds() - self->began) * SECONDS_SHARE;
	if (test_is_timed(self))
		return time_now_seconds() < self->details_until;
	const uint64_t *spent = self->replay_events, share = test_search_cost(self) / SEARCH_SHARE;
	if (self->is_searching)
		return spent[TEST_REPLAY_STACKS] + spent[TEST_REPLAY_THREADS] < SEARCH_LEAST + share;
	return spent[kind] < (share > REST_LEAST ? share : REST_LEAST);
}

void test_count_replays(struct test *self, enum test_replay kind, uint64_t replays, uint64_t events, double began)
{
	self->replay_count += replays;
	self->replay_events[kind] += replays * REPLAY_EVENTS + events;
	self->replay_seconds += time_now_seconds() - began;
}

void test_await(struct test *self, struct finding *finding)
{
	struct findings_queue *queue = &self->waiting;
	queue->items = mem_resize(queue->items, (queue->count + 1) * sizeof *queue->items);
	queue->items[queue->count++] = finding;
}

static void remove_at(struct findings_queue *queue, size_t at)
{
	memmove(queue->items + at, queue->items + at + 1, (--queue->count - at) * sizeof *queue->items);
}

/* What the end of the test reports about findings without details. */
static void list(struct buf *ids, size_t *count, const struct finding *finding)
{
	if ((*count)++ < MAX_LISTED)
		buf_format(ids, "%sH%" PRIu64, ids->size ? ", " : "", finding->identity.number);
}

static bool is_undecided(const struct test *self, const struct finding *finding)
{
	return !finding->identity.suppression && suppressions_need_calls(&self->suppressions, finding);
}

/* why: what kept the second pass from it; null: nothing did. */
static void note_missing(struct test *self, const struct finding *finding, const char *why)
{
	if (!why || finding->identity.suppression)
		return;
	if (is_undecided(self, finding))
		list(&self->undecided, &self->undecided_count, finding);
	if (!*why)
		list(&self->undescribed, &self->undescribed_count, finding);
	else
		lacking_add(&self->lacking, LACKING_STACKS, why, finding->identity.number);
}

/* Stores it, and looks whether it is suppressed: a suppression may name its number. Returns 0, or a negative errno with err set. */
static int settle(struct test *self, struct finding *finding, const char *why, struct err *err)
{
	scene_find_code(&self->judge.scene, finding);
	int code = test_store(self, finding, err);
	if (suppressions_find(&self->suppressions, finding))
		self->suppressed_count++;
	if (code == 0)
		code = test_store_suppression(self, finding, err);
	note_missing(self, finding, why);
	if (finding_has_near(finding))
		strings_note(&self->notes, "%s", LINE_NOTE);
	if (!finding->presentation.first_summary && finding->presentation.summary.data)
		finding->presentation.first_summary = mem_copy_string(finding->presentation.summary.data);
	struct findings_queue *queue = &self->unshown;
	queue->items = mem_resize(queue->items, (queue->count + 1) * sizeof *queue->items);
	queue->items[queue->count++] = finding;
	return code;
}

/* look: what a second pass saw of it; null: nothing. Returns whether it is a finding of its own: else it was merged
 * into another one, and is gone. */
static bool describe(struct test *self, struct finding *finding, const struct second_look *look)
{
	char *trace = mem_copy_string(finding->evidence.trace);
	struct finding *known = judge_detail(&self->judge, finding, look);
	if (known == finding)
		evidence_rename(finding);
	else if (!test_is_kept(self, trace))
		unlink(trace);
	free(trace);
	return known == finding;
}

/* A finding that was described, and why it has no stacks; null: it has. */
struct described {
	struct finding *finding;
	const char *why;
};

/* They are written together. Returns 0, or a negative errno with err set: of the first that could not be stored. */
static int settle_all(struct test *self, const struct described *described, size_t count, struct err *err)
{
	struct err ignored = ERR_INIT;
	bool is_group = count > 1 && store_group_begin(&self->stored, &ignored) == 0;
	int code = 0;
	for (size_t i = 0; i < count; i++) {
		struct err unstored = ERR_INIT;
		int stored = settle(self, described[i].finding, described[i].why, &unstored);
		if (stored < 0 && code == 0) {
			code = stored;
			*err = unstored;
		}
	}
	struct err unwritten = ERR_INIT;
	int written = is_group ? store_group_end(&self->stored, &unwritten) : 0;
	if (written < 0 && code == 0)
		*err = unwritten;
	return code < 0 ? code : written;
}

/* The first findings that a pass was made for. got: what it returned; words: why there are no stacks. */
static int describe_pass(struct test *self, struct finding **findings, const struct second_pass *pass, int got,
			 const char *words, struct err *err)
{
	struct described *described = mem_alloc((pass->count + 1) * sizeof *described);
	size_t ready = 0;
	int code = 0;
	for (size_t i = 0; i < pass->count; i++) {
		bool is_seen = got == 0 && pass->looks[i].is_seen;
		if (describe(self, findings[i], is_seen ? &pass->looks[i] : NULL))
			described[ready++] = (struct described){ findings[i], is_seen ? NULL : words };
		/* Whether the next one is the same as this depends on whether this is suppressed. */
		if (!self->suppressions.count && i + 1 < pass->count)
			continue;
		struct err unstored = ERR_INIT;
		int stored = settle_all(self, described, ready, &unstored);
		if (stored < 0 && code == 0) {
			code = stored;
			*err = unstored;
		}
		ready = 0;
	}
	free(described);
	return code;
}

/* Findings of one schedule, some at a time, and those that there is no time for without a replay. Returns 0, or a negative errno with
 * err set: of the first that could not be stored. */
static int describe_all(struct test *self, struct finding **findings, size_t count, bool is_replayed, struct err *err)
{
	struct second_pass *pass = mem_alloc(sizeof *pass);
	int code = 0;
	for (size_t done = 0; done < count;) {
		*pass = (struct second_pass){ .count = count - done };
		struct err why = ERR_INIT;
		const double began = time_now_seconds(), deadline = details_deadline(self);
		is_replayed &= !deadline || began < deadline;
		int got = is_replayed ? second_pass(pass, findings + done, count - done, deadline, &why) : -ETIME;
		if (is_replayed)
			test_count_replays(self, TEST_REPLAY_STACKS, pass->replay_count, pass->event_count, began);
		const char *words = got == 0        ? "the replay did not reach the reported event"
				    : got == -ETIME ? ""
						    : why.message;
		struct err unstored = ERR_INIT;
		int stored = describe_pass(self, findings + done, pass, got, words, &unstored);
		if (stored < 0 && code == 0) {
			code = stored;
			*err = unstored;
		}
		done += pass->count;
		if (is_replayed)
			second_pass_release(pass);
	}
	free(pass);
	return code;
}

/* Those that wait and are of that schedule. */
static int describe_schedule(struct test *self, uint64_t schedule, bool is_replayed, struct err *err)
{
	struct findings_queue *queue = &self->waiting;
	struct finding **findings = mem_alloc((queue->count + 1) * sizeof *findings);
	size_t count = 0;
	for (size_t i = 0; i < queue->count;) {
		if (queue->items[i]->evidence.first != schedule) {
			i++;
			continue;
		}
		findings[count++] = queue->items[i];
		remove_at(queue, i);
	}
	int code = describe_all(self, findings, count, is_replayed, err);
	free(findings);
	return code;
}

int test_show_end(struct test *self, struct finding *finding, struct err *err)
{
	return settle(self, finding, NULL, err);
}

/* Whether a replay is made for what is printed or reported of it now; what is reduced gets it when that is done. */
static bool needs_replay(const struct test *self, const struct finding *finding)
{
	return !finding->identity.suppression && self->request->is_threads_wanted && !test_is_reducible(finding);
}

/* In their order, as far as replays are allowed; those that need none come at once. */
static void show(struct test *self, bool is_all)
{
	struct findings_queue *queue = &self->unshown;
	uint64_t schedule = 0;
	for (size_t i = 0; i < queue->count;) {
		struct finding *finding = queue->items[i];
		bool is_free = !needs_replay(self, finding) || (schedule && finding->evidence.first == schedule);
		if (!is_free && !is_all && !test_may_replay(self, TEST_REPLAY_THREADS)) {
			i++;
			continue;
		}
		if (needs_replay(self, finding) && finding->evidence.first != schedule)
			timeline_release(&self->timeline);
		if (needs_replay(self, finding))
			schedule = finding->evidence.first;
		remove_at(queue, i);
		self->listener->found(self->listener->context, self, finding);
	}
	timeline_release(&self->timeline);
}

/* Whether it cannot wait: a test that stops after a number of findings must know whether these count, and duplicates
 * are not known before it is known which are suppressed. */
static bool is_urgent(const struct test *self)
{
	return self->suppressions.count || test_has_enough(self);
}

int test_detail_some(struct test *self, struct err *err)
{
	int code = 0;
	while (code == 0 && self->waiting.count && !test_is_stopped(self) &&
	       (is_urgent(self) || test_may_replay(self, TEST_REPLAY_STACKS)))
		code = describe_schedule(self, self->waiting.items[0]->evidence.first, true, err);
	show(self, false);
	return code;
}

/* Memory errors first, then what shares its replays with most others, then as they were found. */
static uint64_t next_schedule(const struct test *self)
{
	const struct findings_queue *queue = &self->waiting;
	uint64_t best = 0;
	size_t best_weight = 0;
	for (size_t i = 0; i < queue->count; i++) {
		size_t weight = 0;
		for (size_t j = 0; j < queue->count; j++)
			if (queue->items[j]->evidence.first == queue->items[i]->evidence.first)
				weight += queue->items[j]->identity.kind == FINDING_MEMORY_ERROR ? queue->count : 1;
		if (weight > best_weight) {
			best_weight = weight;
			best = queue->items[i]->evidence.first;
		}
	}
	return best;
}

static bool is_reducing(const struct test *self)
{
	for (size_t i = 0; i < self->judge.findings.count && self->request->reduce != 0; i++)
		if (test_is_reducible(self->judge.findings.items[i]))
			return true;
	return false;
}

int test_detail_rest(struct test *self, struct err *err)
{
	int code = 0;
	self->is_searching = false;
	if (test_is_timed(self)) {
		double now = time_now_seconds(), left = test_deadline(self) - now;
		self->details_until = now + left * (is_reducing(self) ? SECONDS_REDUCE : 1);
	}
	while (self->waiting.count) {
		struct err unstored = ERR_INIT;
		bool is_replayed = !test_is_stopped(self) && (test_may_replay(self, TEST_REPLAY_STACKS) ||
							      (is_urgent(self) && !test_is_timed(self)));
		int stored = describe_schedule(self, next_schedule(self), is_replayed, &unstored);
		if (stored < 0 && code == 0) {
			code = stored;
			*err = unstored;
		}
	}
	show(self, true);
	/* What comes now are failures that are reduced, as far as there is time. */
	self->details_until = test_deadline(self);
	return code;
}

static void note_list(struct test *self, struct buf *ids, size_t count, const char *one, const char *many)
{
	char more[48] = "";
	if (count > MAX_LISTED)
		snprintf(more, sizeof more, " and %zu more", count - MAX_LISTED);
	if (count)
		strings_note(&self->notes, "%s%s %s", ids->data, more, count == 1 ? one : many);
	buf_release(ids);
}

/* Lock orders are made of what all schedules showed. */
bool test_is_only_early(const struct finding *finding)
{
	return finding->evidence.origin != FINDING_OF_ORDERS && !finding->evidence.is_strict &&
	       !finding->evidence.is_reduced && finding->evidence.seen;
}

static void note_timing(struct test *self)
{
	struct buf ids = { 0 };
	size_t count = 0;
	for (size_t i = 0; i < self->judge.findings.count; i++)
		if (!self->judge.findings.items[i]->identity.suppression &&
		    test_is_only_early(self->judge.findings.items[i]))
			list(&ids, &count, self->judge.findings.items[i]);
	note_list(self, &ids, count,
		  "was seen only in schedules where a sleep or time-out ended while other threads could run, which "
		  "--timing strict prevents",
		  "were seen only in schedules where sleeps or time-outs ended while other threads could run, "
		  "which --timing strict prevents");
}

void test_note_details(struct test *self)
{
	note_timing(self);
	lacking_note(&self->lacking, &self->notes);
	note_list(self, &self->undescribed, self->undescribed_count,
		  "is reported without stacks: the replays would have taken too long; heddle show ID shows them",
		  "are reported without stacks: the replays would have taken too long; heddle show ID shows them");
	note_list(self, &self->unreplayed, self->unreplayed_count,
		  "is reported without its threads: the replays would have taken too long; heddle show ID shows them",
		  "are reported without their threads: the replays would have taken too long; heddle show ID shows "
		  "them");
	note_list(self, &self->unreduced, self->unreduced_count, "was not reduced: there was not enough time",
		  "were not reduced: there was not enough time");
	note_list(self, &self->undecided, self->undecided_count, "may match a suppression: its callers are unknown",
		  "may match suppressions: their callers are unknown");
}

void test_note_unreplayed(struct test *self, const struct finding *finding)
{
	list(&self->unreplayed, &self->unreplayed_count, finding);
}

void test_note_unreduced(struct test *self, const struct finding *finding)
{
	list(&self->unreduced, &self->unreduced_count, finding);
}

void test_release_details(struct test *self)
{
	free(self->waiting.items);
	free(self->unshown.items);
	timeline_release(&self->timeline);
	buf_release(&self->undescribed);
	buf_release(&self->unreplayed);
	buf_release(&self->unreduced);
	buf_release(&self->undecided);
}
