/*
 * products.c: two classes whose footprints are in contact are settled at once: all pairs of their members are ruled
 * out by the same reason, or left. So pairs are counted, not listed, and there is no bound on how many there may be. Of what is left,
 * the products that are best in their group are kept, all of them unless there are very many.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/races/races_priv.h"
#include "base/mem.h"

enum { MAX_PRODUCTS = 1 << 22, FEW_OF_GROUP = 64 };

enum races_verdict races_judge(struct races_search *search, const struct races_contact *contact, uint32_t class_a,
			       uint32_t class_b, struct races_product *product)
{
	/* The classes in the order of their footprints, as the contact has them. */
	const struct races_class *a = &search->classes[class_a], *b = &search->classes[class_b];
	enum races_verdict verdict = RACES_UNKNOWN;
	double best = -1;
	for (uint32_t i = contact->first_meeting; i != WHOLE_NONE; i = search->meetings[i].next) {
		const struct races_meeting *meeting = &search->meetings[i];
		struct races_relation relation = races_relate(search, a->manner, b->manner, meeting->delta);
		if (relation.verdict > verdict)
			verdict = relation.verdict;
		if (relation.verdict != RACES_LEFT)
			continue;
		uint16_t doubts = races_doubts(search, a, b, meeting, relation.left & -(unsigned)relation.left);
		if (search->scores[doubts] <= best)
			continue;
		best = search->scores[doubts];
		*product = (struct races_product){ .a = class_a, .b = class_b, .meeting = i, .doubts = doubts };
	}
	return verdict;
}

/* ---- groups ---- */

static uint32_t group_of(struct races_search *search, const struct races_meeting *meeting)
{
	struct races *races = search->races;
	uint32_t key[3] = { meeting->object, (uint32_t)meeting->offset, (uint32_t)(meeting->offset >> 32) };
	uint32_t number = flow_interned_add(&search->group_rows, key, 3);
	if (number < races->group_count)
		return number;
	races->groups = flow_grow(races->groups, number, &search->group_room, sizeof *races->groups);
	races->groups[races->group_count++] = (struct races_group){ .object = meeting->object,
								    .offset = meeting->offset,
								    .alike = search->alike[meeting->object] };
	return number;
}

static const struct races_search *sorting;

/* The best of a group first; of equals the first in the program. */
static int by_group(const void *left, const void *right)
{
	const struct races_product *a = left, *b = right;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (races_is_better(sorting, a->doubts, b->doubts))
		return -1;
	if (races_is_better(sorting, b->doubts, a->doubts))
		return 1;
	uint32_t first_a = sorting->members[sorting->classes[a->a].first],
		 first_b = sorting->members[sorting->classes[b->a].first];
	if (first_a != first_b)
		return first_a < first_b ? -1 : 1;
	first_a = sorting->members[sorting->classes[a->b].first];
	first_b = sorting->members[sorting->classes[b->b].first];
	return first_a < first_b ? -1 : first_a > first_b;
}

static void sort_products(struct races_search *search)
{
	sorting = search;
	if (search->product_count)
		qsort(search->products, search->product_count, sizeof *search->products, by_group);
}

/* Keeps the best of each group. */
static void thin_out(struct races_search *search)
{
	uint32_t count = 0, of_group = 0;
	search->max_group = search->max_group ? (search->max_group + 1) / 2 : FEW_OF_GROUP;
	search->races->is_cut = true;
	sort_products(search);
	for (uint32_t i = 0; i < search->product_count; i++) {
		const struct races_product *product = &search->products[i];
		of_group = i && product->group == product[-1].group ? of_group + 1 : 0;
		if (of_group < search->max_group)
			search->products[count++] = *product;
	}
	search->product_count = count;
	/* Where there are very many groups that does not help. */
	if (count > search->max_products / 2)
		search->max_products = count * 2;
}

static void keep(struct races_search *search, struct races_product product, uint64_t pairs)
{
	product.group = group_of(search, &search->meetings[product.meeting]);
	struct races_group *group = &search->races->groups[product.group];
	double score = search->scores[product.doubts];
	group->tally[races_percent(score)] += pairs;
	if (product.doubts & RACES_TYPES)
		group->types_tally[races_percent(score)] += pairs;
	else
		group->has_agreeing = true;
	group->candidate_count += pairs;
	if (score > group->score)
		group->score = score;
	search->races->candidate_count += pairs;
	if (search->product_count >= search->max_products)
		thin_out(search);
	search->products =
		flow_grow(search->products, search->product_count, &search->product_room, sizeof *search->products);
	search->products[search->product_count++] = product;
}

/* ---- all of them ---- */

static void mark(const struct races_search *search, const struct races_class *class, uint8_t *marks)
{
	for (uint32_t i = 0; i < class->count; i++)
		marks[search->members[class->first + i]] = 1;
}

static void mark_met(const struct races_search *search, const struct races_class *a, const struct races_class *b)
{
	uint32_t root = search->manners[a->manner].only_root;
	if (root != WHOLE_NONE && root == search->manners[b->manner].only_root)
		return;
	mark(search, a, search->races->is_met);
	mark(search, b, search->races->is_met);
}

/* Pairs that are doubted for their types are a product of their own. */
static void keep_all(struct races_search *search, struct races_product product)
{
	struct races_pruned *pruned = &search->races->pruned;
	uint16_t doubts = product.doubts;
	uint64_t counts[RACES_KINSHIPS];
	races_count_kinships(search, &search->classes[product.a], &search->classes[product.b], counts);
	pruned->alike += counts[RACES_ALIKE];
	pruned->agreeing += counts[RACES_ALIKE] + counts[RACES_MIXED];
	/* Two that cause no doubt are one. */
	if (races_doubts_of(RACES_MIXED, doubts) == doubts) {
		counts[RACES_ALIKE] += counts[RACES_MIXED];
		counts[RACES_MIXED] = 0;
	}
	for (unsigned kinship = 0; kinship < RACES_KINSHIPS; kinship++) {
		product.doubts = races_doubts_of(kinship, doubts);
		if (counts[kinship])
			keep(search, product, counts[kinship]);
	}
}

static void multiply(struct races_search *search, const struct races_contact *contact, uint32_t class_a,
		     uint32_t class_b)
{
	const struct races_class *a = &search->classes[class_a], *b = &search->classes[class_b];
	struct races_pruned *pruned = &search->races->pruned;
	struct races_product product;
	if (!((a->kind | b->kind) & RACES_WRITES))
		return;
	uint64_t pairs = class_a == class_b ? (uint64_t)a->count * (a->count + 1) / 2 : (uint64_t)a->count * b->count;
	pruned->pairs += pairs;
	if (a->kind & b->kind & RACES_ATOMIC) {
		pruned->atomic += pairs;
		return;
	}
	switch (races_judge(search, contact, class_a, class_b, &product)) {
	case RACES_UNKNOWN:
		pruned->unshared += pairs;
		break;
	case RACES_ORDERED:
		pruned->ordered += pairs;
		mark_met(search, a, b);
		break;
	case RACES_LOCKED:
		pruned->locked += pairs;
		mark_met(search, a, b);
		break;
	case RACES_LEFT:
		pruned->left += pairs;
		mark_met(search, a, b);
		mark(search, a, search->races->is_instrumented);
		mark(search, b, search->races->is_instrumented);
		keep_all(search, product);
	}
}

void races_multiply(struct races_search *search)
{
	search->max_products = MAX_PRODUCTS;
	for (uint32_t i = 0; i < search->contact_count; i++) {
		const struct races_contact *contact = &search->contacts[i];
		const struct races_footprint *x = &search->footprints[contact->a], *y = &search->footprints[contact->b];
		for (uint32_t a = 0; a < x->class_count; a++)
			for (uint32_t b = x == y ? a : 0; b < y->class_count; b++)
				multiply(search, contact, x->first_class + a, y->first_class + b);
	}
	sort_products(search);
}
