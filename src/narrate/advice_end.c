/* advice_end.c: advice about runs that ended badly: which threads wait for which, and what others did in between. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/events.h"
#include "narrate/advice_priv.h"

#define WINDOW 64u /* own events before a wait that are looked at */

/* The last event of a thread in which it took that lock; SIZE_MAX: none. */
static size_t find_taking(const struct timeline *timeline, uint32_t thread, uint64_t lock, size_t before)
{
	for (size_t i = before; i-- > 0;)
		if (timeline->events[i].thread == thread && timeline->events[i].object == lock &&
		    (heddle_event_takes_lock(timeline->events[i].kind) ||
		     heddle_event_tries_lock(timeline->events[i].kind)))
			return i;
	return SIZE_MAX;
}

static size_t last_event(const struct timeline *timeline, uint32_t thread)
{
	for (size_t i = timeline->count; i-- > 0;)
		if (timeline->events[i].thread == thread && timeline->events[i].kind != HEDDLE_EVENT_FUTEX)
			return i;
	return SIZE_MAX;
}

static bool is_lock(const struct report_thread *thread)
{
	return strcmp(thread->waits, "mutex") == 0 || strcmp(thread->waits, "read-write-lock") == 0 ||
	       strcmp(thread->waits, "spin-lock") == 0;
}

static void advise_itself(struct strings *advice, const struct timeline *timeline, const struct report_thread *thread)
{
	size_t wanted = last_event(timeline, thread->index);
	size_t taken = wanted == SIZE_MAX ? SIZE_MAX : find_taking(timeline, thread->index, thread->object, wanted);
	if (!is_lock(thread) || taken == SIZE_MAX)
		return;
	char *lock = advice_name(timeline, thread->object), *here = advice_event_place(timeline, wanted),
	     *there = advice_event_place(timeline, taken);
	strings_note(advice, "unlock %s before %s, or do not take it there: thread %" PRIu32 " holds it since %s", lock,
		     here, thread->index, there);
	free(lock);
	free(here);
	free(there);
}

/* A thread that joins another must not hold what the other waits for. */
static void advise_join(struct strings *advice, const struct timeline *timeline, const struct report_thread *joins)
{
	const struct report_thread *other = report_thread(&timeline->report, joins->owner);
	size_t join = last_event(timeline, joins->index);
	if (!other || !other->waits || !is_lock(other) || other->owner != joins->index || join == SIZE_MAX)
		return;
	char *lock = advice_name(timeline, other->object), *here = advice_event_place(timeline, join);
	strings_note(advice,
		     "unlock %s before thread %" PRIu32 " joins thread %" PRIu32
		     " at %s: the joined thread needs it to end",
		     lock, joins->index, other->index, here);
	free(lock);
	free(here);
}

/* Each of the cycle has what the one before it wants. */
static void advise_cycle(struct strings *advice, const struct timeline *timeline, const struct report_thread *first)
{
	struct buf orders = { 0 };
	struct strings locks = { 0 };
	const struct report_thread *at = first;
	bool is_all = true;
	do {
		const struct report_thread *before = first;
		while (before->owner != at->index)
			before = report_thread(&timeline->report, before->owner);
		size_t wanted = last_event(timeline, at->index);
		size_t taken = wanted == SIZE_MAX ? SIZE_MAX : find_taking(timeline, at->index, before->object, wanted);
		is_all = is_all && is_lock(at) && taken != SIZE_MAX;
		if (is_all) {
			char *has = advice_name(timeline, before->object), *wants = advice_name(timeline, at->object),
			     *here = advice_event_place(timeline, taken), *there = advice_event_place(timeline, wanted);
			buf_format(&orders, "%s thread %" PRIu32 " takes %s (%s), then %s (%s)", orders.size ? ";" : "",
				   at->index, has, here, wants, there);
			strings_add(&locks, has);
			free(has);
			free(wants);
			free(here);
			free(there);
		}
		at = report_thread(&timeline->report, at->owner);
	} while (at != first);
	char *all = advice_join(&locks);
	if (is_all)
		strings_note(advice, "take %s in the same order everywhere:%s", all, orders.data);
	free(all);
	buf_release(&orders);
	strings_release(&locks);
}

static bool is_among(uint64_t lock, const uint64_t *locks, int count)
{
	for (int i = 0; i < count; i++)
		if (locks[i] == lock)
			return true;
	return false;
}

/* A thread wants a lock that it already holds in another mode: a reader that wants to write. */
static void advise_upgrade(struct strings *advice, const struct timeline *timeline, const struct report_thread *thread)
{
	uint64_t locks[8];
	size_t wanted = last_event(timeline, thread->index);
	int count = wanted == SIZE_MAX ? 0 : timeline_held(timeline, wanted, locks, sizeof locks / sizeof *locks);
	if (is_among(thread->object, locks, count))
		advise_itself(advice, timeline, thread);
}

/* A thread sleeps with a lock that another one waits for. */
static void advise_sleeper(struct strings *advice, const struct timeline *timeline, const struct report_thread *thread)
{
	const struct report_thread *owner = thread->owner ? report_thread(&timeline->report, thread->owner) : NULL;
	size_t sleeps = owner ? last_event(timeline, owner->index) : SIZE_MAX;
	if (!owner || !owner->waits || strcmp(owner->waits, "condition-variable") != 0 || sleeps == SIZE_MAX)
		return;
	char *lock = advice_name(timeline, thread->object), *here = advice_event_place(timeline, sleeps);
	strings_note(advice,
		     "unlock %s before thread %" PRIu32 " waits at %s: thread %" PRIu32 " cannot continue without it",
		     lock, owner->index, here, thread->index);
	free(lock);
	free(here);
}

void advice_of_deadlock(struct strings *advice, const struct timeline *timeline)
{
	const struct report *report = &timeline->report;
	const struct report_thread *first = report_cycle(report), *at = first;
	if (first && first->owner == first->index) {
		advise_itself(advice, timeline, first);
	} else if (first) {
		do {
			if (strcmp(at->waits, "thread") == 0)
				advise_join(advice, timeline, at);
			at = report_thread(report, at->owner);
		} while (at != first);
		advise_cycle(advice, timeline, first);
	}
	for (size_t i = 0; i < report->thread_count && !first; i++)
		if (report->threads[i].waits && is_lock(&report->threads[i])) {
			advise_upgrade(advice, timeline, &report->threads[i]);
			advise_sleeper(advice, timeline, &report->threads[i]);
		}
	for (int is_last = 0; is_last < 2 && !advice->count && !first; is_last++)
		for (size_t i = 0; i < report->thread_count; i++)
			if (report->threads[i].waits && strcmp(report->threads[i].waits, "condition-variable") == 0)
				advice_of_wait(advice, timeline, &report->threads[i], is_last);
}

static void advise_crossing(struct strings *advice, const struct timeline *timeline,
			    const struct advice_crossing *crossing)
{
	struct buf what = { 0 };
	uint32_t line;
	/* The code of a library calls it by a name that says less. */
	const bool is_own =
		event_texts_own_place(timeline->event_texts, &timeline->events[crossing->other], &line) != NULL;
	event_texts_describe_what(&what, timeline->event_texts,
				  &timeline->events[is_own ? crossing->other : crossing->first]);
	const char *name = strchr(what.data, ' ');
	char *here = advice_event_place(timeline, crossing->first),
	     *there = advice_event_place(timeline, crossing->second),
	     *between = advice_event_place(timeline, crossing->other);
	strings_note(advice,
		     "prevent other threads from changing %s between %s and %s of thread %" PRIu32
		     ", as thread %" PRIu32
		     " does at %s: hold a lock across both, and take it in the other thread, too",
		     name ? name + 1 : "it", here, there, timeline->events[crossing->first].thread,
		     timeline->events[crossing->other].thread, between);
	buf_release(&what);
	free(here);
	free(there);
	free(between);
}

/* A thread that waits in a loop tests again after the wait, at the same place as before the wait. */
static bool is_looping(const struct timeline *timeline, size_t wait, size_t next)
{
	size_t at = timeline_previous(timeline, wait);
	for (unsigned i = 0; i < WINDOW && at != SIZE_MAX; i++, at = timeline_previous(timeline, at))
		if (timeline->events[at].code == timeline->events[next].code)
			return true;
	return false;
}

/* The thread that failed came from a wait for a condition, and another one had the lock between the signal and that. */
static void advise_loop(struct strings *advice, const struct timeline *timeline, uint32_t thread)
{
	size_t wait = SIZE_MAX, signal = SIZE_MAX;
	uint64_t locks[8];
	for (size_t i = 0; i < timeline->count; i++)
		if (timeline->events[i].thread == thread && timeline->events[i].kind == HEDDLE_EVENT_COND_WAIT)
			wait = i;
	int lock_count = wait == SIZE_MAX ? 0 : timeline_held(timeline, wait, locks, sizeof locks / sizeof *locks);
	size_t next = wait == SIZE_MAX ? SIZE_MAX : timeline_next(timeline, wait);
	if (next != SIZE_MAX && is_looping(timeline, wait, next))
		return;
	for (size_t at = next == SIZE_MAX ? SIZE_MAX : timeline->done_at[wait];
	     at < timeline->item_count && at < timeline->done_at[next]; at++) {
		const size_t i = timeline->items[at].event;
		const struct event *event = &timeline->events[i];
		if (timeline->items[at].is_turn)
			continue;
		if (advice_is_signal(event, timeline->events[wait].object) && signal == SIZE_MAX)
			signal = i;
		if (signal == SIZE_MAX || event->kind != HEDDLE_EVENT_MUTEX_LOCK || event->thread == thread ||
		    event->thread == timeline->events[signal].thread || !is_among(event->object, locks, lock_count))
			continue;
		char *here = advice_event_place(timeline, wait), *there = advice_event_place(timeline, i);
		strings_note(
			advice,
			"wait in a loop at %s (while, not if): between the signal and the wake-up of thread %" PRIu32
			", thread %" PRIu32 " takes the lock at %s",
			here, thread, event->thread, there);
		free(here);
		free(there);
		return;
	}
}

void advice_of_failure(struct strings *advice, const struct timeline *timeline)
{
	struct advice_crossing crossings[ADVICE_CROSSINGS];
	for (size_t i = 0; i < timeline->report.thread_count; i++)
		if (strcmp(timeline->report.threads[i].state, "running") == 0)
			advise_loop(advice, timeline, timeline->report.threads[i].index);
	const size_t count = advice_crossings(crossings, timeline);
	for (size_t i = 0; i < count; i++)
		advise_crossing(advice, timeline, &crossings[i]);
}
