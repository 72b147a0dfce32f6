/* site_pair.c: see site_pair.h. */
#include "symbols/site_pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int compare(struct site_ref a, struct site_ref b)
{
	if (a.program != b.program)
		return a.program < b.program ? -1 : 1;
	return a.id < b.id ? -1 : a.id > b.id;
}

void site_list_add(struct site_list *list, struct site_ref site)
{
	size_t at = list->count;
	while (at > 0 && compare(list->items[at - 1], site) > 0)
		at--;
	if (at > 0 && compare(list->items[at - 1], site) == 0)
		return;
	list->items = mem_resize(list->items, (list->count + 1) * sizeof *list->items);
	memmove(list->items + at + 1, list->items + at, (list->count - at) * sizeof *list->items);
	list->items[at] = site;
	list->count++;
}

void site_list_clear(struct site_list *list)
{
	free(list->items);
	*list = (struct site_list){ 0 };
}

void site_pair_release(struct site_pair *pair)
{
	site_list_clear(&pair->sides[0]);
	site_list_clear(&pair->sides[1]);
}

static bool is_same(const struct site_list *a, const struct site_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (compare(a->items[i], b->items[i]) != 0)
			return false;
	return true;
}

bool site_pair_is_same(const struct site_pair *a, const struct site_pair *b)
{
	return (is_same(&a->sides[0], &b->sides[0]) && is_same(&a->sides[1], &b->sides[1])) ||
	       (is_same(&a->sides[0], &b->sides[1]) && is_same(&a->sides[1], &b->sides[0]));
}
