/*
 * unfold.c: the pairs that are reported: all of them where there are not too many, else the best of each group. The
 * best groups come first.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/races/races_priv.h"
#include "base/mem.h"

/* In all, and of one group when there are more. */
enum { MAX_PAIRS = 1 << 18, MAX_OF_GROUP = 1000 };

struct races_pair races_make_pair(struct races_search *search, const struct races_product *product, uint32_t access_a,
				  uint32_t access_b)
{
	const struct races_class *a = &search->classes[product->a], *b = &search->classes[product->b];
	const struct races_meeting *meeting = &search->meetings[product->meeting];
	struct races_relation relation = races_relate(search, a->manner, b->manner, meeting->delta);
	const struct flow_visit *visit_a = NULL, *visit_b = NULL;
	unsigned remote = races_find_ways(search, access_a, access_b, meeting->delta,
					  relation.left & -(unsigned)relation.left, &visit_a, &visit_b);
	struct races_side first = { access_a, visit_a->root, visit_a->locks },
			  second = { access_b, visit_b->root, visit_b->locks };
	/* The one that writes first; of two alike the one that is first in the program. */
	bool is_write_a = a->kind & RACES_WRITES, is_write_b = b->kind & RACES_WRITES;
	bool is_swapped = is_write_a != is_write_b ? is_write_b : access_b < access_a;
	return (struct races_pair){ .a = is_swapped ? second : first,
				    .b = is_swapped ? first : second,
				    .object = meeting->object,
				    .offset = meeting->offset,
				    .doubts = product->doubts,
				    .score = search->scores[product->doubts],
				    .remote = (uint16_t)remote,
				    .group = product->group };
}

bool races_pair(const struct races *races, uint32_t access_a, uint32_t access_b, struct races_pair *pair)
{
	struct races_search *search = races->search;
	uint32_t class_a = search->class_of[access_a], class_b = search->class_of[access_b];
	if (class_a == WHOLE_NONE || class_b == WHOLE_NONE)
		return false;
	/* Classes are sorted by footprint. */
	if (class_a > class_b) {
		uint32_t class = class_a, access = access_a;
		class_a = class_b;
		class_b = class;
		access_a = access_b;
		access_b = access;
	}
	const struct races_class *a = &search->classes[class_a], *b = &search->classes[class_b];
	const struct races_contact *contact = races_contact(search, a->footprint, b->footprint);
	struct races_product product;
	if (!contact || !((a->kind | b->kind) & RACES_WRITES) || (a->kind & b->kind & RACES_ATOMIC) ||
	    races_judge(search, contact, class_a, class_b, &product) != RACES_LEFT)
		return false;
	product.doubts = races_doubts_of(
		races_kinship(search, races_part(search, access_a), races_part(search, access_b)), product.doubts);
	*pair = races_make_pair(search, &product, access_a, access_b);
	return true;
}

static int by_score(const void *left, const void *right)
{
	const struct races_pair *a = left, *b = right;
	if ((a->doubts ^ b->doubts) & RACES_TYPES)
		return a->doubts & RACES_TYPES ? 1 : -1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->remote != b->remote)
		return a->remote < b->remote ? -1 : 1;
	if (a->a.access != b->a.access)
		return a->a.access < b->a.access ? -1 : 1;
	return a->b.access < b->b.access ? -1 : a->b.access > b->b.access;
}

/* ---- the order of groups ---- */

static const struct races *ordered;

/* That of the best pair, once it is there. */
static unsigned remote_of(const struct races_group *group)
{
	return ordered->pair_count && group->pair_count ? ordered->pairs[group->first_pair].remote : UINT16_MAX;
}

static int by_rank(const void *left, const void *right)
{
	const struct races_group *a = &ordered->groups[*(const uint32_t *)left],
				 *b = &ordered->groups[*(const uint32_t *)right];
	if (a->has_agreeing != b->has_agreeing)
		return a->has_agreeing ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (remote_of(a) != remote_of(b))
		return remote_of(a) < remote_of(b) ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The groups from the best on. Caller frees. */
static uint32_t *sort_groups(const struct races *races)
{
	uint32_t *order = mem_alloc(((size_t)races->group_count + 1) * sizeof *order);
	for (uint32_t i = 0; i < races->group_count; i++)
		order[i] = i;
	ordered = races;
	qsort(order, races->group_count, sizeof *order, by_rank);
	return order;
}

static void order_groups(struct races_search *search)
{
	struct races *races = search->races;
	uint32_t *order = sort_groups(races);
	struct races_group *groups = mem_alloc(((size_t)races->group_count + 1) * sizeof *groups);
	for (uint32_t i = 0; i < races->group_count; i++) {
		groups[i] = races->groups[order[i]];
		/* Until it has pairs: where its products are. */
		groups[i].first_pair = order[i];
	}
	free(order);
	free(races->groups);
	races->groups = groups;
}

/* Again, when their pairs are known; those go with them. */
static void order_pairs(struct races *races)
{
	uint32_t *order = sort_groups(races), count = 0;
	struct races_group *groups = mem_alloc(((size_t)races->group_count + 1) * sizeof *groups);
	struct races_pair *pairs = mem_alloc(((size_t)races->pair_count + 1) * sizeof *pairs);
	for (uint32_t i = 0; i < races->group_count; i++) {
		groups[i] = races->groups[order[i]];
		for (uint32_t k = 0; k < groups[i].pair_count; k++) {
			pairs[count + k] = races->pairs[groups[i].first_pair + k];
			pairs[count + k].group = i;
		}
		groups[i].first_pair = count;
		count += groups[i].pair_count;
	}
	free(order);
	free(races->groups);
	free(races->pairs);
	races->groups = groups;
	races->pairs = pairs;
}

/* ---- pairs ---- */

struct unfolding {
	struct races_search *search;
	uint32_t room;
	uint64_t limit; /* of a group */
};

static void add_pair(struct unfolding *self, const struct races_product *product, uint32_t a, uint32_t b,
		     uint32_t group)
{
	struct races *races = self->search->races;
	races->pairs = flow_grow(races->pairs, races->pair_count, &self->room, sizeof *races->pairs);
	races->pairs[races->pair_count] = races_make_pair(self->search, product, a, b);
	races->pairs[races->pair_count++].group = group;
}

static void unfold_parts(struct unfolding *self, const struct races_product *product, const struct races_part *a,
			 const struct races_part *b, uint32_t group, uint64_t *count)
{
	const uint32_t *members = self->search->members;
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = a == b ? i : 0; k < b->count && *count < self->limit; k++, ++*count)
			add_pair(self, product, members[a->first + i], members[b->first + k], group);
}

static void unfold_product(struct unfolding *self, const struct races_product *product, uint32_t group, uint64_t *count)
{
	const struct races_search *search = self->search;
	const struct races_class *a = &search->classes[product->a], *b = &search->classes[product->b];
	const struct races_part *parts = search->parts;
	uint16_t doubts = product->doubts & (uint16_t)~RACES_BY_TYPES;
	for (uint32_t i = a->first_part; i < a->first_part + a->part_count; i++)
		for (uint32_t k = a == b ? i : b->first_part; k < b->first_part + b->part_count; k++)
			if (races_doubts_of(races_kinship(search, &parts[i], &parts[k]), doubts) == product->doubts)
				unfold_parts(self, product, &parts[i], &parts[k], group, count);
}

static void unfold_group(struct unfolding *self, uint32_t number, uint32_t first, uint32_t last)
{
	struct races *races = self->search->races;
	struct races_group *group = &races->groups[number];
	uint64_t count = 0;
	group->first_pair = races->pair_count;
	for (uint32_t i = first; i < last && count < self->limit; i++)
		unfold_product(self, &self->search->products[i], number, &count);
	group->pair_count = races->pair_count - group->first_pair;
	if (!group->pair_count)
		return;
	qsort(races->pairs + group->first_pair, group->pair_count, sizeof *races->pairs, by_score);
	const struct races_pair *best = &races->pairs[group->first_pair];
	const struct whole_access *rows = self->search->whole->access;
	group->variable = rows[best->a.access].variable ? rows[best->a.access].variable : rows[best->b.access].variable;
}

void races_unfold(struct races_search *search)
{
	struct races *races = search->races;
	struct unfolding self = { .search = search, .limit = UINT64_MAX };
	/* Products are sorted by group, as those were numbered first. */
	uint32_t *first = mem_alloc(((size_t)races->group_count + 2) * sizeof *first);
	for (uint32_t i = 0; i < search->product_count; i++)
		first[search->products[i].group + 1]++;
	for (uint32_t i = 1; i < races->group_count + 1; i++)
		first[i] += first[i - 1];
	order_groups(search);
	races->is_cut |= races->candidate_count > MAX_PAIRS;
	for (uint32_t i = 0; i < races->group_count; i++) {
		uint32_t before = races->groups[i].first_pair;
		uint64_t left = MAX_PAIRS - races->pair_count;
		if (races->is_cut)
			self.limit = left < MAX_OF_GROUP ? left : MAX_OF_GROUP;
		unfold_group(&self, i, first[before], first[before + 1]);
	}
	order_pairs(races);
	free(first);
}
