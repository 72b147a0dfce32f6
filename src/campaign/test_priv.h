/* test_priv.h: declarations that the parts of a test share. */
#ifndef CAMPAIGN_TEST_PRIV_H
#define CAMPAIGN_TEST_PRIV_H

#include "campaign/test.h"
#include "trace/steps.h"

/* Calls the progress function of the listener. */
void test_progress(struct test *self);

/* Returns 0, or a negative errno with err set if the command of --before has failed, which ends a test in any phase. */
int test_check_before(const struct test *self, struct err *err);

/* Makes the campaign ready, runs it, and stores its findings. Returns 0, or a negative errno with err set. */
int test_search(struct test *self, struct err *err);

/* Does the same with a campaign that is ready. is_steered: schedules that are steered towards deadlocks follow. */
int test_serve(struct test *self, bool is_steered, struct err *err);

/* test_begin_campaign makes the campaign ready, with the requested planner; test_end_campaign releases the planner. */
void test_begin_campaign(struct test *self);
void test_end_campaign(struct test *self);

/* Reduces the schedules of failures, or reuses the reductions of an earlier test. Adds a note when one cannot be
 * reduced. */
void test_reduce(struct test *self);

/* Runs both orders of each data race to determine their consequences. A failure that only such a run shows becomes a
 * finding. */
void test_classify(struct test *self);

/* From here until test_end_input, all schedules have this input. Returns 0, or a negative errno with err set: then the
 * input is unchanged. */
int test_begin_input(struct test *self, const struct test_input *input, struct err *err);
void test_end_input(struct test *self);

/* Whether the finding is a data race that can be classified. */
bool test_is_race(const struct finding *finding);

/* Returns the cost of the search in events, including the cost of starting schedules. */
uint64_t test_search_cost(const struct test *self);
#define TEST_SCHEDULE_EVENTS 5000u /* a schedule takes as long as this many events before its first one */

/* If the store has a verdict on the race that is of this build, gives it to the finding and returns true. */
bool test_load_verdict(struct test *self, struct finding *race);
/* Classifies one finding, if it is a data race. */
void test_classify_race(struct test *self, struct finding *race);

/* With --time, when classification ends. */
double test_classify_deadline(const struct test *self);

/* Judges a run that does not belong to the campaign: new failures and races in it become findings. Returns 0, or a
 * negative errno with err set. */
int test_judge(struct test *self, const struct campaign_run *run, const struct report *report, struct judged *judged,
	       struct err *err);

/* Finds out whether the program's own file is woven: sets is_woven and why_unwoven. */
void test_find_woven(struct test *self);

/* Call it after each schedule. Checks whether woven code ran, and which code ran unobserved. Returns 0, or a negative
 * errno with err set when nothing is tested. */
int test_check_woven(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err);

/* Call it when the campaign is over. Adds notes about code that ran unobserved. */
void test_note_unobserved(struct test *self);

/* Whether a run was ended because nothing came from outside. */
bool test_is_outside(const struct report *report);

/* Call it when a schedule was cut off and none has ended. Returns 0 if the next may be longer, or a negative errno with
 * err set if the program never ends by itself. */
int test_fail_endless(struct test *self, const struct campaign_run *run, const struct report *report, struct err *err);
/* Does the same for a program that waits for a signal. */
int test_fail_signal(struct test *self, const struct report *report, struct err *err);

/* The result of the second run of a schedule that seemed to be a livelock or a hang. */
enum confirmed {
	CONFIRMED_NOT,   /* not known: there was no time */
	CONFIRMED_STUCK, /* it is a livelock or a hang */
	CONFIRMED_ENDS,  /* it only took longer */
};

typedef int test_take(struct test *self, const struct campaign_run *run, const struct lesson *learned, struct err *err);

/* Runs the schedule again with much larger limits. take_ended is called with the second run when that ends. Returns 0,
 * or a negative errno with err set. */
int test_confirm(struct test *self, const struct campaign_run *run, test_take *take_ended, enum confirmed *confirmed,
		 struct err *err);

/* Replays a trace of the test's program to find the switches of its schedule. Returns 0 with steps filled in, or a
 * negative errno with err set. If there is no room for all, steps has the first ones and *is_all is false; if is_all is
 * null, steps is empty then. */
int test_find_steps(const struct test *test, const struct trace *recorded, struct steps *steps, bool *is_all,
		    struct err *err);

/* Replays the evidence of the finding, and appends to presentation.needs which events must run between which others.
 * steps: the steps of its schedule that matter. Parts that cannot be determined are left out. */
void test_describe_between(const struct test *test, struct finding *finding, const struct heddle_step *steps,
			   size_t step_count);

/* Queues a new finding that has an origin and evidence, to be described when there is time. */
void test_await(struct test *self, struct finding *finding);

/* Stores a new finding that is already described, and queues it to be shown when there is time. Returns 0, or a
 * negative errno with err set. */
int test_show_end(struct test *self, struct finding *finding, struct err *err);

/* Describe, store and show queued findings: test_detail_some describes some of them during the search, test_detail_rest
 * all of them after it, without replays if there is no time. Return 0, or a negative errno with err set if a finding
 * could not be stored; it is still shown. */
int test_detail_some(struct test *self, struct err *err);
int test_detail_rest(struct test *self, struct err *err);

/* Call it at the end of the test. Adds notes about details that findings lack. The other two functions note one finding
 * each. */
void test_note_details(struct test *self);
void test_note_unreplayed(struct test *self, const struct finding *finding);
void test_note_unreduced(struct test *self, const struct finding *finding); /* for lack of time */
void test_release_details(struct test *self);

/* test_may_replay: whether another replay for the report is allowed. test_count_replays counts replays that were made
 * since `began`. */
bool test_may_replay(const struct test *self, enum test_replay kind);
void test_count_replays(struct test *self, enum test_replay kind, uint64_t replays, uint64_t events, double began);

/* test_is_timed: whether --time was given. test_deadline: its deadline by the monotonic clock; 0 without it. */
bool test_is_timed(const struct test *self);
double test_deadline(const struct test *self);

/* Return time limits in seconds: test_detail_seconds for the replays for the findings of one schedule,
 * test_threads_seconds for the replay that shows the threads of a failure. */
double test_detail_seconds(const struct test *self);
double test_threads_seconds(const struct test *self);

/* Returns the time at which everything ends after --time; 0 without --time. The test reserves time to describe the
 * needs of a reduced failure, but that time is only a guess, and the earlier runs must not be wasted. */
#define TEST_SECONDS_KEEP 10.0
double test_keep_deadline(const struct test *self);

/* Opens the store, and records the start of the test in it. Returns 0, or a negative errno with err set. */
int test_open_store(struct test *self, struct err *err);

/* Stores the finding, and sets its number. Returns 0, or a negative errno with err set. */
int test_store(struct test *self, struct finding *finding, struct err *err);

/* Stores whether the finding is suppressed. Returns 0, or a negative errno with err set. */
int test_store_suppression(struct test *self, struct finding *finding, struct err *err);

/* Whether the store refers to the trace; false if trace is null. */
bool test_is_kept(struct test *self, const char *trace);

/* Stores the needs of a failure and the trace of its reduced schedule. Returns 0, or a negative errno with err set. */
int test_store_needs(struct test *self, const struct finding *finding, struct err *err);

/* If an earlier classification of this build found a worse verdict, gives it to the race again, adds a note with the
 * new one, and returns true: then there is nothing to store. Otherwise, or if the request is to replace the verdict,
 * returns false. */
bool test_keep_worse(struct test *self, struct finding *race);

/* The runs that show a verdict: the paths of the traces of a run that fails and of one with the other order, or null;
 * and where the accesses are in them, as in struct store_verdict. */
struct test_evidence {
	const char *harm, *other;
	char *harm_marks, *other_marks;
	bool is_harm_other;
};

/* Stores the verdict about a race. Returns 0, or a negative errno with err set. */
int test_store_verdict(struct test *self, struct finding *race, const struct test_evidence *evidence, struct err *err);

/* Stores the number of schedules, and notes which findings are considered fixed. Returns 0, or a negative errno with
 * err set. */
int test_close_store(struct test *self, struct err *err);

/* Whether there are as many findings as the user wants. */
bool test_has_enough(const struct test *self);

/* Call it after the campaign. Steers schedules towards the possible deadlocks of lock orders that were not tried yet.
 * Returns 0, or a negative errno with err set. */
int test_steer(struct test *self, struct err *err);

/* Reports the lock orders whose deadlock no schedule showed. Returns 0, or a negative errno with err set. */
int test_report_orders(struct test *self, struct err *err);

#endif
