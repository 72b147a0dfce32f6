/*
 * contacts.c: which footprints may touch the same bytes, and where. Of the places where two of them meet a few are kept: those
 * that differ in what decides (how far apart both begin, for locks that are known relative to the access) or in what counts for the
 * rank. Where there are too many, one of them stands for any distance: then such locks do not count.
 */
#include <stdlib.h>

#include "analysis/races/races_priv.h"
#include "base/mem.h"

enum { MAX_MEETINGS = 12 };

/* A footprint's range in the current object. */
struct touch {
	uint64_t offset, end;
	uint32_t footprint;
	bool is_anywhere;
};

static uint32_t hash_contact(uint32_t a, uint32_t b)
{
	uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(hash >> 24);
}

static void grow_table(struct races_search *search)
{
	uint32_t room = search->contact_table_room ? search->contact_table_room * 2 : 4096;
	free(search->contact_table);
	search->contact_table = mem_alloc((size_t)room * sizeof *search->contact_table);
	search->contact_table_room = room;
	for (uint32_t i = 0; i < search->contact_count; i++) {
		uint32_t at = hash_contact(search->contacts[i].a, search->contacts[i].b) & (room - 1);
		while (search->contact_table[at])
			at = (at + 1) & (room - 1);
		search->contact_table[at] = i + 1;
	}
}

/* Where it is in the table, or would be. */
static uint32_t slot_of(const struct races_search *search, uint32_t a, uint32_t b)
{
	uint32_t mask = search->contact_table_room - 1, at = hash_contact(a, b) & mask;
	for (; search->contact_table[at]; at = (at + 1) & mask) {
		const struct races_contact *row = &search->contacts[search->contact_table[at] - 1];
		if (row->a == a && row->b == b)
			break;
	}
	return at;
}

const struct races_contact *races_contact(const struct races_search *search, uint32_t a, uint32_t b)
{
	if (!search->contact_table_room)
		return NULL;
	uint32_t number = search->contact_table[slot_of(search, a < b ? a : b, a < b ? b : a)];
	return number ? &search->contacts[number - 1] : NULL;
}

static struct races_contact *contact_of(struct races_search *search, uint32_t a, uint32_t b)
{
	if ((search->contact_count + 1) * 2 > search->contact_table_room)
		grow_table(search);
	uint32_t slot = slot_of(search, a, b);
	if (!search->contact_table[slot]) {
		search->contacts = flow_grow(search->contacts, search->contact_count, &search->contact_room,
					     sizeof *search->contacts);
		search->contacts[search->contact_count] =
			(struct races_contact){ .a = a, .b = b, .first_meeting = WHOLE_NONE };
		search->contact_table[slot] = ++search->contact_count;
	}
	return &search->contacts[search->contact_table[slot] - 1];
}

/* What a meeting in an object is worth to the rank, apart from distances: the less the better. */
static unsigned worth(const struct races_search *search, uint32_t object)
{
	uint8_t kind = search->whole->object[object].kind;
	return kind == WHOLE_GLOBAL ? 0 : kind == WHOLE_OUTSIDE ? 3 : races_is_on_stack(search, object) ? 2 : 1;
}

/* The function that made the object, if it is the only one of its like. */
static uint32_t maker_of(const struct races_search *search, uint32_t object)
{
	return search->alike[object] == 1 ? search->whole->object[object].function : WHOLE_NONE;
}

static bool is_covered(const struct races_search *search, const struct races_meeting *known,
		       const struct races_meeting *other)
{
	if (known->delta != other->delta || known->is_anywhere != other->is_anywhere)
		return false;
	uint32_t maker = maker_of(search, known->object);
	return worth(search, known->object) <= worth(search, other->object) &&
	       (maker == WHOLE_NONE || maker == maker_of(search, other->object));
}

static void add_meeting(struct races_search *search, struct races_contact *contact, struct races_meeting meeting)
{
	uint32_t last = WHOLE_NONE;
	if (contact->count == MAX_MEETINGS)
		meeting.delta = RACES_NO_DELTA;
	for (uint32_t i = contact->first_meeting; i != WHOLE_NONE; i = search->meetings[i].next) {
		if (is_covered(search, &search->meetings[i], &meeting) ||
		    (contact->count >= MAX_MEETINGS && search->meetings[i].delta == RACES_NO_DELTA))
			return;
		last = i;
	}
	meeting.next = WHOLE_NONE;
	search->meetings =
		flow_grow(search->meetings, search->meeting_count, &search->meeting_room, sizeof *search->meetings);
	search->meetings[search->meeting_count] = meeting;
	*(last == WHOLE_NONE ? &contact->first_meeting : &search->meetings[last].next) = search->meeting_count++;
	contact->count++;
}

static void touch_both(struct races_search *search, uint32_t object, const struct touch *x, const struct touch *y)
{
	const struct touch *a = x->footprint <= y->footprint ? x : y, *b = a == x ? y : x;
	struct races_contact *contact = contact_of(search, a->footprint, b->footprint);
	if (!search->is_shared[object])
		return;
	struct races_meeting meeting = { .object = object,
					 .offset = a->offset > b->offset ? a->offset : b->offset,
					 .is_anywhere = a->is_anywhere || b->is_anywhere };
	meeting.delta = meeting.is_anywhere ? RACES_NO_DELTA : (int64_t)(a->offset - b->offset);
	add_meeting(search, contact, meeting);
	/* Of two accesses with one footprint each may be at either. */
	if (a->footprint == b->footprint && meeting.delta != RACES_NO_DELTA && meeting.delta) {
		meeting.delta = -meeting.delta;
		add_meeting(search, contact, meeting);
	}
}

static int by_offset(const void *left, const void *right)
{
	const struct touch *a = left, *b = right;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->footprint < b->footprint ? -1 : a->footprint > b->footprint;
}

static void meet_in(struct races_search *search, uint32_t object, struct touch *touches, uint32_t count)
{
	qsort(touches, count, sizeof *touches, by_offset);
	/* Those that begin after the end of one do not overlap it, nor do any that follow. */
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = i; k < count && touches[k].offset < touches[i].end; k++)
			touch_both(search, object, &touches[i], &touches[k]);
}

void races_find_contacts(struct races_search *search)
{
	uint32_t objects = search->whole->object_count;
	uint32_t *first = mem_alloc(((size_t)objects + 2) * sizeof *first);
	struct touch *touches = mem_alloc(((size_t)search->range_count + 1) * sizeof *touches);
	for (uint32_t i = 0; i < search->range_count; i++)
		first[search->ranges[i].object + 2]++;
	for (uint32_t i = 2; i < objects + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t f = 0; f < search->footprint_count; f++)
		for (uint32_t i = 0; i < search->footprints[f].count; i++) {
			const struct races_range *range = &search->ranges[search->footprints[f].first + i];
			touches[first[range->object + 1]++] = (struct touch){ .offset = range->offset,
									      .end = range->end,
									      .footprint = f,
									      .is_anywhere = range->is_anywhere };
		}
	/* A pair is reported with the first object that shows it: variables say most. */
	for (uint32_t kind = WHOLE_GLOBAL; kind <= WHOLE_OUTSIDE; kind++)
		for (uint32_t i = 0; i < objects; i++)
			if (search->whole->object[i].kind == kind && first[i + 1] > first[i])
				meet_in(search, i, touches + first[i], first[i + 1] - first[i]);
	free(first);
	free(touches);
}
