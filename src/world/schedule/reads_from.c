/*
 * reads_from.c: partial order sampling with wishes about which access comes right after which, in the manner of RFF (Wolff, Shi,
 * Duck, Mathur, Roychoudhury: Greybox Fuzzing for Concurrency Testing, ASPLOS 2024): the tool keeps the
 * schedules that showed new pairs of a write and an access after it, and asks for them again with one wish more, less or forbidden. Releasing a
 * lock counts as a write of it and taking it as a read; likewise signals and waits.
 *
 * A wish names two accesses in conflict, before and after; a read that reads from a write is one, a write that overwrites what was just read
 * another. A thread waits in front of either while others can run, until a second thread stands in front of the other one at the same memory:
 * then both are made, one right after the other. Beyond the paper, the second thread then goes on alone (HEDDLE_WISH_STAY), which
 * is what it takes if a bug needs more than one of its accesses before the first thread continues.
 *
 * With a depth, threads without a wish are chosen uniformly at each point instead: a random walk.
 */
#include <string.h>

#include "heddle/events.h"
#include "world/schedule/strategy_priv.h"

#define OBJECTS (1u << 16) /* a power of 2 */
#define KNOWN (2u * HEDDLE_PAIRS)

struct access {
	uint64_t code, number; /* number: 0: there was none */
	uint32_t thread;
};

/* By address, open addressing; full: what is not there stays unknown. */
static struct object {
	uint64_t key;
	struct access write, read; /* the last ones */
	uint64_t seen_by;          /* threads that had an access since the last write, by the low bits of their index */
} * objects;
static uint32_t object_count;
static uint16_t *known; /* numbers of channel.pairs plus 1, by hash */
static uint64_t access_number;

/* The thread that goes on alone, and how many choices more. */
static struct thread *staying;
static uint32_t stay_left;
#define STAY_MAX 400u

static uint8_t access_of(const struct thread *thread)
{
	const struct heddle_site *site = (const struct heddle_site *)thread->code;
	return site ? site->access : HEDDLE_ACCESS_NONE;
}

static bool reads(const struct thread *thread)
{
	return heddle_event_traits(thread->kind).flow & HEDDLE_FLOW_SEES &&
	       (thread->kind != HEDDLE_EVENT_ATOMIC || access_of(thread) != HEDDLE_ACCESS_ATOMIC_WRITE);
}

static bool writes(const struct thread *thread)
{
	return heddle_event_traits(thread->kind).flow & HEDDLE_FLOW_LEAVES &&
	       (thread->kind != HEDDLE_EVENT_ATOMIC || access_of(thread) != HEDDLE_ACCESS_ATOMIC_READ);
}

static uint64_t memory_of(const struct thread *thread)
{
	return (uint64_t)thread->object & ~7ul;
}

static struct object *object_of(const struct thread *thread)
{
	uint64_t key = memory_of(thread) | (heddle_event_is_access(thread->kind) ? 1 : 2);
	uint64_t at = random_mix(0, key) % OBJECTS;
	while (objects[at].key && objects[at].key != key)
		at = (at + 1) % OBJECTS;
	if (!objects[at].key && object_count < OBJECTS / 4 * 3) {
		objects[at].key = key;
		object_count++;
	}
	return &objects[at];
}

static void report_pair(const struct object *object, const struct thread *thread)
{
	struct heddle_channel *channel = world.channel;
	uint64_t before = object->write.code, after = thread->code;
	uint64_t hash = random_mix(before, after), at = hash % KNOWN;
	bool is_other = before && object->write.thread != thread->index;
	strategy_report_seen(hash);
	for (; known[at]; at = (at + 1) % KNOWN) {
		struct heddle_pair *pair = &channel->pairs[known[at] - 1];
		if (pair->before == before && pair->after == after) {
			pair->flags |= is_other ? HEDDLE_PAIR_OTHER : 0;
			return;
		}
	}
	if (channel->pair_count >= HEDDLE_PAIRS)
		return;
	channel->pairs[channel->pair_count++] = (struct heddle_pair){
		.before = before,
		.after = after,
		.object = memory_of(thread),
		.flags = (reads(thread) ? HEDDLE_PAIR_READS : 0) | (writes(thread) ? HEDDLE_PAIR_WRITES : 0) |
			 (is_other ? HEDDLE_PAIR_OTHER : 0) |
			 (heddle_event_is_access(thread->kind) ? 0 : HEDDLE_PAIR_SYNC),
	};
	known[at] = (uint16_t)channel->pair_count;
}

static void observe(const struct thread *thread)
{
	bool is_write = writes(thread);
	if ((!is_write && !reads(thread)) || world.live_count == 1)
		return;
	struct object *object = object_of(thread);
	report_pair(object, thread);
	if (!object->key)
		return;
	struct access access = { thread->code, ++access_number, thread->index };
	if (reads(thread))
		object->read = access;
	if (is_write) {
		object->write = access;
		object->seen_by = 0;
	}
	object->seen_by |= 1ul << thread->index % 64;
}

/* Wishes. */

/* One in this many choices is made without regard to wishes, and one that was fulfilled so often is no more: otherwise loops that wait
 * could have their wishes fulfilled forever, and the thread that they wait for would never run. */
#define MAX_WISHED 256u
#define MAX_MET 1000u
static uint32_t wished_count;

/* In the order in which they are chosen. */
enum wish { WISH_NOW, WISH_FIRST, WISH_NONE, WISH_LATER, WISH_LEVELS };

static bool is_about(const struct heddle_wish *wish, const struct thread *thread)
{
	return !wish->object || wish->object == memory_of(thread);
}

/* Whether the thread, which stands before the later access, would make it after the former. */
static bool follows(const struct heddle_wish *wish, const struct thread *thread)
{
	const struct object *object = object_of(thread);
	const struct access *write = &object->write, *read = &object->read;
	bool is_fresh = writes(thread) || !(object->seen_by >> thread->index % 64 & 1);
	if (write->number && write->code == wish->before && write->thread != thread->index && is_fresh)
		return true;
	return writes(thread) && read->number > write->number && read->code == wish->before &&
	       read->thread != thread->index;
}

static bool has_partner(const struct heddle_wish *wish, const struct thread *thread, struct thread **candidates,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct thread *other = candidates[i];
		if (other != thread && other->is_at_point && other->code == wish->after &&
		    memory_of(other) == memory_of(thread))
			return true;
	}
	return false;
}

static enum wish wish_of(const struct thread *thread, struct thread **candidates, uint32_t count)
{
	const struct heddle_channel *channel = world.channel;
	enum wish result = WISH_NONE;
	if (!thread->is_at_point)
		return WISH_NONE;
	for (uint32_t i = 0; i < channel->wish_count && i < HEDDLE_WISHES; i++) {
		const struct heddle_wish *wish = &channel->wishes[i];
		bool is_before = wish->before == thread->code, is_after = wish->after == thread->code;
		if ((!is_before && !is_after) || wish->met >= MAX_MET || !is_about(wish, thread))
			continue;
		if (wish->flags & HEDDLE_WISH_NOT) {
			if (is_after && follows(wish, thread))
				result = WISH_LATER;
			continue;
		}
		if (is_after && follows(wish, thread))
			return WISH_NOW;
		bool is_first = is_before && has_partner(wish, thread, candidates, count);
		if (is_first)
			result = WISH_FIRST;
		else if (result != WISH_FIRST)
			result = WISH_LATER;
	}
	return result;
}

/* The thread is going to make its access. */
static void meet(struct thread *thread)
{
	struct heddle_channel *channel = world.channel;
	for (uint32_t i = 0; i < channel->wish_count && i < HEDDLE_WISHES; i++) {
		struct heddle_wish *wish = &channel->wishes[i];
		if (wish->after != thread->code || wish->flags & HEDDLE_WISH_NOT || !is_about(wish, thread) ||
		    !follows(wish, thread))
			continue;
		wish->met += wish->met < UINT32_MAX;
		if (wish->flags & HEDDLE_WISH_STAY) {
			staying = thread;
			stay_left = STAY_MAX;
		}
	}
}

static void reads_from_start(void)
{
	static bool is_used;
	random_start();
	if (!objects)
		objects = world_pages(OBJECTS * sizeof *objects);
	if (!known)
		known = world_pages(KNOWN * sizeof *known);
	if (!objects || !known)
		world_fail(HEDDLE_OUTCOME_REFUSED, "out of memory for this strategy", NULL);
	/* Not new in the copy of a world that begins with another seed. */
	if (is_used) {
		memset(objects, 0, OBJECTS * sizeof *objects);
		memset(known, 0, KNOWN * sizeof *known);
		object_count = 0;
	}
	is_used = true;
	wished_count = 0;
	access_number = 0;
	staying = NULL;
	for (uint32_t i = 0; i < HEDDLE_WISHES; i++)
		world.channel->wishes[i].met = 0;
	/* What a thread does while no other can run is a part of what others see. */
	world.decides_alone = world.slices_alone = true;
	for (uint32_t i = 1; i <= world.place_count; i++)
		world.threads[i].priority = random_next();
}

static struct thread *best_of(struct thread **candidates, const enum wish *wishes, uint32_t count, enum wish level)
{
	struct thread *best = NULL;
	for (uint32_t i = 0; i < count; i++)
		if (wishes[i] == level && (!best || candidates[i]->priority > best->priority))
			best = candidates[i];
	return best;
}

/* As in partial order sampling, among those with the same kind of wish. */
static struct thread *choose(struct thread **candidates, uint32_t count)
{
	static enum wish wishes[CANDIDATES];
	bool has_wishes = world.channel->wish_count;
	if (has_wishes && ++wished_count % MAX_WISHED == 0)
		return candidates[random_below(count)];
	for (uint32_t i = 0; i < count; i++) {
		wishes[i] = has_wishes ? wish_of(candidates[i], candidates, count) : WISH_NONE;
		if (candidates[i] == staying && wishes[i] != WISH_LATER && stay_left) {
			stay_left--;
			return staying;
		}
	}
	staying = NULL;
	for (uint32_t i = 0; i < count && world.channel->depth; i++)
		candidates[i]->priority = random_next();
	for (enum wish level = 0; level < WISH_LEVELS; level++) {
		struct thread *best = best_of(candidates, wishes, count, level);
		if (best)
			return best;
	}
	return candidates[0];
}

static struct thread *reads_from_pick(struct thread *self)
{
	static struct thread *candidates[CANDIDATES];
	if (self && point_is_here(self))
		self->is_at_point = true;
	else if (self && !self->is_yielding)
		return self;
	if (self)
		self->priority = random_next();
	uint32_t count = candidates_take(candidates);
	struct thread *best = choose(candidates, count);
	for (uint32_t i = 0; i < count; i++)
		if (candidates[i] != best && events_conflict(candidates[i], best))
			candidates[i]->priority = random_next();
	if (best->is_at_point) {
		best->is_at_point = false;
		meet(best);
		observe(best);
	}
	return best;
}

/* In a long run most is done again and again: after the first million events a choice is made after a few accesses only, and those in
 * between are not observed. */
#define LONG_EVENTS (1u << 20)
#define LONG_SLICE 64u

static uint64_t reads_from_slice(const struct thread *thread)
{
	uint64_t slice = point_slice(thread);
	return slice || world_events() < LONG_EVENTS ? slice : random_below(LONG_SLICE);
}

static bool reads_from_woken(struct thread *thread, bool is_new)
{
	if (is_new) {
		thread->priority = random_next();
		thread->is_at_point = false;
	}
	return false;
}

const struct strategy strategy_reads_from = {
	"reads-from", true, reads_from_start, reads_from_pick, reads_from_slice, reads_from_woken, yielded_marked,
};
