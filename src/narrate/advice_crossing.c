/*
 * advice_crossing.c: what another thread changed while one was preempted that uses it on both sides of that. Most of what
 * changes meanwhile is none of the matter, so the candidates of all preemptions are compared: an update that got lost says
 * most; then what no lock and no atomic access protects; then what a thread has only looked at under a lock that it takes again
 * later, elsewhere. Of each, a data race of the same run comes first, then what is nearest to the preemption. A section of
 * code that comes again looks again: what it used the last time is no candidate.
 */
#include <string.h>

#include "narrate/advice_priv.h"

#define WINDOW 64u        /* own events before and behind a preemption that are looked at */
#define AWAY_MOST 10000u  /* events of others meanwhile */
#define CHANGES_MOST 256u /* different ones among them */
#define LOCKS_MOST 8

enum rank { RANK_LOST_UPDATE, RANK_UNPROTECTED, RANK_LOOKED, RANK_OVERWRITTEN, RANK_NONE };

struct candidate {
	struct advice_crossing crossing;
	enum rank rank;
	bool is_race;
	size_t distance; /* own events from the first to the second */
};

/* Events of the thread that was preempted, the nearest first. */
struct turn {
	const struct play *play;
	size_t before[WINDOW], after[WINDOW], before_count, after_count;
};

/* The locks of a thread at an event; unknown: -1. */
struct holding {
	uint64_t locks[LOCKS_MOST];
	int count;
};

static void take_turn(struct turn *self, const struct play *play, size_t left)
{
	const bool is_undone = play->left[left] & PLAY_BEFORE;
	*self = (struct turn){ .play = play };
	for (size_t at = is_undone ? play_previous(play, left) : left; at != SIZE_MAX && self->before_count < WINDOW;
	     at = play_previous(play, at))
		self->before[self->before_count++] = at;
	for (size_t at = is_undone ? left : play_next(play, left); at != SIZE_MAX && self->after_count < WINDOW;
	     at = play_next(play, at))
		self->after[self->after_count++] = at;
}

static bool is_access(const struct event *event)
{
	return event->kind == HEDDLE_EVENT_READ || event->kind == HEDDLE_EVENT_WRITE ||
	       event->kind == HEDDLE_EVENT_ATOMIC;
}

static bool is_use(const struct play *play, size_t event, uint64_t object)
{
	return is_access(&play->events[event]) && play->events[event].object == object;
}

/* The place among the events of the nearest use; count: none. */
static size_t find_use(const struct play *play, const size_t *events, size_t count, uint64_t object)
{
	size_t i = 0;
	while (i < count && !is_use(play, events[i], object))
		i++;
	return i;
}

static bool is_change(const struct play *play, size_t event)
{
	return deeds_is_change(play->deeds, &play->events[event]);
}

/* The same code, called in the same way as far as that is known. */
static bool is_same_code(const struct play *play, size_t a, size_t b)
{
	return play->events[a].code == play->events[b].code && play->events[a].callers == play->events[b].callers;
}

static bool is_same_line(const struct play *play, size_t a, size_t b)
{
	uint32_t line_a, line_b;
	const char *file_a = deeds_place(play->deeds, &play->events[a], &line_a);
	const char *file_b = deeds_place(play->deeds, &play->events[b], &line_b);
	return file_a && file_b && line_a == line_b && strcmp(file_a, file_b) == 0;
}

static struct holding holding_at(const struct play *play, size_t event)
{
	struct holding held;
	held.count = play_held(play, event, held.locks, LOCKS_MOST);
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

static bool is_in_race(const struct play *play, uint64_t object)
{
	for (size_t i = 0; i < play->report.race_count; i++)
		if (object >= play->report.races[i].address &&
		    object - play->report.races[i].address < play->report.races[i].size)
			return true;
	return false;
}

/* Nothing that all three have in common keeps them apart. */
static enum rank rank_unprotected(const struct play *play, const struct advice_crossing *crossing)
{
	const struct event *events = play->events;
	const bool is_read = !is_change(play, crossing->first);
	if (is_read && is_change(play, crossing->second) && is_same_line(play, crossing->first, crossing->second))
		return RANK_LOST_UPDATE;
	if (events[crossing->first].kind == events[crossing->second].kind &&
	    is_same_code(play, crossing->first, crossing->second))
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
	const struct play *play = self->play;
	for (size_t i = first; i < self->before_count; i++) {
		const struct event *event = &play->events[self->before[i]];
		if (play_is_taking(event->kind) && event->object == lock)
			return self->before[i];
		if (is_use(play, self->before[i], play->events[self->before[first]].object) &&
		    is_change(play, self->before[i]))
			return SIZE_MAX;
	}
	return SIZE_MAX;
}

/* What was looked at under a lock, and the same thread takes that again at another place: there it uses the object, or acts on
 * what it knows of it. Sets second, and the place of that among the events. */
static bool find_act(const struct turn *self, size_t first, uint64_t lock, size_t *second)
{
	const struct play *play = self->play;
	const uint64_t object = play->events[self->before[first]].object;
	const size_t section = find_section(self, first, lock);
	size_t taken = self->after_count;
	for (size_t i = 0; section != SIZE_MAX && i < self->after_count; i++) {
		const struct event *event = &play->events[self->after[i]];
		const bool is_taken = taken != self->after_count;
		if (event->kind == HEDDLE_EVENT_COND_WAIT ||
		    (is_taken && play_is_giving(event->kind) && event->object == lock))
			break;
		if (!is_taken && play_is_taking(event->kind) && event->object == lock) {
			if (is_same_code(play, section, self->after[i]))
				return false;
			taken = i;
		}
		if (is_taken && is_use(play, self->after[i], object)) {
			*second = i;
			return !is_same_code(play, self->before[first], self->after[i]);
		}
	}
	*second = taken;
	return taken != self->after_count;
}

/* What a change by another thread is for the one that was preempted. */
static void consider(struct candidate *best, const struct turn *self, size_t other)
{
	const struct play *play = self->play;
	const uint64_t object = play->events[other].object;
	const size_t first = find_use(play, self->before, self->before_count, object);
	size_t second = find_use(play, self->after, self->after_count, object);
	if (first == self->before_count)
		return;
	struct candidate candidate = { .crossing = { self->before[first], other, SIZE_MAX }, .rank = RANK_NONE };
	struct holding common = holding_at(play, self->before[first]), held = holding_at(play, other);
	keep_common(&common, &held);
	const uint64_t lock = common.count > 0 ? common.locks[0] : 0;
	if (second != self->after_count) {
		held = holding_at(play, self->after[second]);
		keep_common(&common, &held);
	}
	if (common.count <= 0 && second != self->after_count) {
		candidate.crossing.second = self->after[second];
		candidate.rank = rank_unprotected(play, &candidate.crossing);
		/* Where locks are not known, an update that got lost shows that none was held over it. */
		if (common.count < 0 && candidate.rank != RANK_LOST_UPDATE)
			candidate.rank = RANK_NONE;
	} else if (lock && find_act(self, first, lock, &second)) {
		candidate.crossing.second = self->after[second];
		candidate.rank = RANK_LOOKED;
	}
	candidate.is_race = is_in_race(play, object);
	candidate.distance = first + second;
	if (candidate.rank < best->rank ||
	    (candidate.rank == best->rank && candidate.rank != RANK_NONE &&
	     (candidate.is_race > best->is_race ||
	      (candidate.is_race == best->is_race && candidate.distance < best->distance))))
		*best = candidate;
}

/* The same code changes the same thing again: that says nothing new. */
static bool is_known(const struct play *play, const size_t *changes, size_t count, size_t event)
{
	for (size_t i = 0; i < count; i++)
		if (play->events[changes[i]].object == play->events[event].object &&
		    play->events[changes[i]].code == play->events[event].code)
			return true;
	return false;
}

static void look(struct candidate *best, const struct play *play, size_t turn)
{
	struct turn self;
	size_t changes[CHANGES_MOST], count = 0;
	const uint32_t thread = play->events[play->items[turn].event].thread;
	best->rank = RANK_NONE;
	take_turn(&self, play, play->items[turn].event);
	for (size_t at = turn + 1; at < play->item_count && at < turn + AWAY_MOST && count < CHANGES_MOST; at++) {
		const size_t event = play->items[at].event;
		if (play->events[event].thread == thread)
			break;
		if (play->items[at].is_turn || play->left[event] & PLAY_NEVER || !is_access(&play->events[event]) ||
		    find_use(play, self.before, self.before_count, play->events[event].object) == self.before_count ||
		    !is_change(play, event) || is_known(play, changes, count, event))
			continue;
		changes[count++] = event;
		consider(best, &self, event);
	}
}

size_t advice_crossings(struct advice_crossing crossings[ADVICE_CROSSINGS], const struct play *play)
{
	struct candidate best[ADVICE_CROSSINGS];
	size_t turns = 0, count = 0;
	enum rank rank = RANK_NONE;
	for (size_t i = 0; i < play->item_count && play->has_switches; i++) {
		if (!play->items[i].is_turn)
			continue;
		if (turns == ADVICE_CROSSINGS)
			return 0;
		look(&best[turns], play, i);
		rank = best[turns].rank < rank ? best[turns].rank : rank;
		turns++;
	}
	for (size_t i = 0; i < turns; i++)
		if (best[i].rank == rank && rank != RANK_NONE)
			crossings[count++] = best[i].crossing;
	return count;
}
