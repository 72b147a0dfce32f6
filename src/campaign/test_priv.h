/* test_priv.h: what the parts of a test share. */
#ifndef CAMPAIGN_TEST_PRIV_H
#define CAMPAIGN_TEST_PRIV_H

#include "campaign/test.h"
#include "trace/steps.h"

/* Calls the progress function of the listener. */
void test_progress(struct test *self);

/* Whether the command of --before has failed, which ends a test whatever it was doing: returns 0, or a negative errno with err set. */
int test_check_before(const struct test *self, struct err *err);

/* Runs the campaign, and stores what it shows. Returns 0, or a negative errno with err set. */
int test_search(struct test *self, struct err *err);

/* The same once the campaign is ready. is_steered: schedules towards deadlocks follow. */
int test_serve(struct test *self, bool is_steered, struct err *err);

/* Makes the campaign ready to be served, with the planner that was asked for; and releases the planner. */
void test_begin_campaign(struct test *self);
void test_end_campaign(struct test *self);

/* Reduces the schedules of failures, or reuses the reductions of an earlier test. Adds a note when one cannot be
 * reduced. */
void test_reduce(struct test *self);

/* Runs both orders of each data race to determine their consequences. A failure that only such a run shows becomes a finding. */
void test_classify(struct test *self);

/* Until test_end_input all schedules have that input. Returns 0, or a negative errno with err set: then it has not begun. */
int test_begin_input(struct test *self, const struct test_input *input, struct err *err);
void test_end_input(struct test *self);

/* Whether it is a data race that can be classified. */
bool test_is_race(const struct finding *finding);

/* What the search took, in events, with what schedules take to start. */
uint64_t test_search_cost(const struct test *self);
#define TEST_SCHEDULE_EVENTS 5000u /* a schedule takes as long as this many events before its first one */

/* The verdict that the store has on a race, if it is of this build: the finding gets it. Returns whether there is one. */
bool test_load_verdict(struct test *self, struct finding *race);
/* The same of one finding, if it is a data race. */
void test_classify_race(struct test *self, struct finding *race);

/* With --time, when classification ends. */
double test_classify_deadline(const struct test *self);

/* Judges a run that does not belong to the campaign: whatever is new in it becomes a finding. Returns 0, or a negative errno with err
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
/* The same for a program that waits for a signal. */
int test_fail_signal(struct test *self, const struct report *report, struct err *err);

/* What a second run of a schedule showed that seemed to be a livelock or a hang. */
enum confirmed {
	CONFIRMED_NOT,   /* not known: there was no time */
	CONFIRMED_STUCK, /* it is a livelock or a hang */
	CONFIRMED_ENDS,  /* it only took longer */
};

typedef int test_take(struct test *self, const struct campaign_run *run, const struct lesson *learned, struct err *err);

/* Runs the schedule again with much larger limits. take_ended is called with the second run when that ends. Returns 0, or a
 * negative errno with err set. */
int test_confirm(struct test *self, const struct campaign_run *run, test_take *take_ended, enum confirmed *confirmed,
		 struct err *err);

/* The switches of the schedule that a trace of the test's program has, from a replay of it. Returns 0, or a negative errno with
 * err set. If there is no room for all, steps has the first ones and *is_all is false; without is_all it is empty then. */
int test_find_steps(const struct test *test, const struct trace *recorded, struct steps *steps, bool *is_all,
		    struct err *err);

/* Appends to what the finding needs which events must run between which others, from a replay of its evidence; the
 * steps are those of its schedule that matter. What cannot be determined is left out: the finding is reported without
 * it. */
void test_describe_between(const struct test *test, struct finding *finding, const struct heddle_step *steps,
			   size_t step_count);

/* Queues a new finding that has an origin and evidence, to be described when there is time. */
void test_await(struct test *self, struct finding *finding);

/* Stores a new finding that is already described, and queues it to be shown when there is time. Returns 0, or a negative errno with err set. */
int test_show_end(struct test *self, struct finding *finding, struct err *err);

/* Describe, store and show queued findings: some of them during the search, all of them after it, if need be without replays. Return 0,
 * or a negative errno with err set if one could not be stored; it is still shown. */
int test_detail_some(struct test *self, struct err *err);
int test_detail_rest(struct test *self, struct err *err);

/* At the end: adds notes about details that findings lack. */
void test_note_details(struct test *self);
void test_note_unreplayed(struct test *self, const struct finding *finding);
void test_note_unreduced(struct test *self, const struct finding *finding); /* for lack of time */
void test_release_details(struct test *self);

/* Whether another replay for the report is allowed; and counts one. */
bool test_may_replay(const struct test *self, enum test_replay kind);
void test_count_replays(struct test *self, enum test_replay kind, uint64_t replays, uint64_t events, double began);

/* Whether --time was given; and its deadline by the monotonic clock, 0 without it. */
bool test_is_timed(const struct test *self);
double test_deadline(const struct test *self);

/* Time limits in seconds: for the replays for the findings of a schedule; and for the one that shows the threads of a failure. */
double test_detail_seconds(const struct test *self);
double test_threads_seconds(const struct test *self);

/* After --time, when everything ends. Time is kept back for what a failure needs once it is reduced, but how long that
 * takes is only a guess, and the earlier runs must not be wasted. 0 without --time. */
#define TEST_SECONDS_KEEP 10.0
double test_keep_deadline(const struct test *self);

/* Opens the store, and records the start of the test in it. Returns 0, or a negative errno with err set. */
int test_open_store(struct test *self, struct err *err);

/* Stores the finding, and sets its number. Returns 0, or a negative errno with err set. */
int test_store(struct test *self, struct finding *finding, struct err *err);

/* Stores whether it is suppressed. Returns 0, or a negative errno with err set. */
int test_store_suppression(struct test *self, struct finding *finding, struct err *err);

/* Whether the store refers to that evidence; null is none. */
bool test_is_kept(struct test *self, const char *trace);

/* Stores what a failure needs, and the trace of the reduced schedule. Returns 0, or a negative errno with err set. */
int test_store_needs(struct test *self, const struct finding *finding, struct err *err);

/* If an earlier classification of this build found worse, the race gets that verdict again, and a note has that of now; unless the request is to
 * replace it. Returns whether that is so: then there is nothing to store. */
bool test_keep_worse(struct test *self, struct finding *race);

/* The runs that show a verdict: paths of the traces of the one that fails, and of one with the other order; null: there is none. And where the
 * accesses are in them, as of struct store_verdict. */
struct test_evidence {
	const char *harm, *other;
	char *harm_marks, *other_marks;
	bool is_harm_other;
};

/* Stores the verdict about a race. Returns 0, or a negative errno with err set. */
int test_store_verdict(struct test *self, struct finding *race, const struct test_evidence *evidence, struct err *err);

/* Stores how many schedules there were, and notes what is fixed. Returns 0, or a negative errno with err set. */
int test_close_store(struct test *self, struct err *err);

/* Whether there are as many findings as the user wants. */
bool test_has_enough(const struct test *self);

/* After the campaign: steers schedules towards the possible deadlocks of lock orders that were not tried yet. Returns 0,
 * or a negative errno with err set. */
int test_steer(struct test *self, struct err *err);

/* Reports the lock orders whose deadlock no schedule showed. Returns 0, or a negative errno with err set. */
int test_report_orders(struct test *self, struct err *err);

#endif
