/*
 * races_pairs.c: the pairs of one object's accesses. Accesses of the same bytes that are made in the same way (root, locks, who may
 * be alive) are kin: what is found for two kins holds for all pairs of their members. So an object that thousands of places access is
 * settled by the few ways in which they do, and only what is left is counted out. What two ways are to each other is asked once, and
 * members of the same two kins are put down once, however many objects both may touch.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/races_priv.h"
#include "base/mem.h"
#include "heddle/abi.h"

/* More pairs than anybody reads are not kept; which accesses are in one is known all the same. For more ways than that
 * verdicts are not remembered. */
enum { MOST_PAIRS = 1 << 21, MOST_WAYS = 1 << 14 };

struct kin {
	uint64_t offset, end;
	bool is_anywhere;
	uint32_t way;
	uint32_t first, count; /* entries */
	uint32_t plain_reads, plain_writes, atomic_reads, atomic_writes;
	uint64_t hash; /* over its members */
};

/* ---- ways ---- */

/* One round of a 64-bit hash. The state must be spread over all bits before a small value comes in: begin with a large one. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 29;
}

static uint32_t hash_way(const struct flow_visit *visit)
{
	return (uint32_t)(mix(mix(mix(1, visit->root), visit->locks), visit->together) >> 16);
}

static void grow_ways(struct races_search *search)
{
	uint32_t room = search->way_table_room ? search->way_table_room * 2 : 1024;
	free(search->way_table);
	search->way_table = mem_alloc(room * sizeof *search->way_table);
	search->way_table_room = room;
	for (uint32_t i = 0; i < search->way_count; i++) {
		uint32_t at = hash_way(&search->ways[i].visit) & (room - 1);
		while (search->way_table[at])
			at = (at + 1) & (room - 1);
		search->way_table[at] = i + 1;
	}
}

static bool has_relative(const struct races_search *search, uint32_t locks)
{
	struct flow_locks set = flow_locks(search->flow, locks);
	for (uint32_t i = 0; i < set.count; i++)
		if (set.items[i].kind == FLOW_RELATIVE)
			return true;
	return false;
}

uint32_t races_way(struct races_search *search, const struct flow_visit *visit)
{
	if ((search->way_count + 1) * 2 > search->way_table_room)
		grow_ways(search);
	uint32_t mask = search->way_table_room - 1, at = hash_way(visit) & mask;
	for (; search->way_table[at]; at = (at + 1) & mask) {
		const struct flow_visit *known = &search->ways[search->way_table[at] - 1].visit;
		if (known->root == visit->root && known->locks == visit->locks && known->together == visit->together)
			return search->way_table[at] - 1;
	}
	if (search->way_count == search->way_room) {
		search->way_room = search->way_room ? search->way_room * 2 : 256;
		search->ways = mem_resize(search->ways, search->way_room * sizeof *search->ways);
	}
	search->ways[search->way_count] =
		(struct races_way){ .visit = *visit, .has_relative = has_relative(search, visit->locks) };
	search->way_table[at] = ++search->way_count;
	return search->way_count - 1;
}

void races_prepare(struct races_search *search)
{
	if (search->way_count <= MOST_WAYS)
		search->verdicts = mem_alloc((size_t)search->way_count * search->way_count + 1);
}

static enum races_verdict judge(const struct races_search *search, const struct kin *x, const struct kin *y)
{
	const struct flow_visit *a = &search->ways[x->way].visit, *b = &search->ways[y->way].visit;
	if (!flow_may_overlap(search->flow, a, b))
		return RACES_ORDERED;
	return races_have_common_lock(flow_locks(search->flow, a->locks), x->is_anywhere ? POINTS_ANYWHERE : x->offset,
				      flow_locks(search->flow, b->locks), y->is_anywhere ? POINTS_ANYWHERE : y->offset)
		       ? RACES_LOCKED
		       : RACES_LEFT;
}

/* Where a lock is known relative to the access, it depends on where that is. */
static enum races_verdict verdict_of(struct races_search *search, const struct kin *x, const struct kin *y)
{
	if (!search->verdicts || (search->ways[x->way].has_relative && search->ways[y->way].has_relative))
		return judge(search, x, y);
	uint8_t *known = &search->verdicts[(size_t)x->way * search->way_count + y->way];
	if (*known == RACES_UNKNOWN)
		*known = (uint8_t)judge(search, x, y);
	return *known;
}

/* ---- kins ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Members of a kin become neighbours. */
static int by_kin(const void *left, const void *right)
{
	const struct races_entry *a = left, *b = right;
	int order = compare_numbers(a->offset, b->offset);
	order = order ? order : compare_numbers(a->end, b->end);
	order = order ? order : compare_numbers(a->way, b->way);
	return order ? order : compare_numbers(a->access, b->access);
}

static bool is_write(const struct whole_access *access)
{
	return access->kind == HEDDLE_ACCESS_WRITE || access->kind == HEDDLE_ACCESS_ATOMIC_WRITE ||
	       access->kind == HEDDLE_ACCESS_ATOMIC_UPDATE || access->kind == HEDDLE_ACCESS_ATOMIC_EXCHANGE;
}

static bool is_atomic(const struct whole_access *access)
{
	return access->kind >= HEDDLE_ACCESS_ATOMIC_READ;
}

static void add_member(struct kin *kin, const struct whole_access *access, uint32_t index)
{
	if (is_atomic(access))
		*(is_write(access) ? &kin->atomic_writes : &kin->atomic_reads) += 1;
	else
		*(is_write(access) ? &kin->plain_writes : &kin->plain_reads) += 1;
	kin->count++;
	kin->hash = mix(kin->hash, index);
}

static uint32_t make_kins(struct races_search *search, struct races_entry *entries, uint32_t count, struct kin **kins)
{
	uint32_t made = 0, room = 0;
	*kins = NULL;
	qsort(entries, count, sizeof *entries, by_kin);
	for (uint32_t i = 0; i < count; i++) {
		const struct races_entry *entry = &entries[i];
		struct kin *last = made ? &(*kins)[made - 1] : NULL;
		if (!last || last->offset != entry->offset || last->end != entry->end || last->way != entry->way) {
			if (made == room)
				*kins = mem_resize(*kins, (room = room * 2 + 16) * sizeof **kins);
			last = &(*kins)[made++];
			*last = (struct kin){ .offset = entry->offset,
					      .end = entry->end,
					      .is_anywhere = entry->is_anywhere,
					      .way = entry->way,
					      .first = i,
					      .hash = mix(UINT64_C(0x6a09e667f3bcc908), entry->way + 1u) };
		}
		add_member(last, &search->whole->access[entry->access], entry->access);
	}
	return made;
}

/* ---- what is left ---- */

static uint32_t hash_pair(uint32_t a, uint32_t b)
{
	return (uint32_t)(mix(mix(0, a), b) >> 16);
}

static void grow_table(struct races_search *search)
{
	uint32_t room = search->table_room ? search->table_room * 2 : 4096;
	free(search->table);
	search->table = mem_alloc((size_t)room * sizeof *search->table);
	search->table_room = room;
	for (uint32_t i = 0; i < search->races->pair_count; i++) {
		const struct races_pair *pair = &search->races->pairs[i];
		uint32_t at = hash_pair(pair->a.access, pair->b.access) & (room - 1);
		while (search->table[at])
			at = (at + 1) & (room - 1);
		search->table[at] = i + 1;
	}
}

/* The pair of these two accesses, new with a score of 0 if there was none; null when there are too many. */
static struct races_pair *pair_of(struct races_search *search, uint32_t a, uint32_t b)
{
	struct races *races = search->races;
	if ((races->pair_count + 1) * 2 > search->table_room)
		grow_table(search);
	uint32_t mask = search->table_room - 1, at = hash_pair(a, b) & mask;
	for (; search->table[at]; at = (at + 1) & mask) {
		struct races_pair *known = &races->pairs[search->table[at] - 1];
		if (known->a.access == a && known->b.access == b)
			return known;
	}
	if (races->pair_count == MOST_PAIRS) {
		races->is_cut = true;
		return NULL;
	}
	if (races->pair_count == search->pair_room) {
		search->pair_room = search->pair_room ? search->pair_room * 2 : 1024;
		races->pairs = mem_resize(races->pairs, search->pair_room * sizeof *races->pairs);
	}
	races->pairs[races->pair_count] = (struct races_pair){ .a.access = a, .b.access = b };
	search->table[at] = ++races->pair_count;
	return &races->pairs[races->pair_count - 1];
}

static void keep(struct races_search *search, uint32_t object, const struct kin *x, uint32_t access_x,
		 const struct kin *y, uint32_t access_y)
{
	const struct whole_access *ax = &search->whole->access[access_x], *ay = &search->whole->access[access_y];
	/* The one that writes first; of two alike the one that is first in the program. */
	bool is_swapped = is_write(ax) != is_write(ay) ? is_write(ay) : access_y < access_x;
	const struct kin *a = is_swapped ? y : x, *b = is_swapped ? x : y;
	uint32_t first = is_swapped ? access_y : access_x, second = is_swapped ? access_x : access_y;
	struct races_pair *known = pair_of(search, first, second);
	if (!known)
		return;
	const struct flow_visit *va = &search->ways[a->way].visit, *vb = &search->ways[b->way].visit;
	struct races_pair pair = { .a = { .access = first, .root = va->root, .locks = va->locks },
				   .b = { .access = second, .root = vb->root, .locks = vb->locks },
				   .object = object,
				   .offset = a->offset > b->offset ? a->offset : b->offset };
	races_rate(search, &pair, a->is_anywhere || b->is_anywhere);
	if (pair.score > known->score)
		*known = pair;
}

/* Whether the members of these two kins, in the same places to each other, were put down for another object. */
static bool is_done(struct races_search *search, const struct kin *x, const struct kin *y)
{
	uint64_t key = mix(mix(mix(1, x->hash), y->hash), x->is_anywhere * 2u + y->is_anywhere) | 1;
	if ((search->done_count + 1) * 2 > search->done_room) {
		uint32_t room = search->done_room ? search->done_room * 2 : 4096;
		uint64_t *done = mem_alloc((size_t)room * sizeof *done);
		for (uint32_t i = 0; i < search->done_room; i++) {
			uint32_t at = (uint32_t)(search->done[i] >> 20) & (room - 1);
			while (search->done[i] && done[at])
				at = (at + 1) & (room - 1);
			if (search->done[i])
				done[at] = search->done[i];
		}
		free(search->done);
		search->done = done;
		search->done_room = room;
	}
	uint32_t at = (uint32_t)(key >> 20) & (search->done_room - 1);
	for (; search->done[at]; at = (at + 1) & (search->done_room - 1))
		if (search->done[at] == key)
			return true;
	search->done[at] = key;
	search->done_count++;
	return false;
}

/* Each member of x that some member of y makes a race with. */
static void mark(struct races_search *search, const struct races_entry *entries, const struct kin *x,
		 const struct kin *y)
{
	uint32_t plain = y->plain_reads + y->plain_writes, writes = y->plain_writes + y->atomic_writes;
	for (uint32_t i = 0; i < x->count; i++) {
		uint32_t index = entries[x->first + i].access;
		const struct whole_access *access = &search->whole->access[index];
		bool is_hit = is_atomic(access) ? (is_write(access) ? plain : y->plain_writes)
						: (is_write(access) ? y->count : writes);
		search->races->is_instrumented[index] |= is_hit;
	}
}

/* Puts down all pairs of members of two kins that can be a race. */
static void keep_members(struct races_search *search, uint32_t object, const struct races_entry *entries,
			 const struct kin *x, const struct kin *y)
{
	if (is_done(search, x, y))
		return;
	mark(search, entries, x, y);
	mark(search, entries, y, x);
	for (uint32_t i = 0; i < x->count && !search->races->is_cut; i++) {
		uint32_t access_x = entries[x->first + i].access;
		const struct whole_access *ax = &search->whole->access[access_x];
		for (uint32_t k = x == y ? i : 0; k < y->count; k++) {
			uint32_t access_y = entries[y->first + k].access;
			const struct whole_access *ay = &search->whole->access[access_y];
			if ((is_write(ax) || is_write(ay)) && !(is_atomic(ax) && is_atomic(ay)))
				keep(search, object, x, access_x, y, access_y);
		}
	}
}

static uint64_t pairs_within(const struct kin *x, const struct kin *y, uint64_t *atomic)
{
	uint64_t writes_x = x->plain_writes + x->atomic_writes, writes_y = y->plain_writes + y->atomic_writes;
	uint64_t reads_x = x->plain_reads + x->atomic_reads, reads_y = y->plain_reads + y->atomic_reads;
	uint64_t ax = x->atomic_writes + x->atomic_reads, ay = y->atomic_writes + y->atomic_reads;
	*atomic = ax * ay - (uint64_t)x->atomic_reads * y->atomic_reads;
	if (x == y) {
		*atomic = (*atomic + x->atomic_writes) / 2;
		return writes_x * reads_x + writes_x * (writes_x + 1) / 2;
	}
	return writes_x * writes_y + writes_x * reads_y + reads_x * writes_y;
}

static void settle(struct races_search *search, uint32_t object, const struct races_entry *entries, const struct kin *x,
		   const struct kin *y)
{
	struct races_pruned *pruned = &search->races->pruned;
	uint64_t atomic, pairs = pairs_within(x, y, &atomic);
	if (!pairs)
		return;
	pruned->pairs += pairs;
	pruned->atomic += atomic;
	pairs -= atomic;
	if (!search->is_shared[object]) {
		pruned->unshared += pairs;
		return;
	}
	switch (verdict_of(search, x, y)) {
	case RACES_ORDERED:
		pruned->ordered += pairs;
		break;
	case RACES_LOCKED:
		pruned->locked += pairs;
		break;
	default:
		pruned->left += pairs;
		if (pairs)
			keep_members(search, object, entries, x, y);
	}
}

void races_pair_up(struct races_search *search, uint32_t object, struct races_entry *entries, uint32_t count)
{
	struct kin *kins;
	uint32_t made = make_kins(search, entries, count, &kins);
	/* Sorted by offset: those that begin behind the end of one do not overlap it, nor do any that follow. */
	for (uint32_t i = 0; i < made; i++)
		for (uint32_t k = i; k < made && kins[k].offset < kins[i].end; k++)
			settle(search, object, entries, &kins[i], &kins[k]);
	free(kins);
}
