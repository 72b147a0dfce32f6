/*
 * ways.c: the ways in which accesses are made (a root, the locks held, the roots that may be alive), and how they
 * relate. Most accesses share a few ways, and most of them a few sets of ways, so that each question is asked once.
 */
#include <limits.h>
#include <stdlib.h>

#include "analysis/races/races_priv.h"
#include "base/mem.h"

/* For more of them than that answers are not remembered. */
enum { MAX_WAYS = 1 << 14, MAX_MANNERS = 1 << 13 };
/* Of two ways: the verdict, and whether both hold a lock of one kind. */
enum { SAME_LOCK_CLASS = 4 };

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
	uint32_t key[3] = { visit->root, visit->locks, visit->together };
	uint32_t number = flow_interned_add(&search->way_rows, key, 3);
	if (number < search->way_count)
		return number;
	search->ways = mem_resize(search->ways, ((size_t)number + 1) * sizeof *search->ways);
	search->ways[search->way_count++] =
		(struct races_way){ .visit = *visit, .has_relative = has_relative(search, visit->locks) };
	return number;
}

static uint32_t only_root(const struct races_search *search, const struct races_manner *manner)
{
	const uint32_t *rows = search->manner_rows.words + manner->first;
	uint32_t root = manner->count ? search->ways[rows[0]].visit.root : WHOLE_NONE;
	for (uint32_t i = 1; i < manner->count; i++)
		if (search->ways[rows[i]].visit.root != root)
			return WHOLE_NONE;
	return root == WHOLE_NONE || flow_root(search->flow, root)->is_many ? WHOLE_NONE : root;
}

void races_prepare(struct races_search *search)
{
	for (uint32_t i = 0; i < search->manner_count; i++)
		search->manners[i].only_root = only_root(search, &search->manners[i]);
	size_t ways = search->way_count, manners = search->manner_count;
	if (ways <= MAX_WAYS)
		search->way_verdicts = mem_alloc(ways * ways + 1);
	if (manners <= MAX_MANNERS)
		search->relations = mem_alloc((manners * manners + 1) * sizeof *search->relations);
}

/* Where both accesses meet, a lock that is known relative to one of them is at a place of the object that is counted from
 * where that access is. Only the difference of the two matters. */
static bool find_common(const struct races_search *search, const struct flow_visit *a, const struct flow_visit *b,
			int64_t delta, const struct flow_lock *common[2])
{
	uint64_t offset_a = delta == RACES_NO_DELTA ? POINTS_ANYWHERE : delta > 0 ? (uint64_t)delta : 0;
	uint64_t offset_b = delta == RACES_NO_DELTA ? POINTS_ANYWHERE : delta < 0 ? (uint64_t)-delta : 0;
	return races_common_lock(flow_locks(search->flow, a->locks), offset_a, flow_locks(search->flow, b->locks),
				 offset_b, common);
}

static uint8_t compare(const struct races_search *search, const struct flow_visit *a, const struct flow_visit *b,
		       int64_t delta)
{
	if (!flow_may_overlap(search->flow, a, b))
		return RACES_ORDERED;
	if (find_common(search, a, b, delta, NULL))
		return RACES_LOCKED;
	bool is_same_class =
		races_is_same_lock_class(flow_locks(search->flow, a->locks), flow_locks(search->flow, b->locks));
	return RACES_LEFT | (is_same_class ? SAME_LOCK_CLASS : 0);
}

static uint8_t compare_ways(struct races_search *search, uint32_t a, uint32_t b, int64_t delta)
{
	const struct races_way *x = &search->ways[a], *y = &search->ways[b];
	if (!search->way_verdicts || (x->has_relative && y->has_relative))
		return compare(search, &x->visit, &y->visit, delta);
	uint8_t *known = &search->way_verdicts[(size_t)a * search->way_count + b];
	if (*known == RACES_UNKNOWN)
		*known = compare(search, &x->visit, &y->visit, delta);
	return *known;
}

static unsigned left_bit(const struct races_search *search, uint8_t verdict, uint32_t a, uint32_t b)
{
	uint32_t root_a = search->ways[a].visit.root, root_b = search->ways[b].visit.root;
	bool is_foreign = flow_root(search->flow, root_a)->kind == FLOW_FOREIGN ||
			  flow_root(search->flow, root_b)->kind == FLOW_FOREIGN;
	return 1u << (4 * is_foreign + 2 * !!(verdict & SAME_LOCK_CLASS) + (root_a == root_b));
}

static struct races_relation relate(struct races_search *search, const struct races_manner *a,
				    const struct races_manner *b, int64_t delta)
{
	struct races_relation relation = { RACES_ORDERED, 0 };
	for (uint32_t i = 0; i < a->count && !(relation.left & 1); i++)
		for (uint32_t k = 0; k < b->count; k++) {
			const uint32_t *rows_a = search->manner_rows.words + a->first,
				       *rows_b = search->manner_rows.words + b->first;
			uint8_t verdict = compare_ways(search, rows_a[i], rows_b[k], delta), word = verdict & 3;
			if (word > relation.verdict)
				relation.verdict = word;
			if (word == RACES_LEFT)
				relation.left |= (uint8_t)left_bit(search, verdict, rows_a[i], rows_b[k]);
		}
	return relation;
}

struct races_relation races_relate(struct races_search *search, uint32_t manner_a, uint32_t manner_b, int64_t delta)
{
	const struct races_manner *a = &search->manners[manner_a], *b = &search->manners[manner_b];
	if (!search->relations || (a->has_relative && b->has_relative))
		return relate(search, a, b, delta);
	struct races_relation *known = &search->relations[(size_t)manner_a * search->manner_count + manner_b];
	if (known->verdict == RACES_UNKNOWN)
		*known = relate(search, a, b, delta);
	return *known;
}

void races_each_guard(struct races_search *search, uint32_t manner_a, uint32_t manner_b, int64_t delta,
		      races_on_guard *each, void *context)
{
	const struct races_manner *a = &search->manners[manner_a], *b = &search->manners[manner_b];
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < b->count; k++) {
			uint32_t way_a = search->manner_rows.words[a->first + i],
				 way_b = search->manner_rows.words[b->first + k];
			const struct flow_lock *common[2];
			if ((compare_ways(search, way_a, way_b, delta) & 3) == RACES_LOCKED &&
			    find_common(search, &search->ways[way_a].visit, &search->ways[way_b].visit, delta,
					common) &&
			    !each(context, common))
				return;
		}
}

static unsigned remote_of(struct races_search *search, uint32_t way, uint32_t access)
{
	return races_remote(search, search->ways[way].visit.root,
			    search->whole->instruction[search->whole->access[access].instruction].function);
}

unsigned races_find_ways(struct races_search *search, uint32_t access_a, uint32_t access_b, int64_t delta, unsigned bit,
			 const struct flow_visit **a, const struct flow_visit **b)
{
	const struct races_manner *x = &search->manners[search->classes[search->class_of[access_a]].manner],
				  *y = &search->manners[search->classes[search->class_of[access_b]].manner];
	unsigned best = UINT_MAX;
	for (uint32_t i = 0; i < x->count && best; i++) {
		uint32_t way_a = search->manner_rows.words[x->first + i];
		unsigned remote_a = remote_of(search, way_a, access_a);
		for (uint32_t k = 0; k < y->count && remote_a < best; k++) {
			uint32_t way_b = search->manner_rows.words[y->first + k];
			uint8_t verdict = compare_ways(search, way_a, way_b, delta);
			if ((verdict & 3) != RACES_LEFT || left_bit(search, verdict, way_a, way_b) != bit)
				continue;
			unsigned remote = remote_a + remote_of(search, way_b, access_b);
			if (remote >= best)
				continue;
			best = remote;
			*a = &search->ways[way_a].visit;
			*b = &search->ways[way_b].visit;
		}
	}
	return best;
}
