/* advice_wait.c: advice about threads that wait for a condition variable for ever. The order of events is the order in
 * which they were done: a thread that is preempted between its test and its wait has announced the wait already. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/events.h"
#include "narrate/advice_priv.h"

#define MAX_LOCKS 8u
#define TEST_WINDOW 64u /* how many of the thread's own events before it locks for a wait are searched for a test */

/* The wait that never ends, and what matters for it. Events from 0; SIZE_MAX: there is none. */
struct wait {
	const struct timeline *timeline;
	uint32_t thread;
	size_t event;
	size_t after;        /* the last signal after it */
	size_t lost;         /* the last one before it that the thread did not wait for */
	bool is_signalled;   /* by another thread, whenever */
	size_t test, change; /* a read of what another thread has changed since, and that change */
	bool is_apart;       /* the lock of the wait was taken after the test */
};

bool advice_is_signal(const struct event *event, uint64_t condition)
{
	return event->object == condition &&
	       (event->kind == HEDDLE_EVENT_COND_SIGNAL || event->kind == HEDDLE_EVENT_COND_BROADCAST);
}

static bool is_before(const struct timeline *timeline, size_t a, size_t b)
{
	return timeline->done_at[a] < timeline->done_at[b];
}

/* Whether the thread was in another wait for the same condition when that was signalled. */
static bool is_woken(const struct wait *self, size_t signal)
{
	const struct timeline *timeline = self->timeline;
	const struct event *events = timeline->events;
	for (size_t at = timeline_previous(timeline, self->event), next = self->event; at != SIZE_MAX;
	     next = at, at = timeline_previous(timeline, at))
		if (events[at].kind == HEDDLE_EVENT_COND_WAIT && events[at].object == events[self->event].object &&
		    is_before(timeline, at, signal) && is_before(timeline, signal, next))
			return true;
	return false;
}

static void find_signals(struct wait *self)
{
	const struct timeline *timeline = self->timeline;
	size_t last = SIZE_MAX;
	for (size_t i = 0; i < timeline->count; i++) {
		if (timeline->events[i].thread == self->thread ||
		    !advice_is_signal(&timeline->events[i], timeline->events[self->event].object))
			continue;
		self->is_signalled = true;
		size_t *latest = is_before(timeline, self->event, i) ? &self->after : &last;
		if (*latest == SIZE_MAX || is_before(timeline, *latest, i))
			*latest = i;
	}
	if (last != SIZE_MAX && !is_woken(self, last))
		self->lost = last;
}

/* Whether the item is a change of what is read there. */
static bool is_change(const struct timeline *timeline, const struct timeline_item *item, size_t read)
{
	return !item->is_turn && timeline->events[item->event].object == timeline->events[read].object &&
	       event_texts_is_change(timeline->event_texts, &timeline->events[item->event]);
}

/* The last change by another thread, after the read. */
static size_t find_change(const struct wait *self, size_t read)
{
	const struct timeline *timeline = self->timeline;
	for (size_t i = timeline->item_count; i-- > timeline->done_at[read];) {
		size_t event = timeline->items[i].event;
		if (is_change(timeline, &timeline->items[i], read) && timeline->events[event].thread != self->thread)
			return event;
	}
	return SIZE_MAX;
}

/* What the thread looks at between taking a lock and the wait, or between two waits. Returns whether there is something. */
static bool find_test(struct wait *self)
{
	const struct timeline *timeline = self->timeline;
	bool is_tested = false;
	for (size_t at = timeline_previous(timeline, self->event); at != SIZE_MAX && self->change == SIZE_MAX;
	     at = timeline_previous(timeline, at)) {
		uint32_t kind = timeline->events[at].kind;
		if (heddle_event_takes_lock(kind) || kind == HEDDLE_EVENT_COND_WAIT)
			break;
		if (kind != HEDDLE_EVENT_READ && kind != HEDDLE_EVENT_ATOMIC)
			continue;
		is_tested = true;
		self->test = at;
		self->change = find_change(self, at);
	}
	return is_tested;
}

/* The last change by the signalling thread, after the read and before the lost signal. */
static size_t find_news(const struct wait *self, size_t read)
{
	const struct timeline *timeline = self->timeline;
	for (size_t i = timeline->done_at[self->lost]; i-- > timeline->done_at[read];) {
		const size_t event = timeline->items[i].event;
		if (is_change(timeline, &timeline->items[i], read) &&
		    timeline->events[event].thread == timeline->events[self->lost].thread)
			return event;
	}
	return SIZE_MAX;
}

/* What the thread read before it took the lock to wait, and the signalling thread has changed since: the signal came in
 * between. */
static void find_test_apart(struct wait *self)
{
	const struct timeline *timeline = self->timeline;
	bool is_locked = true;
	size_t at = timeline_previous(timeline, self->event);
	for (unsigned i = 0; self->lost != SIZE_MAX && at != SIZE_MAX && i < TEST_WINDOW;
	     at = timeline_previous(timeline, at)) {
		const uint32_t kind = timeline->events[at].kind;
		if (kind == HEDDLE_EVENT_COND_WAIT)
			break;
		is_locked = is_locked && !heddle_event_takes_lock(kind);
		i += !is_locked;
		if (is_locked || (kind != HEDDLE_EVENT_READ && kind != HEDDLE_EVENT_ATOMIC))
			continue;
		const size_t change = find_news(self, at);
		if (change == SIZE_MAX)
			continue;
		self->test = at;
		self->change = change;
		self->is_apart = true;
		break;
	}
}

static char *name_of(const struct timeline *timeline, size_t event)
{
	return advice_name(timeline, timeline->events[event].object);
}

/* The name of what is changed: that of the address, or what the code of the test calls it. */
static char *name_changed(const struct wait *self)
{
	struct buf what = { 0 };
	char *name = name_of(self->timeline, self->change);
	if (strncmp(name, "0x", 2) != 0)
		return name;
	event_texts_describe_what(&what, self->timeline->event_texts, &self->timeline->events[self->test]);
	const char *space = what.data ? strchr(what.data, ' ') : NULL;
	if (space) {
		free(name);
		name = mem_copy_string(space + 1);
	}
	buf_release(&what);
	return name;
}

/* It is changed when the thread is already waiting, and no signal follows. */
static void advise_signal(struct strings *advice, const struct wait *self)
{
	const struct timeline *timeline = self->timeline;
	char *condition = name_of(timeline, self->event), *here = advice_event_place(timeline, self->event);
	char *changed = name_changed(self), *there = advice_event_place(timeline, self->change);
	strings_note(advice,
		     "signal %s when %s is changed at %s: thread %" PRIu32
		     " tests it before it waits at %s, and no thread signals %s after the change",
		     condition, changed, there, self->thread, here, condition);
	free(condition);
	free(here);
	free(changed);
	free(there);
}

/* It is changed between the test and the wait. */
static void advise_mutex(struct strings *advice, const struct wait *self)
{
	const struct timeline *timeline = self->timeline;
	char *condition = name_of(timeline, self->event), *here = advice_event_place(timeline, self->event);
	char *changed = name_changed(self), *there = advice_event_place(timeline, self->change);
	char *test = advice_event_place(timeline, self->test);
	strings_note(advice,
		     "hold the mutex of the wait at %s while %s is changed at %s: thread %" PRIu32
		     " changes it after the test at %s and before the wait of thread %" PRIu32
		     ", and no thread signals %s after the start of that wait",
		     here, changed, there, timeline->events[self->change].thread, test, self->thread, condition);
	free(condition);
	free(here);
	free(changed);
	free(there);
	free(test);
}

/* Whether a lock that the thread waits with is held at an event of another one, or that is not known. */
static bool has_mutex(const struct wait *self, size_t event)
{
	uint64_t own[MAX_LOCKS], others[MAX_LOCKS];
	const int own_count = timeline_held(self->timeline, self->event, own, MAX_LOCKS),
		  count = timeline_held(self->timeline, event, others, MAX_LOCKS);
	for (int i = 0; i < own_count; i++)
		for (int k = 0; k < count; k++)
			if (own[i] == others[k])
				return true;
	return own_count < 0 || count < 0;
}

/* No lock covers the test and the wait. */
static void advise_apart(struct strings *advice, const struct wait *self)
{
	const struct timeline *timeline = self->timeline;
	const uint32_t signals = timeline->events[self->lost].thread;
	char *condition = name_of(timeline, self->event), *here = advice_event_place(timeline, self->event);
	char *changed = name_changed(self), *there = advice_event_place(timeline, self->change);
	char *test = advice_event_place(timeline, self->test), *signal = advice_event_place(timeline, self->lost);
	strings_note(
		advice,
		"hold the mutex of the wait at %s from the test of %s at %s until the wait: in between thread %" PRIu32
		" changes it at %s and signals %s at %s, before thread %" PRIu32 " waits, so the signal is lost",
		here, changed, test, signals, there, condition, signal, self->thread);
	if (!has_mutex(self, self->change))
		strings_note(advice,
			     "also hold that mutex while %s is changed at %s: thread %" PRIu32
			     " does not hold it there",
			     changed, there, signals);
	free(condition);
	free(here);
	free(changed);
	free(there);
	free(test);
	free(signal);
}

/* Whether the signalling thread held a lock of the waiting thread at any time before: then it may have changed the
 * condition there, with the lock held, and signalled afterwards. */
static bool had_mutex(const struct wait *self, size_t signal)
{
	const struct timeline *timeline = self->timeline;
	uint64_t locks[MAX_LOCKS];
	int count = timeline_held(timeline, self->event, locks, MAX_LOCKS);
	for (size_t at = timeline_previous(timeline, signal); at != SIZE_MAX; at = timeline_previous(timeline, at)) {
		if (heddle_event_tries_lock(timeline->events[at].kind))
			return true;
		for (int i = 0; i < count && heddle_event_takes_lock(timeline->events[at].kind); i++)
			if (timeline->events[at].object == locks[i])
				return true;
	}
	return count < 0;
}

/* The condition was signalled, and only then the thread began to wait. */
static void advise_lost(struct strings *advice, const struct wait *self, bool is_tested)
{
	const struct timeline *timeline = self->timeline;
	const uint32_t signals = timeline->events[self->lost].thread;
	char *name = name_of(timeline, self->event), *here = advice_event_place(timeline, self->event),
	     *there = advice_event_place(timeline, self->lost);
	if (is_tested)
		strings_note(advice,
			     "make the test before the wait at %s cover what is signalled at %s: thread %" PRIu32
			     " signals %s before thread %" PRIu32 " waits, so the signal is lost",
			     here, there, signals, name, self->thread);
	else
		strings_note(advice,
			     "record the condition of %s in a variable, and wait at %s only while that variable "
			     "requires it: thread %" PRIu32 " signals it at %s before thread %" PRIu32
			     " waits, so the signal is lost",
			     name, here, signals, there, self->thread);
	if (!had_mutex(self, self->lost))
		strings_note(advice,
			     "hold the mutex while the condition changes: at %s thread %" PRIu32 " holds no lock",
			     there, signals);
	free(name);
	free(here);
	free(there);
}

/* Whether a thread that was woken changed nothing before it gave up the lock or waited again: then the condition still
 * holds for others. Otherwise it took what was offered, and the threads that still wait are idle. */
static bool is_in_vain(const struct wait *self, size_t woken)
{
	const struct timeline *timeline = self->timeline;
	for (size_t at = woken; at != SIZE_MAX; at = timeline_next(timeline, at)) {
		const uint32_t kind = timeline->events[at].kind;
		if (heddle_event_releases_lock(kind) || kind == HEDDLE_EVENT_COND_WAIT ||
		    kind == HEDDLE_EVENT_THREAD_END)
			return true;
		if (event_texts_is_change(timeline->event_texts, &timeline->events[at]))
			return false;
	}
	return true;
}

/* Whether another thread waited for the condition when it was signalled, and was woken in vain. */
static bool has_other_waiter(const struct wait *self, size_t signal)
{
	const struct timeline *timeline = self->timeline;
	const struct event *events = timeline->events;
	for (size_t i = 0; i < timeline->count; i++) {
		if (events[i].kind != HEDDLE_EVENT_COND_WAIT || events[i].object != events[self->event].object ||
		    events[i].thread == self->thread || !is_before(timeline, i, signal))
			continue;
		size_t next = timeline_next(timeline, i);
		if (next != SIZE_MAX && is_before(timeline, signal, next) && is_in_vain(self, next))
			return true;
	}
	return false;
}

/* Another thread got the signal. */
static void advise_broadcast(struct strings *advice, const struct wait *self)
{
	const struct timeline *timeline = self->timeline;
	if (timeline->events[self->after].kind != HEDDLE_EVENT_COND_SIGNAL || !has_other_waiter(self, self->after))
		return;
	char *name = name_of(timeline, self->event), *here = advice_event_place(timeline, self->event),
	     *there = advice_event_place(timeline, self->after);
	strings_note(advice,
		     "wake all waiters of %s (broadcast) at %s, or use a separate condition variable for each kind "
		     "of event: the signal there did not help thread %" PRIu32 ", which still waits at %s",
		     name, there, self->thread, here);
	free(name);
	free(here);
	free(there);
}

static void advise_more_signals(struct strings *advice, const struct wait *self)
{
	char *name = name_of(self->timeline, self->event), *here = advice_event_place(self->timeline, self->event);
	strings_note(advice, "signal %s: thread %" PRIu32 " waits for it at %s, and no other thread signals it%s", name,
		     self->thread, here, self->is_signalled ? " after the start of that wait" : "");
	free(name);
	free(here);
}

/* Returns whether the thread waits for a condition. is_tested: it looks at something with the lock held. */
static bool look(struct wait *self, const struct timeline *timeline, uint32_t thread, bool *is_tested)
{
	*self = (struct wait){ timeline, thread, SIZE_MAX, SIZE_MAX, SIZE_MAX, false, SIZE_MAX, SIZE_MAX, false };
	for (size_t i = timeline->count; i-- > 0 && self->event == SIZE_MAX;)
		if (timeline->events[i].thread == thread && timeline->events[i].kind == HEDDLE_EVENT_COND_WAIT)
			self->event = i;
	if (self->event == SIZE_MAX)
		return false;
	find_signals(self);
	*is_tested = find_test(self);
	if (self->change == SIZE_MAX)
		find_test_apart(self);
	return true;
}

void advice_of_wait(struct strings *advice, const struct timeline *timeline, const struct report_thread *thread,
		    bool is_last)
{
	struct wait wait;
	bool is_tested;
	if (!look(&wait, timeline, thread->index, &is_tested))
		return;
	if (wait.after != SIZE_MAX)
		advise_broadcast(advice, &wait);
	else if (wait.is_apart)
		advise_apart(advice, &wait);
	else if (wait.change != SIZE_MAX && is_before(timeline, wait.event, wait.change))
		advise_signal(advice, &wait);
	else if (wait.change != SIZE_MAX)
		advise_mutex(advice, &wait);
	else if (wait.lost != SIZE_MAX)
		advise_lost(advice, &wait, is_tested);
	else if (is_last)
		advise_more_signals(advice, &wait);
}

size_t advice_wait_events(size_t events[ADVICE_WAIT_EVENTS], const struct timeline *timeline)
{
	size_t count = 0;
	if (report_cycle(&timeline->report))
		return 0;
	for (size_t i = 0; i < timeline->report.thread_count; i++) {
		const struct report_thread *thread = &timeline->report.threads[i];
		struct wait wait;
		bool is_tested;
		if (!thread->waits || strcmp(thread->waits, "condition-variable") != 0 ||
		    !look(&wait, timeline, thread->index, &is_tested) || wait.after != SIZE_MAX)
			continue;
		const size_t named[] = { wait.change != SIZE_MAX ? wait.test : SIZE_MAX, wait.change,
					 wait.is_apart || wait.change == SIZE_MAX ? wait.lost : SIZE_MAX };
		for (size_t k = 0; k < sizeof named / sizeof *named && count < ADVICE_WAIT_EVENTS; k++)
			if (named[k] != SIZE_MAX)
				events[count++] = named[k];
	}
	return count;
}
