/* test_priv.h: what the parts of a test share. */
#ifndef CAMPAIGN_TEST_PRIV_H
#define CAMPAIGN_TEST_PRIV_H

#include "campaign/test.h"
#include "trace/steps.h"

/* Tells the listener that time has passed. */
void test_progress(struct test *self);

/* Runs the campaign, and stores what it shows. Returns 0, or a negative errno with err set. */
int test_search(struct test *self, struct err *err);

/* Makes the campaign ready to be served, with the planner that was asked for; and releases the planner. */
void test_begin_campaign(struct test *self);
void test_end_campaign(struct test *self);

/* Reduces the schedules of failures, or takes what an earlier test made of them. Adds a note when one cannot be
 * reduced. */
void test_reduce(struct test *self);

/* Runs both orders of each data race, and finds out what they lead to. A failure that only such a run has becomes a finding. */
void test_classify(struct test *self);

/* With --time, when classification ends. */
double test_classify_deadline(const struct test *self);

/* Looks at a run that is not one of the campaign: what is new in it becomes findings. Returns 0, or a negative errno with err
 * set. */
int test_judge(struct test *self, const struct campaign_run *run, const struct report *report, struct judged *judged,
	       struct err *err);

/* Whether the program's own file is woven. */
void test_find_woven(struct test *self);

/* After each schedule: whether woven code ran, and what ran unobserved. Returns 0, or a negative errno with err set when nothing
 * is tested. */
int test_check_woven(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err);

/* The campaign is over: notes what ran unobserved. */
void test_note_unobserved(struct test *self);

/* Whether a run was ended because nothing came from outside. */
bool test_is_outside(const struct report *report);

/* A schedule was cut off and none has ended. Returns 0 when the next may be longer, or a negative errno with err set: then the program
 * never ends by itself. */
int test_fail_endless(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err);
/* The same of a program that waits for a signal. */
int test_fail_signal(struct test *self, const struct report *report, struct err *err);

/* What a second run of a schedule showed that seemed to be a livelock or a hang. */
enum confirmed {
	CONFIRMED_NOT,   /* nothing: there was no time */
	CONFIRMED_STUCK, /* it is one */
	CONFIRMED_ENDS,  /* it only took longer */
};

typedef int test_take(struct test *self, const struct campaign_run *run, const struct lesson *learned, struct err *err);

/* Runs the schedule again with much larger limits. take_ended is called with the second run when that ends. Returns 0, or a
 * negative errno with err set. */
int test_confirm(struct test *self, const struct campaign_run *run, test_take *take_ended, enum confirmed *confirmed,
		 struct err *err);

/* The switches of the schedule that a trace of the test's program has, from a replay of it. Returns 0, or a negative errno with
 * err set. */
int test_find_steps(const struct test *test, const struct trace *recorded, struct steps *steps, struct err *err);

/* Appends to what the finding needs which events must run between which others, from a replay of its evidence; the
 * steps are those of its schedule that matter. What cannot be determined is left out: the finding is reported without
 * it. */
void test_tell_between(const struct test *test, struct finding *finding, const struct heddle_step *steps,
		       size_t step_count);

/* A new finding that has an origin and evidence: it is described when there is time for that. */
void test_await(struct test *self, struct finding *finding);

/* A new finding that is described: stores it; it is shown when there is time for that. Returns 0, or a negative errno with err set. */
int test_show_end(struct test *self, struct finding *finding, struct err *err);

/* Describes, stores and shows findings that wait: some, while the search goes on, and then all of them, in the end without replays.
 * Return 0, or a negative errno with err set: one could not be stored, and is shown all the same. */
int test_detail_some(struct test *self, struct err *err);
int test_detail_rest(struct test *self, struct err *err);

/* Notes what is missing of findings; at the end. */
void test_note_details(struct test *self);
void test_note_unplayed(struct test *self, const struct finding *finding);
void test_note_unreduced(struct test *self, const struct finding *finding); /* there was no time for it */
void test_release_details(struct test *self);

/* Whether there is a replay left for the report; and what one took. */
bool test_may_replay(const struct test *self, enum test_replay kind);
void test_count_replays(struct test *self, enum test_replay kind, uint64_t replays, uint64_t events, double began);

/* Whether there is --time; and when that is over, of the monotonic clock: 0 without it. */
bool test_is_timed(const struct test *self);
double test_deadline(const struct test *self);

/* What the replays for the findings of a schedule may take; and the one that shows the threads of a failure. */
double test_detail_seconds(const struct test *self);
double test_threads_seconds(const struct test *self);

/* After --time, when everything ends. Time is kept back for what a failure needs once it is reduced, but how long that
 * takes is only a guess, and the earlier runs must not be wasted. 0 without --time. */
#define TEST_SECONDS_KEEP 10.0
double test_keep_deadline(const struct test *self);

/* Opens the store, and says in it that the test began. Returns 0, or a negative errno with err set. */
int test_open_store(struct test *self, struct err *err);

/* Stores the finding, and sets its number. Returns 0, or a negative errno with err set. */
int test_store(struct test *self, struct finding *finding, struct err *err);

/* Stores whether it is suppressed. Returns 0, or a negative errno with err set. */
int test_store_suppression(struct test *self, struct finding *finding, struct err *err);

/* Whether the store refers to that evidence; null is none. */
bool test_is_kept(struct test *self, const char *trace);

/* Stores what a failure needs, and the trace of the reduced schedule. Returns 0, or a negative errno with err set. */
int test_store_needs(struct test *self, const struct finding *finding, struct err *err);

/* Stores what the orders of a race lead to. harm, other: paths of the traces of the run that fails and of one with the other order; null: there
 * is none. Returns 0, or a negative errno with err set. */
int test_store_verdict(struct test *self, struct finding *race, const char *harm, bool is_harm_other, const char *other,
		       struct err *err);

/* Stores how many schedules there were, and notes what is fixed. Returns 0, or a negative errno with err set. */
int test_close_store(struct test *self, struct err *err);

/* Whether there are as many of them as the user wants. */
bool test_has_enough(const struct test *self);

/* The campaign is over: steers schedules towards what lock orders could lead to, as far as that was not done yet. Returns 0,
 * or a negative errno with err set. */
int test_steer(struct test *self, struct err *err);

/* Reports the lock orders whose deadlock no schedule showed. Returns 0, or a negative errno with err set. */
int test_tell_orders(struct test *self, struct err *err);

#endif
