/* advice.c: see advice.h: races, memory errors and lock orders. */
#include "narrate/advice_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "heddle/events.h"
#include "symbols/line.h"

#define MAX_LOCKS 16u
#define MAX_FUNCTION                                                                                                   \
	80u /* bytes of the name of a library's function: longer ones have arguments of templates and say little */
#define PLACE_WINDOW 64u /* own events before one without a place of the program's own that are looked at */

char *advice_place(const char *file, uint32_t line)
{
	struct buf place = { 0 };
	if (!file)
		return mem_copy_string("an unknown place");
	line_add(&place, file, line);
	return place.data;
}

char *advice_event_place(const struct timeline *timeline, size_t event)
{
	uint32_t line;
	size_t own = event;
	for (unsigned i = 0; i < PLACE_WINDOW && own != SIZE_MAX; i++, own = timeline_previous(timeline, own)) {
		const char *file = event_texts_own_place(timeline->event_texts, &timeline->events[own], &line);
		char *place = file ? advice_place(file, line) : NULL;
		if (place && own == event)
			return place;
		if (!place)
			continue;
		char *function = event_texts_function(timeline->event_texts, &timeline->events[event]);
		struct buf behind = { 0 };
		buf_add_string(&behind, "a call ");
		if (function && strlen(function) <= MAX_FUNCTION) {
			buf_add_string(&behind, "of ");
			text_terminal(&behind, function);
			buf_add_string(&behind, " ");
		}
		buf_format(&behind, "after %s", place);
		free(function);
		free(place);
		return behind.data;
	}
	const char *file = event_texts_place(timeline->event_texts, &timeline->events[event], &line);
	return advice_place(file, line);
}

char *advice_name(const struct timeline *timeline, uint64_t address)
{
	struct buf out = { 0 };
	event_texts_describe_address(&out, timeline->event_texts, address);
	for (size_t i = 0; out.data && strncmp(out.data, "0x", 2) == 0 && i < timeline->count; i++) {
		const struct event *event = &timeline->events[i];
		const bool is_condition = event->kind == HEDDLE_EVENT_COND_WAIT;
		if (event->object == address && (is_condition || heddle_event_takes_lock(event->kind))) {
			char *place = advice_event_place(timeline, i);
			buf_release(&out);
			buf_format(&out, "the %s of %s", is_condition ? "condition variable" : "lock", place);
			free(place);
		}
	}
	return out.data ? out.data : mem_copy_string("?");
}

/* The locks that a thread has on its way through the events. */
struct held {
	uint64_t locks[MAX_LOCKS];
	size_t count;
	bool is_unknown; /* it tried to take one, or has too many */
};

static void follow(struct held *self, const struct event *event)
{
	if (heddle_event_tries_lock(event->kind))
		self->is_unknown = true;
	if (heddle_event_takes_lock(event->kind)) {
		self->is_unknown = self->is_unknown || self->count == MAX_LOCKS;
		if (self->count < MAX_LOCKS)
			self->locks[self->count++] = event->object;
	}
	for (size_t i = self->count; heddle_event_releases_lock(event->kind) && i-- > 0;)
		if (self->locks[i] == event->object) {
			self->locks[i] = self->locks[--self->count];
			break;
		}
}

static bool has_lock(const struct held *self, uint64_t lock)
{
	for (size_t i = 0; i < self->count; i++)
		if (self->locks[i] == lock)
			return true;
	return false;
}

/* What other accesses of the same memory have in common. */
struct habit {
	struct held common;
	size_t count; /* accesses */
	size_t event; /* the first of them, from 0 */
};

static bool is_access_of(const struct event *event, const struct report_race *race)
{
	return (event->kind == HEDDLE_EVENT_READ || event->kind == HEDDLE_EVENT_WRITE) &&
	       event->object >= race->address && event->object < race->address + race->size;
}

static void keep_common(struct habit *self, const struct held *held, size_t event)
{
	if (self->count++ == 0) {
		self->common = *held;
		self->event = event;
		return;
	}
	for (size_t i = self->common.count; i-- > 0;)
		if (!has_lock(held, self->common.locks[i]))
			self->common.locks[i] = self->common.locks[--self->common.count];
}

/* Accesses at other places than the two of the race, from when there is more than one thread. */
static void find_habit(struct habit *self, const struct timeline *timeline, const struct finding *finding)
{
	uint32_t most = 0, first = timeline->count ? timeline->events[0].thread : 0;
	bool is_alone = true;
	*self = (struct habit){ .count = 0 };
	for (size_t i = 0; i < timeline->count; i++)
		most = timeline->events[i].thread > most ? timeline->events[i].thread : most;
	struct held *threads = mem_alloc((most + 1) * sizeof *threads);
	for (size_t i = 0; i < timeline->count; i++) {
		const struct event *event = &timeline->events[i];
		struct held *held = &threads[event->thread];
		is_alone = is_alone && event->thread == first;
		follow(held, event);
		if (!is_alone && !held->is_unknown && is_access_of(event, &finding->evidence.race) &&
		    event->code != finding->evidence.race.later.place &&
		    event->code != finding->evidence.race.earlier.place)
			keep_common(self, held, i);
	}
	free(threads);
}

char *advice_join(const struct strings *names)
{
	struct buf out = { 0 };
	for (size_t i = 0; i < names->count; i++)
		buf_format(&out, "%s%s", i == 0 ? "" : i + 1 == names->count ? " and " : ", ", names->items[i]);
	return out.data ? out.data : mem_copy_string("");
}

static bool is_sharing(const struct strings *a, const struct strings *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (strings_has(b, a->items[i]))
			return true;
	return false;
}

static char *site_place(const struct finding_site *site)
{
	return advice_place(site->file, site->line);
}

/* A race whose one side has locks that the other has not. */
static void advise_locks(struct strings *advice, const struct finding_site *has, const struct finding_site *has_not)
{
	char *locks = advice_join(&has->held), *there = site_place(has), *here = site_place(has_not);
	if (strcmp(here, there) == 0)
		strings_note(advice,
			     "take %s%s on every path to %s: thread %" PRIu32 " holds it there, but thread %" PRIu32
			     " holds no lock",
			     has->held.count > 1 ? "one of " : "", locks, here, has->thread, has_not->thread);
	else
		strings_note(advice,
			     "take %s%s at %s, too: thread %" PRIu32 " holds it at %s, but thread %" PRIu32
			     " holds no lock",
			     has->held.count > 1 ? "one of " : "", locks, here, has->thread, there, has_not->thread);
	free(locks);
	free(there);
	free(here);
}

static void advise_different_locks(struct strings *advice, const struct finding_site *a, const struct finding_site *b)
{
	char *first = advice_join(&a->held), *second = advice_join(&b->held), *here = site_place(a),
	     *there = site_place(b);
	if (is_sharing(&a->held, &b->held))
		strings_note(advice,
			     "write with the lock held for writing: at %s and %s both threads hold it for "
			     "reading",
			     here, there);
	else
		strings_note(advice,
			     "use the same lock at both places: at %s thread %" PRIu32
			     " holds %s, at %s thread %" PRIu32 " holds %s, which do not exclude each other",
			     here, a->thread, first, there, b->thread, second);
	free(first);
	free(second);
	free(here);
	free(there);
}

/* Threads that share a pointer share what it points to. */
static bool has_address(const struct finding_site *site)
{
	return site->has_value &&
	       (site->value_before > 0xffffffff || (site->is_changed && site->value_after > 0xffffffff));
}

static bool is_read_and_write(const struct report_race *race)
{
	return race->later.kind == REPORT_READ || race->earlier.kind == REPORT_READ;
}

static void advise_no_locks(struct strings *advice, const struct finding *finding, const struct timeline *timeline)
{
	struct habit habit = { .count = 0 };
	const struct finding_site *a = &finding->evidence.sites[0], *b = &finding->evidence.sites[1];
	bool is_one = a->line == b->line && a->file && b->file && strcmp(a->file, b->file) == 0;
	char *here = site_place(a), *there = site_place(b);
	if (timeline && !timeline->is_cut)
		find_habit(&habit, timeline, finding);
	if (habit.count && habit.common.count) {
		char *lock = advice_name(timeline, habit.common.locks[0]),
		     *place = advice_event_place(timeline, habit.event);
		strings_note(advice, "take %s at %s%s%s: the other accesses hold that lock, for example at %s", lock,
			     here, is_one ? "" : " and at ", is_one ? "" : there, place);
		free(lock);
		free(place);
	} else {
		strings_note(advice, "hold the same lock at %s%s%s: neither thread holds one", here,
			     is_one ? "" : " and at ", is_one ? "" : there);
		if (!has_address(a) && !has_address(b) && finding->evidence.race.size <= 8 &&
		    (finding->evidence.race.size & (finding->evidence.race.size - 1)) == 0)
			strings_note(advice,
				     "or make it atomic (_Atomic, std::atomic), if it need not stay consistent with "
				     "other variables%s",
				     is_one && is_read_and_write(&finding->evidence.race)
					     ? ", and change it with one atomic operation instead of a read and a "
					       "write"
					     : "");
	}
	free(here);
	free(there);
}

/* Where the creator of the other thread could have done it without a race. */
static void advise_creator(struct strings *advice, const struct finding *finding)
{
	for (int i = 0; i < 2; i++) {
		const struct finding_site *own = &finding->evidence.sites[i], *other = &finding->evidence.sites[!i];
		const struct finding_act *created = finding_act(finding, FINDING_CREATED, other->thread);
		if (!created || created->by != own->thread || !created->file)
			continue;
		char *place = site_place(own), *creation = advice_place(created->file, created->line);
		strings_note(advice,
			     "or move the access at %s before the creation of thread %" PRIu32
			     " at %s, or after its join: thread %" PRIu32 " creates it",
			     place, other->thread, creation, own->thread);
		free(place);
		free(creation);
	}
}

/* Memory that a thread frees while another one has it. */
static void advise_lifetime(struct strings *advice, const struct finding *finding, uint32_t user, uint32_t freer,
			    const char *freed_at)
{
	const struct finding_act *created = finding_act(finding, FINDING_CREATED, user);
	if (created && created->by == freer && created->file) {
		char *creation = advice_place(created->file, created->line);
		strings_note(advice, "join thread %" PRIu32 ", created at %s, before the memory is freed at %s", user,
			     creation, freed_at);
		free(creation);
	} else {
		strings_note(advice,
			     "delay the free in thread %" PRIu32 " at %s until thread %" PRIu32
			     " no longer uses the memory",
			     freer, freed_at, user);
	}
	strings_note(advice, "or count the users of the memory, and let the last one free it");
}

static bool is_atomic(const struct report_access *access)
{
	return access->kind == REPORT_ATOMIC_READ || access->kind == REPORT_ATOMIC_WRITE;
}

/* The one that wrote first made the memory, and the other one came to it without synchronisation; unless it got it when it was
 * created. */
static bool advise_publication(struct strings *advice, const struct finding *finding)
{
	const struct finding_site *later = &finding->evidence.sites[0], *earlier = &finding->evidence.sites[1];
	const struct finding_act *allocated = finding_act(finding, FINDING_ALLOCATED, 0),
				 *created = finding_act(finding, FINDING_CREATED, later->thread);
	enum report_access_kind kind = finding->evidence.race.earlier.kind;
	if (!allocated || allocated->by != earlier->thread ||
	    (kind != REPORT_WRITE && kind != REPORT_ATOMIC_WRITE && kind != REPORT_ALLOCATION) ||
	    finding->evidence.race.later.kind == REPORT_FREE || !earlier->event ||
	    (created && created->by == earlier->thread && allocated->event <= created->event))
		return false;
	char *made = advice_place(allocated->file, allocated->line);
	strings_note(advice,
		     "hand the memory over under a common lock, or through an atomic pointer (release, acquire): "
		     "thread %" PRIu32 " allocated it at %s, and thread %" PRIu32 " gets it without either",
		     earlier->thread, made, later->thread);
	free(made);
	return true;
}

static void advise_race(struct strings *advice, const struct finding *finding, const struct timeline *timeline)
{
	const struct report_access *accesses[] = { &finding->evidence.race.later, &finding->evidence.race.earlier };
	const struct finding_site *sites = finding->evidence.sites;
	if (finding->evidence.site_count < 2 || advise_publication(advice, finding))
		return;
	for (int i = 0; i < 2; i++) {
		char *place = site_place(&sites[i]), *other = site_place(&sites[!i]);
		if (accesses[i]->kind == REPORT_FREE)
			advise_lifetime(advice, finding, sites[!i].thread, sites[i].thread, place);
		else if (is_atomic(accesses[!i]) && !is_atomic(accesses[i]) && accesses[!i]->kind != REPORT_FREE)
			strings_note(advice, "make the access at %s atomic, too: the one at %s is", place, other);
		free(place);
		free(other);
	}
	/* What was held is known from the second pass only. */
	if (advice->count || !sites[0].event || !sites[1].event)
		return;
	if (sites[0].held.count && sites[1].held.count)
		advise_different_locks(advice, &sites[0], &sites[1]);
	else if (sites[0].held.count || sites[1].held.count)
		advise_locks(advice, &sites[!sites[0].held.count], &sites[!!sites[0].held.count]);
	else
		advise_no_locks(advice, finding, timeline);
	advise_creator(advice, finding);
}

static void advise_memory(struct strings *advice, const struct finding *finding)
{
	const struct finding_act *freed = finding_act(finding, FINDING_FREED, 0),
				 *allocated = finding_act(finding, FINDING_ALLOCATED, 0);
	uint32_t thread = finding->evidence.memory.access.thread;
	char *place = finding->evidence.site_count ? site_place(&finding->evidence.sites[0]) : mem_copy_string("?");
	if (finding->evidence.memory.state == REPORT_FREED && freed) {
		char *freed_at = advice_place(freed->file, freed->line);
		if (freed->by != thread)
			advise_lifetime(advice, finding, thread, freed->by, freed_at);
		else
			strings_note(advice, "do not use the memory at %s after the same thread has freed it at %s",
				     place, freed_at);
		free(freed_at);
	}
	if (finding->evidence.memory.state == REPORT_BEYOND && allocated) {
		char *made = advice_place(allocated->file, allocated->line);
		strings_note(advice, "check the index at %s and the size of the allocation, %" PRIu64 " bytes at %s",
			     place, finding->evidence.memory.block_size, made);
		free(made);
	}
	free(place);
}

static void advise_orders(struct strings *advice, const struct finding *finding, const struct timeline *timeline)
{
	struct strings locks = { 0 };
	for (size_t i = 0; timeline && i < finding->evidence.order_count; i++) {
		char *name = advice_name(timeline, finding->evidence.orders[i].pair.first_lock);
		if (!strings_has(&locks, name))
			strings_add(&locks, name);
		free(name);
	}
	if (locks.count > 1) {
		char *all = advice_join(&locks);
		strings_note(advice, "take %s in the same order in all threads", all);
		strings_note(advice, "or always take a common lock before them");
		free(all);
	}
	strings_release(&locks);
}

/* The other advice applies as for any other race. */
static void advise_proof(struct strings *advice, const struct finding *finding)
{
	if (finding->evidence.proof_flags & HEDDLE_SITE_PROMISED)
		strings_note(advice,
			     "build without --heddle-assume-private for this variable: until then only the first "
			     "schedules of a test check it, and no schedule switches threads at it");
	else
		strings_note(advice, "please report this: the proof is wrong, which is a bug in Heddle; until it is "
				     "fixed, build with --heddle-prove=no, because only the first schedules of a "
				     "test check proved accesses, and no schedule switches threads at them");
}

static bool is_at(const struct finding *other, const struct finding_site *place)
{
	for (size_t i = 0; i < other->evidence.site_count; i++)
		if (place->file && other->evidence.sites[i].file && place->line == other->evidence.sites[i].line &&
		    strcmp(place->file, other->evidence.sites[i].file) == 0)
			return true;
	return false;
}

/* A race at the line that failed is the first suspect. */
static void advise_others(struct strings *advice, const struct finding *finding, const struct findings *others)
{
	struct strings ids = { 0 };
	for (size_t i = 0; others && finding->evidence.site_count && i < others->count; i++) {
		const struct finding *other = others->items[i];
		char id[32];
		bool is_cause = kinds[other->identity.kind].traits & KIND_CAUSE;
		if (other == finding || other->identity.suppression || !other->identity.number || !is_cause)
			continue;
		snprintf(id, sizeof id, "H%" PRIu64, other->identity.number);
		if (is_at(other, &finding->evidence.sites[0]))
			strings_add(&ids, id);
	}
	if (ids.count) {
		char *all = advice_join(&ids);
		strings_note(advice, "start with %s, at the line that fails here", all);
		free(all);
	}
	strings_release(&ids);
}

void advice_collect(struct strings *advice, const struct finding *finding, const struct timeline *timeline,
		    const struct findings *others)
{
	if (finding->evidence.origin == FINDING_OF_RACE) {
		advise_race(advice, finding, timeline);
	} else if (finding_is_bad_free(finding)) {
		advice_of_free(advice, finding);
	} else if (finding->evidence.origin == FINDING_OF_MEMORY) {
		advise_memory(advice, finding);
	} else if (finding->evidence.origin == FINDING_OF_ORDERS) {
		advise_orders(advice, finding, timeline);
	} else if (finding->identity.kind == FINDING_DEADLOCK) {
		if (timeline)
			advice_of_deadlock(advice, timeline);
	} else if (finding->identity.kind != FINDING_HANG) {
		advise_others(advice, finding, others);
		if (timeline)
			advice_of_failure(advice, timeline);
	}
	if (finding->evidence.proof_flags)
		advise_proof(advice, finding);
}
