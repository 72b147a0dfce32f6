/*
 * timeline.h: a run as a timeline: all events of a replay in memory, with what each thread was doing when
 * it was switched away from. For reports that show which thread did what between which events. Long runs are shown up
 * to the event of interest only. Accesses that were no events are among them (is_touch): so places, which count from 1
 * in reports, are not the numbers that events have in the run.
 */
#ifndef NARRATE_TIMELINE_H
#define NARRATE_TIMELINE_H

#include <stdbool.h>

#include "base/err.h"
#include "symbols/event_text.h"
#include "trace/events.h"
#include "trace/report.h"
#include "trace/steps.h"
#include "trace/trace.h"

/* How the thread of an event was left after it. */
enum timeline_left {
	TIMELINE_LEFT = 1,   /* another thread ran next */
	TIMELINE_ABLE = 2,   /* it could have continued: a preemption */
	TIMELINE_BEFORE = 4, /* it had not done what the event announces; it does so when it continues, ... */
	TIMELINE_NEVER = 8,  /* ... which it never did */
};

/* One line of the timeline: a thread does what an event announces, or is preempted there. */
struct timeline_item {
	size_t event; /* from 0 */
	bool is_turn;
};

struct timeline {
	struct event *events;
	unsigned char *left; /* by event: enum timeline_left */
	size_t count;
	/* Events in the order in which their operations were done: that of a preempted thread is done when the thread continues. */
	struct timeline_item *items;
	size_t item_count;
	size_t *done_at; /* by event: its item. These, not the numbers of events, give the order of what threads did. */
	/* Sleeps and time-outs that end early, the first TIMELINE_EXPIRIES of them: no events, with the number of the event before. */
	struct event *expiries;
	size_t expiry_count;
	bool is_cut;       /* there are more events */
	bool has_switches; /* it is known which switches were preemptions; else none is marked */
	struct trace_result result;
	struct report report;
	struct event_texts *event_texts; /* of the report */
	/* What was replayed. */
	struct trace_result recorded;
	uint64_t log_bytes;
	uint64_t device, inode; /* of its file */
};

#define TIMELINE_EXPIRIES 64u

/* Findings after this many events are reported without their threads. */
#define TIMELINE_MAX_EVENTS 4000000u

/* Takes the events of a run that has ended: a replay with is_detailed and HEDDLE_CONTROL_STEPS. Returns 0, or a negative
 * errno with err set; timeline_release in any case. */
int timeline_take(struct timeline *self, const struct trace *now, const struct heddle_channel *channel,
		  struct err *err);

/* Replays the trace and takes its events. event: up to there at least; 0: all of it. deadline: see retrace.h. Nothing of the program's
 * output is shown. self is { 0 } or the result of an earlier call; what it already has of the same recording is not replayed again. Returns 0, or 1 when
 * nothing had to be replayed; -EFBIG with err set when there are too many events, and then self is unchanged; or another negative
 * errno with err set. timeline_release in any case. */
int timeline(struct timeline *self, const char *trace, uint64_t event, double deadline, struct err *err);

void timeline_release(struct timeline *self);

/* The locks that a thread holds at an event (from 0), as far as the events show: addresses. Returns how many, or -1 when
 * that is not certain: it tried to take one, or there is no room. */
int timeline_held(const struct timeline *self, size_t event, uint64_t *locks, size_t room);

/* What happened in a thread when there were `count` events in all: the place, from 1, of the thread's event that
 * announced it, or that came last before it; 0: it had none. Others may have had events between that one and what it
 * announced. */
uint64_t timeline_event_of(const struct timeline *self, uint32_t thread, uint64_t count);

/* Of the last event. */
uint64_t timeline_last_number(const struct timeline *self);

/* The event before this one (both from 0) of the same thread that is not a futex, or the one after it; SIZE_MAX:
 * none. */
size_t timeline_previous(const struct timeline *self, size_t event);
size_t timeline_next(const struct timeline *self, size_t event);

#endif
