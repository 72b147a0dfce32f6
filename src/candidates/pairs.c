/* pairs.c: candidates as pairs of sites, for schedules that look for them: see candidates.h. */
#include <stdlib.h>

#include "candidates/candidates.h"

/* By score; candidates of the same score stay in the order of the groups. */
static int compare(const void *a, const void *b)
{
	const struct static_pair *const *x = a, *const *y = b;
	if ((*x)->score != (*y)->score)
		return (*x)->score > (*y)->score ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* False when an access has no site: it is a free, or not in the tables. */
static bool make(const struct analysis *self, const struct static_pair *pair, struct site_pair *sites)
{
	*sites = (struct site_pair){ 0 };
	for (size_t side = 0; side < 2; side++) {
		uint32_t row = pair->sides[side].site;
		if (row >= json_count(self->sites) || self->found[row].id == WOVEN_NONE) {
			site_pair_release(sites);
			return false;
		}
		site_list_add(&sites->sides[side],
			      (struct site_ref){ (uint32_t)self->found[row].program, self->found[row].id });
	}
	return true;
}

static bool is_known(const struct static_sites *list, const struct site_pair *pair)
{
	for (size_t i = 0; i < list->count; i++)
		if (site_pair_is_same(&list->items[i].pair, pair))
			return true;
	return false;
}

void static_pairs(const struct analysis *self, const struct static_options *options, size_t limit,
		  struct static_sites *list)
{
	const struct static_pair **order = mem_alloc((self->pair_count + 1) * sizeof *order);
	size_t count = 0;
	*list = (struct static_sites){ 0 };
	for (size_t i = 0; i < self->pair_count; i++)
		if (static_is_wanted(&self->pairs[i], options))
			order[count++] = &self->pairs[i];
	if (count)
		qsort(order, count, sizeof *order, compare);
	for (size_t i = 0; i < count && list->count < limit; i++) {
		struct site_pair pair;
		if (!make(self, order[i], &pair)) {
			list->without_sites++;
		} else if (is_known(list, &pair)) {
			site_pair_release(&pair);
		} else {
			list->items = mem_resize(list->items, (list->count + 1) * sizeof *list->items);
			list->items[list->count++] = (struct static_sites_item){ pair, order[i] };
		}
	}
	free(order);
}

void static_pairs_release(struct static_sites *list)
{
	for (size_t i = 0; i < list->count; i++)
		site_pair_release(&list->items[i].pair);
	free(list->items);
	*list = (struct static_sites){ 0 };
}
