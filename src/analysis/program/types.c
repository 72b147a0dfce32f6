/* types.c: see types.h. As TypeBasedAAResult of LLVM does it, but for names that are not clear. */
#include "analysis/program/types.h"

#include <string.h>

/* Whether one scalar is the other, or what the other is a kind of. */
static bool is_kind_of(const struct whole *whole, uint32_t scalar, uint32_t ancestor)
{
	while (scalar != ancestor) {
		const struct whole_type *row = &whole->type[scalar];
		if (!row->member_count)
			return false;
		scalar = whole->member[row->first_member].type;
	}
	return true;
}

/* The member that is at the offset, which is then counted from its start; WHOLE_NONE when there is none. */
static uint32_t member_at(const struct whole *whole, uint32_t type, uint64_t *offset)
{
	const struct whole_type *row = &whole->type[type];
	const struct whole_member *members = whole->member + row->first_member;
	uint32_t found = row->member_count;
	while (found > 0 && members[found - 1].offset > *offset)
		found--;
	if (!found)
		return WHOLE_NONE;
	*offset -= members[found - 1].offset;
	return members[found - 1].type;
}

static bool is_unclear(const struct whole *whole, uint32_t type, uint32_t other)
{
	const struct whole_type *row = &whole->type[type];
	return row->is_ambiguous || (type != other && !*row->name && !*whole->type[other].name);
}

/* Whether the base of the second is on the way from that of the first to what it accesses, or may be. */
static bool may_be_inside(const struct whole *whole, const struct whole_tag *outer, const struct whole_tag *inner)
{
	if (outer->base == outer->scalar && is_kind_of(whole, inner->scalar, outer->scalar))
		return true;
	uint32_t type = outer->base;
	uint64_t offset = outer->offset;
	for (;;) {
		if (is_unclear(whole, type, inner->base))
			return true;
		if (type == inner->base)
			return offset == inner->offset || type == outer->scalar || inner->base == inner->scalar;
		if (!whole->type[type].member_count)
			return false;
		type = member_at(whole, type, &offset);
		/* In front of all members: of what clang leaves out, such as the pointer to virtual functions. */
		if (type == WHOLE_NONE)
			return true;
	}
}

bool types_is_any(const struct whole *whole, uint32_t tag)
{
	if (tag == WHOLE_NONE)
		return true;
	const struct whole_tag *row = &whole->tag[tag];
	return row->base == row->scalar && strcmp(whole->type[row->base].name, "omnipotent char") == 0;
}

bool types_may_alias(const struct whole *whole, uint32_t a, uint32_t b)
{
	if (a == b || a == WHOLE_NONE || b == WHOLE_NONE)
		return true;
	const struct whole_tag *x = &whole->tag[a], *y = &whole->tag[b];
	if (whole->type[x->scalar].root != whole->type[y->scalar].root)
		return true;
	return may_be_inside(whole, x, y) || may_be_inside(whole, y, x);
}
