/*
 * reads_from.c: partial order sampling with wishes about which write a read sees, in the manner of RFF (Wolff, Shi,
 * Duck, Mathur, Roychoudhury: Greybox Fuzzing for Concurrency Testing, ASPLOS 2024): the tool keeps the
 * schedules that showed new pairs of a write and a read, and asks for them again with a pair more, less or forbidden. A
 * read whose wish is fulfilled now is done at once; one whose wish is not waits while others can run. The operations of a
 * lock, a condition variable and the like count as a read and a write of it.
 */
#include <string.h>

#include "world/schedule/strategy_priv.h"

#define WRITERS (1u << 16) /* a power of 2 */
#define KNOWN (2u * HEDDLE_PAIRS)

/* By address, open addressing; full: what is not there stays unknown. */
static struct writer {
	uint64_t key, code;
} * writers;
static uint32_t writer_count;
static uint16_t *known; /* numbers of channel.pairs plus 1, by hash */

static bool is_access(const struct thread *thread)
{
	return thread->kind == HEDDLE_EVENT_READ || thread->kind == HEDDLE_EVENT_WRITE ||
	       thread->kind == HEDDLE_EVENT_ATOMIC;
}

static uint8_t access_of(const struct thread *thread)
{
	const struct heddle_site *site = (const struct heddle_site *)thread->code;
	return site ? site->access : HEDDLE_ACCESS_NONE;
}

static bool reads(const struct thread *thread)
{
	return thread->kind != HEDDLE_EVENT_WRITE &&
	       !(thread->kind == HEDDLE_EVENT_ATOMIC && access_of(thread) == HEDDLE_ACCESS_ATOMIC_WRITE);
}

static bool writes(const struct thread *thread)
{
	return thread->kind != HEDDLE_EVENT_READ &&
	       !(thread->kind == HEDDLE_EVENT_ATOMIC && access_of(thread) == HEDDLE_ACCESS_ATOMIC_READ);
}

static struct writer *writer_of(const struct thread *thread)
{
	uint64_t key = (uint64_t)thread->object & ~7ul;
	key |= is_access(thread) ? 1 : 2;
	uint64_t at = random_mix(0, key) % WRITERS;
	while (writers[at].key && writers[at].key != key)
		at = (at + 1) % WRITERS;
	if (!writers[at].key && writer_count < WRITERS / 4 * 3) {
		writers[at].key = key;
		writer_count++;
	}
	return &writers[at];
}

static void report_pair(uint64_t writer, uint64_t reader)
{
	struct heddle_channel *channel = world.channel;
	uint64_t hash = random_mix(writer, reader), at = hash % KNOWN;
	strategy_report_seen(hash);
	for (; known[at]; at = (at + 1) % KNOWN) {
		const struct heddle_pair *pair = &channel->pairs[known[at] - 1];
		if (pair->writer == writer && pair->reader == reader)
			return;
	}
	if (channel->pair_count >= HEDDLE_PAIRS)
		return;
	channel->pairs[channel->pair_count++] = (struct heddle_pair){ writer, reader };
	known[at] = (uint16_t)channel->pair_count;
}

static void observe(const struct thread *thread)
{
	struct writer *writer = writer_of(thread);
	if (reads(thread))
		report_pair(writer->code, thread->code);
	if (writes(thread) && writer->key)
		writer->code = thread->code;
}

/* One in this many choices is made without regard to wishes. Otherwise waiting loops could have their wishes
 * fulfilled forever, and the thread that they wait for would never run. */
#define MAX_WISHED 32u
static uint32_t wished_count;

enum wish { WISH_NONE, WISH_NOW, WISH_LATER };

static enum wish wish_of(const struct thread *thread)
{
	const struct heddle_channel *channel = world.channel;
	enum wish result = WISH_NONE;
	if (!thread->is_at_point || !reads(thread))
		return WISH_NONE;
	for (uint32_t i = 0; i < channel->wish_count && i < HEDDLE_WISHES; i++) {
		const struct heddle_wish *wish = &channel->wishes[i];
		if (wish->pair.reader != thread->code)
			continue;
		bool is_present = writer_of(thread)->code == wish->pair.writer;
		if (is_present == !wish->is_not)
			return WISH_NOW;
		result = WISH_LATER;
	}
	return result;
}

static void reads_from_start(void)
{
	static bool is_used;
	random_start();
	if (!writers)
		writers = world_pages(WRITERS * sizeof *writers);
	if (!known)
		known = world_pages(KNOWN * sizeof *known);
	if (!writers || !known)
		world_fail(HEDDLE_OUTCOME_REFUSED, "out of memory for this strategy", NULL);
	/* Not new in the copy of a world that begins with another seed. */
	if (is_used) {
		memset(writers, 0, WRITERS * sizeof *writers);
		memset(known, 0, KNOWN * sizeof *known);
		writer_count = 0;
	}
	is_used = true;
	wished_count = 0;
	for (uint32_t i = 1; i <= world.place_count; i++)
		world.threads[i].priority = random_next();
}

/* As in partial order sampling, among those with the same kind of wish. */
static struct thread *choose(struct thread **candidates, uint32_t count)
{
	static const enum wish order[] = { WISH_NOW, WISH_NONE, WISH_LATER };
	enum wish wishes[CANDIDATES];
	if (world.channel->wish_count && ++wished_count % MAX_WISHED == 0)
		return candidates[random_below(count)];
	for (uint32_t i = 0; i < count; i++)
		wishes[i] = world.channel->wish_count ? wish_of(candidates[i]) : WISH_NONE;
	for (unsigned level = 0; level < sizeof order / sizeof *order; level++) {
		struct thread *best = NULL;
		for (uint32_t i = 0; i < count; i++)
			if (wishes[i] == order[level] && (!best || candidates[i]->priority > best->priority))
				best = candidates[i];
		if (best)
			return best;
	}
	return candidates[0];
}

static struct thread *reads_from_pick(struct thread *self)
{
	struct thread *candidates[CANDIDATES];
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
		observe(best);
	}
	return best;
}

static bool reads_from_woken(struct thread *thread, bool is_new)
{
	if (is_new)
		thread->priority = random_next();
	return false;
}

const struct strategy strategy_reads_from = {
	"reads-from", true, reads_from_start, reads_from_pick, point_slice, reads_from_woken, yielded_marked,
};
