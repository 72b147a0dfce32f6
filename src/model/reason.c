/* reason.c: see reason.h. */
#include "model/reason.h"

/* A loop that read as often surely waits. */
#define ROUNDS_SURE 8u
#define MAX_THREADS 64u

static bool is_of(const struct reason_access *access, const struct reason_side *side)
{
	return access->place == side->place && access->is_write == side->is_write;
}

static bool is_of_race(const struct reason_access *access, const struct reason_facts *facts)
{
	return is_of(access, &facts->sides[0]) || is_of(access, &facts->sides[1]);
}

/* The side that reads, or the one that writes; null: none does, or both do. */
static const struct reason_side *side_of(const struct reason_facts *facts, bool is_write)
{
	const struct reason_side *sides = facts->sides;
	if (sides[0].is_write == sides[1].is_write)
		return NULL;
	return &sides[sides[0].is_write != is_write];
}

/* The next access of the same thread; null: none. */
static const struct reason_access *next_own(const struct reason_run *run, const struct reason_access *access)
{
	for (const struct reason_access *at = access + 1; at < run->accesses + run->count; at++)
		if (at->thread == access->thread)
			return at;
	return NULL;
}

static const struct reason_access *previous_own(const struct reason_run *run, const struct reason_access *access)
{
	for (const struct reason_access *at = access; at-- > run->accesses;)
		if (at->thread == access->thread)
			return at;
	return NULL;
}

/* The last write before an access; null: none was seen. */
static const struct reason_access *last_write(const struct reason_run *run, const struct reason_access *access)
{
	for (const struct reason_access *at = access; at-- > run->accesses;)
		if (at->is_write)
			return at;
	return NULL;
}

/* ---- user-constructed synchronisation ---- */

/* Reads of one line that follow each other in a thread that does nothing else that others can notice. */
struct rounds {
	const struct reason_access *first, *last;
	size_t count;
};

static struct rounds rounds_from(const struct reason_run *run, const struct reason_access *first)
{
	struct rounds rounds = { first, first, 1 };
	const struct reason_access *next;
	while ((next = next_own(run, rounds.last)) && !next->is_write && next->place == first->place &&
	       next->effects == first->effects) {
		rounds.last = next;
		rounds.count++;
	}
	return rounds;
}

static bool is_first_round(const struct reason_run *run, const struct reason_access *read)
{
	const struct reason_access *before = previous_own(run, read);
	return !before || before->is_write || before->place != read->place || before->effects != read->effects;
}

bool reason_is_wait(const struct reason_facts *facts, uint64_t read_place, uint64_t write_place, struct reason *reason)
{
	size_t fewest = SIZE_MAX, most = 0;
	*reason = (struct reason){ .reason = REASON_USER_SYNCHRONISATION };
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_run *run = &facts->runs[i];
			const struct reason_access *read = &run->accesses[j];
			if (read->is_write || read->place != read_place || !is_first_round(run, read))
				continue;
			struct rounds rounds = rounds_from(run, read);
			fewest = rounds.count < fewest ? rounds.count : fewest;
			most = rounds.count > most ? rounds.count : most;
			if (rounds.count == 1)
				continue;
			/* A loop that ends with the value that it did not end with before ends for another reason. */
			const struct reason_access *before = previous_own(run, rounds.last);
			if (before->after == rounds.last->after)
				return false;
			const struct reason_access *write = last_write(run, rounds.last);
			if (write && write->thread != read->thread && (!write_place || write->place == write_place) &&
			    !reason->write) {
				reason->read = rounds.first;
				reason->again = rounds.last;
				reason->write = write;
			}
		}
	/* One that is made a fixed number of times is no wait. */
	return reason->write && (fewest < most || most >= ROUNDS_SURE);
}

static bool is_user_synchronisation(const struct reason_facts *facts, struct reason *reason)
{
	const struct reason_side *reader = side_of(facts, false), *writer = side_of(facts, true);
	return reader && writer && reason_is_wait(facts, reader->place, writer->place, reason);
}

/* ---- double check ---- */

static bool has_lock(const struct reason_access *access, uint64_t lock, bool is_alone)
{
	for (size_t i = 0; i < access->lock_count; i++)
		if (access->locks[i] == lock)
			return !is_alone || !access->is_shared[i];
	return false;
}

/* Whether all writes of the side have the lock. */
static bool is_writers_lock(const struct reason_facts *facts, const struct reason_side *writer, uint64_t lock)
{
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_access *access = &facts->runs[i].accesses[j];
			if (is_of(access, writer) && !has_lock(access, lock, true))
				return false;
		}
	return true;
}

/* The read that follows it under the lock, before the thread did anything else; null: there is none. */
static const struct reason_access *second_check(const struct reason_run *run, const struct reason_access *read,
						uint64_t lock)
{
	const struct reason_access *next = next_own(run, read);
	return next && !next->is_write && next->effects == read->effects && has_lock(next, lock, false) ? next : NULL;
}

/* Whether a read without the lock got that value and was not checked again. */
static bool is_unchecked(const struct reason_facts *facts, const struct reason_side *reader, uint64_t lock,
			 uint64_t value)
{
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_run *run = &facts->runs[i];
			const struct reason_access *read = &run->accesses[j];
			if (is_of(read, reader) && !has_lock(read, lock, false) && read->after == value &&
			    !second_check(run, read, lock))
				return true;
		}
	return false;
}

/* All values that a read was checked again for always are. */
static bool is_double_check_with(const struct reason_facts *facts, const struct reason_side *reader, uint64_t lock,
				 struct reason *reason)
{
	*reason = (struct reason){ .reason = REASON_DOUBLE_CHECK, .lock = lock };
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_run *run = &facts->runs[i];
			const struct reason_access *read = &run->accesses[j], *again;
			if (!is_of(read, reader) || has_lock(read, lock, false))
				continue;
			again = second_check(run, read, lock);
			if (!again)
				continue;
			if (is_unchecked(facts, reader, lock, read->after))
				return false;
			if (!reason->read) {
				reason->read = read;
				reason->again = again;
			}
		}
	return reason->read;
}

static const struct reason_access *first_of(const struct reason_facts *facts, const struct reason_side *side)
{
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++)
			if (is_of(&facts->runs[i].accesses[j], side))
				return &facts->runs[i].accesses[j];
	return NULL;
}

static bool is_double_check(const struct reason_facts *facts, struct reason *reason)
{
	const struct reason_side *reader = side_of(facts, false), *writer = side_of(facts, true);
	const struct reason_access *write = writer ? first_of(facts, writer) : NULL;
	for (size_t i = 0; write && i < write->lock_count; i++)
		if (is_writers_lock(facts, writer, write->locks[i]) &&
		    is_double_check_with(facts, reader, write->locks[i], reason)) {
			reason->write = write;
			return true;
		}
	return false;
}

/* ---- redundant write ---- */

/* What the writes of the race have in common. */
struct writes {
	size_t count;
	const struct reason_access *first;
	uint32_t other_thread; /* than that of the first; 0: there is none */
	bool is_one_value;     /* they write the same */
	bool is_computed;      /* one of them is */
};

static struct writes writes_of(const struct reason_facts *facts)
{
	struct writes writes = { .is_one_value = true };
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_access *access = &facts->runs[i].accesses[j];
			if (!access->is_write || !is_of_race(access, facts))
				continue;
			if (!writes.count++)
				writes.first = access;
			if (access->thread != writes.first->thread)
				writes.other_thread = access->thread;
			writes.is_one_value &= access->after == writes.first->after;
			writes.is_computed |= access->is_computed;
		}
	return writes;
}

/* Whether the writes of others, from the last own write of the thread that reads on, leave what is there. *count is increased by how many
 * there are. */
static bool is_left_alone(const struct reason_run *run, const struct reason_access *read,
			  const struct reason_side *writer, size_t *count)
{
	const struct reason_access *first = read;
	while (first > run->accesses && !(first[-1].is_write && first[-1].thread == read->thread))
		first--;
	for (const struct reason_access *at = first; at < run->accesses + run->count; at++) {
		if (!is_of(at, writer) || at->thread == read->thread)
			continue;
		if (at->before != at->after)
			return false;
		++*count;
	}
	return true;
}

static bool is_redundant_of_read(const struct reason_facts *facts, struct reason *reason)
{
	const struct reason_side *reader = side_of(facts, false), *writer = side_of(facts, true);
	size_t count = 0;
	reason->read = first_of(facts, reader);
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_run *run = &facts->runs[i];
			if (is_of(&run->accesses[j], reader) && !is_left_alone(run, &run->accesses[j], writer, &count))
				return false;
		}
	return count > 0;
}

static bool is_redundant_write(const struct reason_facts *facts, struct reason *reason)
{
	const struct writes writes = writes_of(facts);
	*reason = (struct reason){ .reason = REASON_REDUNDANT_WRITE, .write_count = writes.count };
	if (!writes.count)
		return false;
	reason->write = writes.first;
	reason->values[0] = reason->values[1] = writes.first->after;
	if (side_of(facts, true))
		return is_redundant_of_read(facts, reason);
	/* Two updates may write the same because one of them is lost. */
	return writes.is_one_value && writes.other_thread && !writes.is_computed;
}

/* ---- disjoint bits ---- */

static uint64_t changed_by(const struct reason_access *access)
{
	return access->before ^ access->after;
}

static bool is_disjoint_of_read(const struct reason_facts *facts, struct reason *reason)
{
	const struct reason_side *reader = side_of(facts, false), *writer = side_of(facts, true);
	*reason = (struct reason){ .reason = REASON_DISJOINT_BITS };
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_access *access = &facts->runs[i].accesses[j];
			const struct reason_access *next = next_own(&facts->runs[i], access);
			if (is_of(access, reader)) {
				if (next && next->is_write && next->effects == access->effects + 1)
					return false; /* it is written back as a whole */
				reason->read = reason->read ? reason->read : access;
				reason->used_bits |= access->bits & facts->all_bits;
			} else if (is_of(access, writer)) {
				reason->write = reason->write ? reason->write : access;
				reason->changed_bits |= changed_by(access);
			}
		}
	return reason->used_bits && reason->changed_bits && !(reason->used_bits & reason->changed_bits);
}

/* Bits that writes of the race by each thread change. */
struct changes {
	uint32_t threads[MAX_THREADS];
	uint64_t bits[MAX_THREADS];
	size_t count;
};

static bool add_change(struct changes *self, uint32_t thread, uint64_t bits)
{
	size_t i = 0;
	while (i < self->count && self->threads[i] != thread)
		i++;
	if (i == MAX_THREADS)
		return false;
	if (i == self->count) {
		self->threads[self->count] = thread;
		self->bits[self->count++] = 0;
	}
	self->bits[i] |= bits;
	return true;
}

/* Threads that change different bits of what they read. Both orders must be known: a lost update shows in one of them. */
static bool is_disjoint_of_writes(const struct reason_facts *facts, struct reason *reason)
{
	struct changes changes = { .count = 0 };
	*reason = (struct reason){ .reason = REASON_DISJOINT_BITS };
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_run *run = &facts->runs[i];
			const struct reason_access *access = &run->accesses[j], *before;
			if (!is_of_race(access, facts))
				continue;
			before = previous_own(run, access);
			if (!before || before->is_write || access->is_computed ||
			    !add_change(&changes, access->thread, changed_by(access)))
				return false;
			reason->write = reason->write ? reason->write : access;
		}
	for (size_t i = 0; i < changes.count; i++) {
		if (changes.bits[i] & (reason->used_bits | reason->changed_bits))
			return false;
		if (!reason->used_bits)
			reason->used_bits = changes.bits[i];
		else
			reason->changed_bits |= changes.bits[i];
	}
	return facts->run_count == 2 && reason->used_bits && reason->changed_bits;
}

static bool is_disjoint_bits(const struct reason_facts *facts, struct reason *reason)
{
	if (side_of(facts, true))
		return is_disjoint_of_read(facts, reason);
	return is_disjoint_of_writes(facts, reason);
}

/* ---- approximate computation ---- */

/* Whether the thread reads the value only to write what it computes from it, and does so. */
static bool is_update(const struct reason_run *run, const struct reason_access *access)
{
	if (!access->is_write)
		return access->is_for_compute;
	const struct reason_access *before = previous_own(run, access);
	return access->is_computed && before && !before->is_write && before->is_for_compute;
}

static bool is_approximate(const struct reason_facts *facts, struct reason *reason)
{
	*reason = (struct reason){ .reason = REASON_APPROXIMATE };
	for (size_t i = 0; i < facts->run_count; i++)
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_access *access = &facts->runs[i].accesses[j];
			if (!is_of_race(access, facts))
				continue;
			if (!is_update(&facts->runs[i], access))
				return false;
			if (access->is_write && !reason->write)
				reason->write = access;
			reason->write_count += access->is_write;
		}
	return reason->write;
}

/* ---- both values valid ---- */

/* The read of the race number at, from 0, of its thread; null: there are not as many. */
static const struct reason_access *nth_read(const struct reason_run *run, const struct reason_side *reader, size_t at)
{
	for (size_t i = 0; i < run->count; i++)
		if (is_of(&run->accesses[i], reader) && run->accesses[i].thread == reader->thread && at-- == 0)
			return &run->accesses[i];
	return NULL;
}

/* A read that gets another value in the other order. */
static bool is_read_differently(const struct reason_facts *facts, const struct reason_side *reader,
				struct reason *reason)
{
	const struct reason_access *one, *other;
	for (size_t i = 0; facts->run_count == 2; i++) {
		one = nth_read(&facts->runs[0], reader, i);
		other = nth_read(&facts->runs[1], reader, i);
		if (!one || !other)
			return false;
		if (one->after == other->after)
			continue;
		reason->read = one;
		reason->values[0] = one->after;
		reason->values[1] = other->after;
		return true;
	}
	return false;
}

static bool is_both_valid(const struct reason_facts *facts, struct reason *reason)
{
	const struct reason_side *reader = side_of(facts, false);
	*reason = (struct reason){ .reason = REASON_BOTH_VALUES_VALID };
	if (reader)
		return is_read_differently(facts, reader, reason);
	for (size_t i = 0; i < facts->run_count; i++) {
		const struct reason_access *first = NULL;
		for (size_t j = 0; j < facts->runs[i].count; j++) {
			const struct reason_access *access = &facts->runs[i].accesses[j];
			if (!is_of_race(access, facts))
				continue;
			first = first ? first : access;
			if (access->thread == first->thread || access->after == first->after)
				continue;
			reason->write = first;
			reason->values[0] = first->after;
			reason->values[1] = access->after;
			return facts->run_count == 2;
		}
	}
	return false;
}

struct reason reason_of(const struct reason_facts *facts)
{
	/* The first that holds: what is more general comes later. */
	static bool (*const tests[])(const struct reason_facts *, struct reason *) = {
		is_user_synchronisation, is_double_check, is_redundant_write,
		is_disjoint_bits,        is_approximate,  is_both_valid,
	};
	struct reason reason;
	if (!facts->sides[0].is_write && !facts->sides[1].is_write)
		return (struct reason){ .reason = REASON_NONE };
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		if (tests[i](facts, &reason))
			return reason;
	return (struct reason){ .reason = REASON_NONE };
}
