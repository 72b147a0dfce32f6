/*
 * races_types.c: which pairs of two classes have types that agree (types.h). Types are no part of what makes a class: in a large program that would be
 * three times as many, and ten times as many products. Each class has its members in parts, of one type each, and what two classes are is
 * found once; how many of their pairs agree is a sum over parts.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/races_priv.h"
#include "analysis/types.h"
#include "base/mem.h"

/* For more of them answers are not remembered. */
enum { MOST_TAGS = 1 << 14 };

static bool is_remembered(const struct races_search *search, size_t bit)
{
	return search->agreements[bit / 64] >> bit % 64 & 1;
}

bool races_types_agree(const struct races_search *search, uint32_t tag_a, uint32_t tag_b)
{
	if (tag_a == tag_b || tag_a == WHOLE_NONE || tag_b == WHOLE_NONE)
		return true;
	return search->agreements ? is_remembered(search, (size_t)tag_a * search->whole->tag_count + tag_b)
				  : types_may_alias(search->whole, tag_a, tag_b);
}

static void compare_tags(struct races_search *search)
{
	size_t count = search->whole->tag_count;
	if (count > MOST_TAGS)
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
	uint32_t *part_of; /* by tag, the last for none: 1 + its part, if that is of the class at hand */
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
		search->parts[search->part_count] = (struct races_part){ .tag = tag };
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

uint64_t races_count_agreeing(const struct races_search *search, const struct races_class *a,
			      const struct races_class *b)
{
	const struct races_part *parts_a = search->parts + a->first_part, *parts_b = search->parts + b->first_part;
	uint64_t count = 0;
	for (uint32_t i = 0; i < a->part_count; i++)
		for (uint32_t k = a == b ? i : 0; k < b->part_count; k++) {
			uint64_t left = parts_a[i].count, right = parts_b[k].count;
			if (a == b && i == k)
				count += left * (left + 1) / 2;
			else if (races_types_agree(search, parts_a[i].tag, parts_b[k].tag))
				count += left * right;
		}
	return count;
}
