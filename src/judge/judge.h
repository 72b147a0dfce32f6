/*
 * judge.h: determines the findings of one schedule from its end and from the reports of detection, and adds them to the
 * findings of the campaign with a description for people. Prints nothing. Not for concurrent use.
 */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "explore/campaign.h"
#include "judge/finding.h"
#include "judge/scene.h"
#include "judge/second_pass.h"
#include "judge/suppress.h"

/* How outputs are compared. */
enum judge_output {
	JUDGE_OUTPUT_LINES, /* the same lines in another order are the same */
	JUDGE_OUTPUT_EXACT,
	JUDGE_OUTPUT_IGNORED,
};

struct judge_group;

struct judge {
	/* Set by the caller; 0 is the default. */
	enum judge_output output;
	bool is_checked;      /* runs that exited are judged elsewhere */
	bool is_hypothetical; /* synchronisation was skipped: heddle test --without */
	bool is_end_open;     /* it is not known yet whether the end of the run is a failure: the end is not judged */
	const struct suppressions *suppressions; /* if set, findings collect the calls that these need */
	struct known *known;                     /* the findings that runs of the campaign report by bits; null: none */

	struct findings findings;
	struct strings missed; /* actions of schedules that were not observed, each once */
	struct scene scene;
	struct judge_group *groups; /* the first output with each exit status */
	size_t group_count;
	/* Lock orders are findings only when no schedule showed the deadlock itself. */
	struct findings orders;
	bool has_finished;         /* see judge_finish: later runs add no lock orders */
	struct lock_cycles cycles; /* of these orders, in the order of finding; is_shown is up to date */
	struct map order_sets;     /* orders of one schedule, by a hash, to struct strings: keys of what is in them */
	struct strings deadlocks;  /* where the threads of each waited ... */
	struct strings deadlock_locks; /* ... and for which locks */
	/* The same for deadlocks in which other threads waited too, so that it is not known which thread waits for
	 * which. */
	struct strings stuck, stuck_locks;
};

/* Start with { 0 }. */
void judge_release(struct judge *self);

/* The results of one schedule. */
struct judged {
	bool is_failure;       /* it ended in a way that is a finding */
	bool is_lost;          /* the run could not be controlled to its end, so its end is not known */
	uint32_t new_findings; /* number of new findings, which are the last ones of judge.findings */
	uint32_t new_orders;   /* number of new lock orders, which are the last ones of judge.orders */
};

/* Judges a schedule that has ended: adds its findings, and fills in judged. */
void judge_run(struct judge *self, const struct campaign_run *run, const struct report *report, struct judged *judged);

/* Returns the finding as which a race in the report of the last judged schedule was counted, or null if there is
 * none. */
struct finding *judge_find_race(struct judge *self, const struct report_race *race);

/* Whether the livelock or hang in which the schedule ended is already a finding. */
bool judge_knows_hang(struct judge *self, const struct campaign_run *run, const struct report *report);
/* Adds a text to missed, unless it is there. */
void judge_miss(struct judge *self, const char *text);

/* Call it when the campaign is over. Adds to missed that runs made findings that they had no room to report. */
void judge_count_lost(struct judge *self);

/* Call it when all findings of the last schedule are described. Decides which suppressed findings the next schedule
 * should report again. */
void judge_look_again(struct judge *self);

/* Describes a finding that has an origin; before that it has no details and, except for lock orders, no summary.
 * second: the result of a second pass, or null. Returns the finding; or, if it turns out to be the same as an earlier
 * one, returns that, and the given finding was freed. */
struct finding *judge_detail(struct judge *self, struct finding *finding, const struct second_look *second);

/* Describes it again, after its origin was replaced by that of another schedule. */
void judge_detail_again(struct judge *self, struct finding *finding, const struct second_look *second);

/* Whether the race is one of the races of the finding: its places look the same to people. */
bool judge_is_race_of(struct judge *self, const struct finding *finding, const struct report_race *race);

/* Call it when the campaign is over. Makes findings of the lock orders that no schedule showed as a deadlock. Returns
 * their number; they are the last ones of judge.findings. */
size_t judge_finish(struct judge *self);

/* Call it when the user's own check rejected the schedule that was judged last. how: exit status or signal of the
 * check; check_output: its output. Returns the finding if it is new, otherwise null. */
struct finding *judge_check_failed(struct judge *self, const struct campaign_run *run, const char *how,
				   const struct buf *check_output, struct judged *judged);

#endif
