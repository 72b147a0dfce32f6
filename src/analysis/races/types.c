/*
 * types.c: which pairs of two classes have types that agree (types.h). Types are no part of what makes a class: in a
 * large program that would be three times as many, and ten times as many products. Each class has its members in parts, of one
 * type each, and what two classes are is found once; how many of their pairs agree is a sum over parts.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/program/types.h"
#include "analysis/races/races_priv.h"
#include "base/mem.h"

/* For more of them answers are not remembered. */
enum { MAX_TAGS = 1 << 14 };

static bool is_remembered(const struct races_search *search, size_t bit)
{
	return search->agreements[bit / 64] >> bit % 64 & 1;
}

enum races_kinship races_kinship(const struct races_search *search, const struct races_part *a,
				 const struct races_part *b)
{
	if (a->is_any || b->is_any)
		return a->is_any && b->is_any ? RACES_ALIKE : RACES_MIXED;
	bool is_one = search->agreements ? is_remembered(search, (size_t)a->tag * search->whole->tag_count + b->tag)
					 : types_may_alias(search->whole, a->tag, b->tag);
	return is_one ? RACES_ALIKE : RACES_APART;
}

/* Where it is known which bytes both access, it does not matter that only one has a type. */
uint16_t races_doubts_of(enum races_kinship kinship, uint16_t doubts)
{
	if (kinship == RACES_APART)
		return doubts | RACES_TYPES;
	return kinship == RACES_MIXED && doubts & (RACES_ANYWHERE | RACES_OUTSIDE) ? doubts | RACES_ONE_TYPE : doubts;
}

static void compare_tags(struct races_search *search)
{
	size_t count = search->whole->tag_count;
	if (count > MAX_TAGS)
		return;
	search->agreements = mem_alloc((count * count / 64 + 1) * sizeof *search->agreements);
	for (size_t a = 0; a < count; a++)
		for (size_t b = a; b < count; b++) {
			size_t bit = a * count + b, turned = b * count + a;
			if (!types_may_alias(search->whole, (uint32_t)a, (uint32_t)b))
				continue;
			search->agreements[bit / 64] |= UINT64_C(1) << bit % 64;
			search->agreements[turned / 64] |= UINT64_C(1) << turned % 64;
		}
}

/* ---- parts ---- */

struct splitting {
	struct races_search *search;
	uint32_t *part_of; /* by tag, the last for none: 1 + its part, if that is of the current class */
	uint32_t *members;
	uint32_t room;
};

static uint32_t part_of(struct splitting *self, const struct races_class *class, uint32_t access)
{
	struct races_search *search = self->search;
	uint32_t tag = search->whole->access[access].tag;
	uint32_t *known = &self->part_of[tag == WHOLE_NONE ? search->whole->tag_count : tag];
	if (*known <= class->first_part) {
		search->parts = flow_grow(search->parts, search->part_count, &self->room, sizeof *search->parts);
		search->parts[search->part_count] =
			(struct races_part){ .tag = tag, .is_any = types_is_any(search->whole, tag) };
		*known = ++search->part_count;
	}
	return *known - 1;
}

/* The part that has the first member comes first, and in each part they are in the order of the program. */
static void split(struct splitting *self, struct races_class *class)
{
	struct races_search *search = self->search;
	uint32_t *members = search->members + class->first, at = class->first;
	class->first_part = search->part_count;
	for (uint32_t i = 0; i < class->count; i++) {
		uint32_t part = part_of(self, class, members[i]);
		search->parts[part].count++;
	}
	class->part_count = search->part_count - class->first_part;
	for (uint32_t i = class->first_part; i < search->part_count; i++) {
		search->parts[i].first = at;
		at += search->parts[i].count;
		search->parts[i].count = 0;
	}
	for (uint32_t i = 0; i < class->count; i++) {
		struct races_part *part = &search->parts[part_of(self, class, members[i])];
		self->members[part->first + part->count++] = members[i];
	}
	memcpy(members, self->members + class->first, class->count * sizeof *members);
}

void races_split(struct races_search *search)
{
	struct splitting self = { .search = search };
	self.part_of = mem_alloc(((size_t)search->whole->tag_count + 1) * sizeof *self.part_of);
	self.members = mem_alloc(((size_t)search->whole->access_count + 1) * sizeof *self.members);
	for (uint32_t i = 0; i < search->class_count; i++)
		split(&self, &search->classes[i]);
	compare_tags(search);
	free(self.part_of);
	free(self.members);
}

const struct races_part *races_part(const struct races_search *search, uint32_t access)
{
	const struct races_class *class = &search->classes[search->class_of[access]];
	const struct races_part *part = search->parts + class->first_part;
	while (part->tag != search->whole->access[access].tag)
		part++;
	return part;
}

void races_count_kinships(const struct races_search *search, const struct races_class *a, const struct races_class *b,
			  uint64_t counts[RACES_KINSHIPS])
{
	const struct races_part *parts_a = search->parts + a->first_part, *parts_b = search->parts + b->first_part;
	memset(counts, 0, RACES_KINSHIPS * sizeof *counts);
	for (uint32_t i = 0; i < a->part_count; i++)
		for (uint32_t k = a == b ? i : 0; k < b->part_count; k++) {
			uint64_t left = parts_a[i].count, right = parts_b[k].count;
			counts[races_kinship(search, &parts_a[i], &parts_b[k])] +=
				a == b && i == k ? left * (left + 1) / 2 : left * right;
		}
}
