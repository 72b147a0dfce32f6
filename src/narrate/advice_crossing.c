/*
 * advice_crossing.c: what another thread changed during a preemption that the preempted thread uses before and after
 * it. Most of what changes meanwhile is irrelevant, so the candidates of all preemptions are compared: an update that
 * got lost says most; then what no lock and no atomic access protects; then what a thread has only looked at under a
 * lock that it takes again later, elsewhere. Of each, a data race of the same run comes first, then what is nearest to
 * the preemption. A section of code that comes again looks again: what it used the last time is not a candidate.
 */
#include <string.h>

#include "heddle/events.h"
#include "narrate/advice_priv.h"

#define WINDOW 64u       /* own events before and after a preemption that are looked at */
#define MAX_AWAY 10000u  /* events of others meanwhile */
#define MAX_CHANGES 256u /* different ones among them */
#define MAX_LOCKS 8

enum rank { RANK_LOST_UPDATE, RANK_UNPROTECTED, RANK_LOOKED, RANK_OVERWRITTEN, RANK_NONE };

struct candidate {
	struct advice_crossing crossing;
	enum rank rank;
	bool is_race;
	size_t distance; /* own events from the first to the second */
};

/* Events of the thread that was preempted, the nearest first. */
struct turn {
	const struct timeline *timeline;
	size_t before[WINDOW], after[WINDOW], before_count, after_count;
};

/* The locks of a thread at an event; unknown: -1. */
struct holding {
	uint64_t locks[MAX_LOCKS];
	int count;
};

static void take_turn(struct turn *self, const struct timeline *timeline, size_t left)
{
	const bool is_undone = timeline->left[left] & TIMELINE_BEFORE;
	*self = (struct turn){ .timeline = timeline };
	for (size_t at = is_undone ? timeline_previous(timeline, left) : left;
	     at != SIZE_MAX && self->before_count < WINDOW; at = timeline_previous(timeline, at))
		self->before[self->before_count++] = at;
	for (size_t at = is_undone ? left : timeline_next(timeline, left); at != SIZE_MAX && self->after_count < WINDOW;
	     at = timeline_next(timeline, at))
		self->after[self->after_count++] = at;
}

static bool is_use(const struct timeline *timeline, size_t event, uint64_t object)
{
	return heddle_event_is_access(timeline->events[event].kind) && timeline->events[event].object == object;
}

/* The place among the events of the nearest use; count: none. */
static size_t find_use(const struct timeline *timeline, const size_t *events, size_t count, uint64_t object)
{
	size_t i = 0;
	while (i < count && !is_use(timeline, events[i], object))
		i++;
	return i;
}

static bool is_change(const struct timeline *timeline, size_t event)
{
	return event_texts_is_change(timeline->event_texts, &timeline->events[event]);
}

/* The same code, called in the same way as far as that is known. */
static bool is_same_code(const struct timeline *timeline, size_t a, size_t b)
{
	return timeline->events[a].code == timeline->events[b].code &&
	       timeline->events[a].callers == timeline->events[b].callers;
}

static bool is_same_line(const struct timeline *timeline, size_t a, size_t b)
{
	uint32_t line_a, line_b;
	const char *file_a = event_texts_place(timeline->event_texts, &timeline->events[a], &line_a);
	const char *file_b = event_texts_place(timeline->event_texts, &timeline->events[b], &line_b);
	return file_a && file_b && line_a == line_b && strcmp(file_a, file_b) == 0;
}

static struct holding holding_at(const struct timeline *timeline, size_t event)
{
	struct holding held;
	held.count = timeline_held(timeline, event, held.locks, MAX_LOCKS);
	return held;
}

static void keep_common(struct holding *self, const struct holding *other)
{
	int kept = 0;
	if (self->count < 0 || other->count < 0) {
		self->count = -1;
		return;
	}
	for (int i = 0; i < self->count; i++)
		for (int k = 0; k < other->count; k++)
			if (self->locks[i] == other->locks[k]) {
				self->locks[kept++] = self->locks[i];
				break;
			}
	self->count = kept;
}

static bool is_in_race(const struct timeline *timeline, uint64_t object)
{
	for (size_t i = 0; i < timeline->report.race_count; i++)
		if (object >= timeline->report.races[i].address &&
		    object - timeline->report.races[i].address < timeline->report.races[i].size)
			return true;
	return false;
}

/* Nothing that all three have in common keeps them apart. */
static enum rank rank_unprotected(const struct timeline *timeline, const struct advice_crossing *crossing)
{
	const struct event *events = timeline->events;
	const bool is_read = !is_change(timeline, crossing->first);
	if (is_read && is_change(timeline, crossing->second) &&
	    is_same_line(timeline, crossing->first, crossing->second))
		return RANK_LOST_UPDATE;
	if (events[crossing->first].kind == events[crossing->second].kind &&
	    is_same_code(timeline, crossing->first, crossing->second))
		return RANK_NONE;
	if (events[crossing->first].kind == HEDDLE_EVENT_ATOMIC &&
	    events[crossing->other].kind == HEDDLE_EVENT_ATOMIC && events[crossing->second].kind == HEDDLE_EVENT_ATOMIC)
		return is_read ? RANK_LOOKED : RANK_NONE;
	return is_read ? RANK_UNPROTECTED : RANK_OVERWRITTEN;
}

/* The taking of the lock before the use number first, which has only looked at the object since; SIZE_MAX: it is not known, or
 * there is a change. */
static size_t find_section(const struct turn *self, size_t first, uint64_t lock)
{
	const struct timeline *timeline = self->timeline;
	for (size_t i = first; i < self->before_count; i++) {
		const struct event *event = &timeline->events[self->before[i]];
		if (heddle_event_takes_lock(event->kind) && event->object == lock)
			return self->before[i];
		if (is_use(timeline, self->before[i], timeline->events[self->before[first]].object) &&
		    is_change(timeline, self->before[i]))
			return SIZE_MAX;
	}
	return SIZE_MAX;
}

/* What was looked at under a lock, and the same thread takes that again at another place: there it uses the object, or acts on
 * what it knows of it. Sets second, and the place of that among the events. */
static bool find_act(const struct turn *self, size_t first, uint64_t lock, size_t *second)
{
	const struct timeline *timeline = self->timeline;
	const uint64_t object = timeline->events[self->before[first]].object;
	const size_t section = find_section(self, first, lock);
	size_t taken = self->after_count;
	for (size_t i = 0; section != SIZE_MAX && i < self->after_count; i++) {
		const struct event *event = &timeline->events[self->after[i]];
		const bool is_taken = taken != self->after_count;
		if (event->kind == HEDDLE_EVENT_COND_WAIT ||
		    (is_taken && heddle_event_releases_lock(event->kind) && event->object == lock))
			break;
		if (!is_taken && heddle_event_takes_lock(event->kind) && event->object == lock) {
			if (is_same_code(timeline, section, self->after[i]))
				return false;
			taken = i;
		}
		if (is_taken && is_use(timeline, self->after[i], object)) {
			*second = i;
			return !is_same_code(timeline, self->before[first], self->after[i]);
		}
	}
	*second = taken;
	return taken != self->after_count;
}

/* What a change by another thread is for the one that was preempted. */
static void consider(struct candidate *best, const struct turn *self, size_t other)
{
	const struct timeline *timeline = self->timeline;
	const uint64_t object = timeline->events[other].object;
	const size_t first = find_use(timeline, self->before, self->before_count, object);
	size_t second = find_use(timeline, self->after, self->after_count, object);
	if (first == self->before_count)
		return;
	struct candidate candidate = { .crossing = { self->before[first], other, SIZE_MAX }, .rank = RANK_NONE };
	struct holding common = holding_at(timeline, self->before[first]), held = holding_at(timeline, other);
	keep_common(&common, &held);
	const uint64_t lock = common.count > 0 ? common.locks[0] : 0;
	if (second != self->after_count) {
		held = holding_at(timeline, self->after[second]);
		keep_common(&common, &held);
	}
	if (common.count <= 0 && second != self->after_count) {
		candidate.crossing.second = self->after[second];
		candidate.rank = rank_unprotected(timeline, &candidate.crossing);
		/* Where locks are not known, an update that got lost shows that none was held over it. */
		if (common.count < 0 && candidate.rank != RANK_LOST_UPDATE)
			candidate.rank = RANK_NONE;
	} else if (lock && find_act(self, first, lock, &second)) {
		candidate.crossing.second = self->after[second];
		candidate.rank = RANK_LOOKED;
	}
	candidate.is_race = is_in_race(timeline, object);
	candidate.distance = first + second;
	if (candidate.rank < best->rank ||
	    (candidate.rank == best->rank && candidate.rank != RANK_NONE &&
	     (candidate.is_race > best->is_race ||
	      (candidate.is_race == best->is_race && candidate.distance < best->distance))))
		*best = candidate;
}

/* The same code changes the same thing again: that says nothing new. */
static bool is_known(const struct timeline *timeline, const size_t *changes, size_t count, size_t event)
{
	for (size_t i = 0; i < count; i++)
		if (timeline->events[changes[i]].object == timeline->events[event].object &&
		    timeline->events[changes[i]].code == timeline->events[event].code)
			return true;
	return false;
}

static void look(struct candidate *best, const struct timeline *timeline, size_t turn)
{
	struct turn self;
	size_t changes[MAX_CHANGES], count = 0;
	const uint32_t thread = timeline->events[timeline->items[turn].event].thread;
	best->rank = RANK_NONE;
	take_turn(&self, timeline, timeline->items[turn].event);
	for (size_t at = turn + 1; at < timeline->item_count && at < turn + MAX_AWAY && count < MAX_CHANGES; at++) {
		const size_t event = timeline->items[at].event;
		if (timeline->events[event].thread == thread)
			break;
		if (timeline->items[at].is_turn || timeline->left[event] & TIMELINE_NEVER ||
		    !heddle_event_is_access(timeline->events[event].kind) ||
		    find_use(timeline, self.before, self.before_count, timeline->events[event].object) ==
			    self.before_count ||
		    !is_change(timeline, event) || is_known(timeline, changes, count, event))
			continue;
		changes[count++] = event;
		consider(best, &self, event);
	}
}

size_t advice_crossings(struct advice_crossing crossings[ADVICE_CROSSINGS], const struct timeline *timeline)
{
	struct candidate best[ADVICE_CROSSINGS];
	size_t turns = 0, count = 0;
	enum rank rank = RANK_NONE;
	for (size_t i = 0; i < timeline->item_count && timeline->has_switches; i++) {
		if (!timeline->items[i].is_turn)
			continue;
		if (turns == ADVICE_CROSSINGS)
			return 0;
		look(&best[turns], timeline, i);
		rank = best[turns].rank < rank ? best[turns].rank : rank;
		turns++;
	}
	for (size_t i = 0; i < turns; i++)
		if (best[i].rank == rank && rank != RANK_NONE)
			crossings[count++] = best[i].crossing;
	return count;
}
