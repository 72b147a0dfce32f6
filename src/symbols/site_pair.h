/*
 * site_pair.h: two accesses that may race, as sites of woven programs. A side has several sites where a place of the
 * source is compiled into several functions, or has several accesses.
 */
#ifndef SYMBOLS_SITE_PAIR_H
#define SYMBOLS_SITE_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A site of one of several woven programs or libraries. */
struct site_ref {
	uint32_t program, id; /* its number in the caller's list; the number of the site */
};

/* Start with { 0 }. */
struct site_list {
	struct site_ref *items; /* ascending, each once */
	size_t count;
};

struct site_pair {
	struct site_list sides[2];
};

void site_list_add(struct site_list *list, struct site_ref site);
void site_list_clear(struct site_list *list);
void site_pair_release(struct site_pair *pair);

/* Whether they have the same sites, the sides in any order. */
bool site_pair_is_same(const struct site_pair *a, const struct site_pair *b);

#endif
