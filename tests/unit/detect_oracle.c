/* detect_oracle.c: see detect_oracle.h. */
#include "detect_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct seen seen, fenced, loaded;
	bool has_fenced;
} threads[ORACLE_THREADS];

struct access {
	unsigned thread, step, site;
	enum oracle_kind kind;
};

static struct access history[ORACLE_BYTES][ORACLE_STEPS];
static unsigned counts[ORACLE_BYTES];
static struct {
	unsigned thread, site, byte;
} races[ORACLE_BYTES * ORACLE_STEPS];
static unsigned race_count;

static struct {
	bool is_known;
	unsigned thread, step;
	bool is_accessed[ORACLE_BYTES];
} maker;

static void join(struct seen *to, const struct seen *from)
{
	for (unsigned i = 0; i < ORACLE_THREADS; i++)
		if (from->steps[i] > to->steps[i])
			to->steps[i] = from->steps[i];
}

void oracle_reset(void)
{
	bool has_fenced = threads[0].has_fenced; /* it goes on into the next program */
	memset(threads, 0, sizeof threads);
	threads[0].has_fenced = has_fenced;
	memset(counts, 0, sizeof counts);
	maker.is_known = false;
}

void oracle_step(unsigned thread)
{
	threads[thread].seen.steps[thread]++;
}

void oracle_create(unsigned thread, unsigned creator)
{
	threads[thread].seen = threads[creator].seen;
}

void oracle_join(unsigned thread, unsigned joined)
{
	join(&threads[thread].seen, &threads[joined].seen);
}

void oracle_acquire(unsigned thread, const struct seen *from)
{
	join(&threads[thread].seen, from);
}

void oracle_release(unsigned thread, struct seen *to)
{
	join(to, &threads[thread].seen);
}

/* Whether the modification is part of the release sequence that the other would head: C11 5.1.2.4, 10. */
static bool is_in_sequence(const struct oracle_object *object, unsigned head, unsigned last)
{
	for (unsigned i = head + 1; i <= last; i++)
		if (!object->stores[i].is_rmw && object->stores[i].thread != object->stores[head].thread)
			return false;
	return true;
}

void oracle_load(unsigned thread, const struct oracle_object *object, bool is_acquire)
{
	struct seen *to = is_acquire ? &threads[thread].seen : &threads[thread].loaded;
	for (unsigned i = 0; i < object->store_count; i++)
		if (object->stores[i].is_head && is_in_sequence(object, i, object->store_count - 1))
			join(to, &object->stores[i].head);
}

bool oracle_is_mixed(unsigned thread, const struct oracle_object *object)
{
	bool is_own = false, is_other = false;
	for (unsigned i = 0; i < object->store_count; i++)
		if (object->stores[i].is_head && is_in_sequence(object, i, object->store_count - 1)) {
			is_own |= object->stores[i].thread == thread;
			is_other |= object->stores[i].thread != thread;
		}
	return is_own && is_other;
}

void oracle_store(unsigned thread, struct oracle_object *object, bool is_release, bool is_rmw)
{
	if (object->store_count == ORACLE_STEPS)
		abort();
	struct store *store = &object->stores[object->store_count++];
	*store = (struct store){ .thread = thread, .is_rmw = is_rmw };
	store->is_head = is_release || threads[thread].has_fenced;
	store->head = is_release ? threads[thread].seen : threads[thread].fenced;
}

void oracle_fence(unsigned thread, bool is_acquire, bool is_release)
{
	if (is_acquire)
		join(&threads[thread].seen, &threads[thread].loaded);
	if (is_release) {
		threads[thread].fenced = threads[thread].seen;
		threads[thread].has_fenced = true;
	}
}

static bool is_conflict(enum oracle_kind a, enum oracle_kind b)
{
	bool is_write = a == ORACLE_WRITE || b == ORACLE_WRITE || a == ORACLE_ATOMIC_WRITE || b == ORACLE_ATOMIC_WRITE;
	bool is_atomic = a >= ORACLE_ATOMIC_WRITE && b >= ORACLE_ATOMIC_WRITE;
	return is_write && !is_atomic;
}

uint32_t oracle_access(unsigned thread, size_t start, size_t size, enum oracle_kind kind, unsigned site)
{
	const struct seen *seen = &threads[thread].seen;
	uint32_t mask = 0;
	race_count = 0;
	for (size_t byte = start; byte < start + size; byte++) {
		maker.is_accessed[byte] = true;
		for (unsigned i = 0; i < counts[byte]; i++) {
			const struct access *old = &history[byte][i];
			if (!is_conflict(old->kind, kind) || old->step <= seen->steps[old->thread])
				continue;
			mask |= 1u << byte;
			races[race_count].thread = old->thread;
			races[race_count].site = old->site;
			races[race_count++].byte = (unsigned)byte;
		}
		if (counts[byte] == ORACLE_STEPS)
			abort();
		history[byte][counts[byte]++] = (struct access){ thread, seen->steps[thread], site, kind };
	}
	return mask;
}

bool oracle_is_race(unsigned thread, unsigned site, size_t start, size_t size)
{
	for (unsigned i = 0; i < race_count; i++)
		if ((races[i].thread == thread || thread == ORACLE_ANY) && races[i].site == site && races[i].byte >= start &&
		    races[i].byte < start + size)
			return true;
	return false;
}

void oracle_forget(size_t start, size_t size)
{
	for (size_t byte = start; byte < start + size; byte++)
		counts[byte] = 0;
}

void oracle_made(unsigned thread)
{
	memset(&maker, 0, sizeof maker);
	maker.is_known = true;
	maker.thread = thread;
	maker.step = threads[thread].seen.steps[thread];
}

bool oracle_is_made_race(unsigned thread, unsigned by)
{
	return maker.is_known && (by == maker.thread || by == ORACLE_ANY) &&
	       maker.step > threads[thread].seen.steps[maker.thread];
}

bool oracle_must_meet_maker(unsigned thread, size_t start, size_t size)
{
	for (size_t byte = start; byte < start + size; byte++)
		if (!maker.is_accessed[byte])
			return oracle_is_made_race(thread, ORACLE_ANY);
	return false;
}

void oracle_forget_maker(void)
{
	maker.is_known = false;
}

void oracle_show(void)
{
	for (unsigned i = 0; i < race_count; i++)
		printf("the oracle says: byte %u, thread %u at site %u\n", races[i].byte, races[i].thread, races[i].site);
}
