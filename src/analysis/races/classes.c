/*
 * classes.c: footprints, manners, and the classes of accesses. Objects that every access touches in the same way, if at
 * all, are alike, and one stands for all of them: of the thousand blocks that pointers of a large program cannot
 * distinguish, only one is examined.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/races/races_priv.h"
#include "base/mem.h"
#include "heddle/abi.h"

static bool is_memory(const struct whole_access *access)
{
	return access->kind != HEDDLE_ACCESS_FENCE && access->kind != HEDDLE_ACCESS_NONE &&
	       access->pointer != WHOLE_NONE;
}

static bool is_looked_at(const struct races_search *search, uint32_t access)
{
	return is_memory(&search->whole->access[access]) && flow_visit_count(search->flow, access);
}

/* Whether an object can be raced for at all. */
static bool is_racy_object(const struct races_search *search, uint32_t object)
{
	const struct whole_object *row = &search->whole->object[object];
	return row->kind != WHOLE_CODE && !row->is_constant;
}

/* ---- objects that are alike ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 29;
}

/* Two hashes of 64 bits over all sets that an object is in, and where. */
struct signature {
	uint64_t words[2];
	uint32_t object;
};

static void sign(struct signature *signature, uint64_t value)
{
	signature->words[0] = mix(signature->words[0], value);
	signature->words[1] = mix(signature->words[1] ^ UINT64_C(0xa0761d6478bd642f), value);
}

static int by_signature(const void *left, const void *right)
{
	const struct signature *a = left, *b = right;
	int order = memcmp(a->words, b->words, sizeof a->words);
	return order ? order : a->object < b->object ? -1 : a->object > b->object;
}

static void sign_sets(const struct races_search *search, struct signature *signatures)
{
	struct flow_interned seen = { 0 };
	for (uint32_t i = 0; i < search->whole->access_count; i++) {
		if (!is_looked_at(search, i))
			continue;
		/* Equal sets have the same items. */
		struct points_set set = points_of_value(search->points, search->whole->access[i].pointer);
		uint32_t number = seen.count;
		if (flow_interned_add(&seen, &set.items, (uint32_t)(sizeof(void *) / sizeof(uint32_t))) != number)
			continue;
		for (uint32_t k = 0; k < set.count; k++) {
			struct points_location at = points_location(search->points, set.items[k]);
			sign(&signatures[at.object], number);
			sign(&signatures[at.object], at.offset);
		}
	}
	flow_interned_release(&seen);
}

/* The kind, and what folding asks for, must be the same, too. Object 0 is like none. */
static void find_alike(struct races_search *search)
{
	const struct whole *whole = search->whole;
	struct signature *signatures = mem_alloc(((size_t)whole->object_count + 1) * sizeof *signatures);
	search->stands_for = mem_alloc(((size_t)whole->object_count + 1) * sizeof *search->stands_for);
	search->alike = mem_alloc(((size_t)whole->object_count + 1) * sizeof *search->alike);
	for (uint32_t i = 0; i < whole->object_count; i++) {
		const struct whole_object *row = &whole->object[i];
		signatures[i].object = i;
		sign(&signatures[i], row->kind * 4u + search->is_shared[i] * 2u + is_racy_object(search, i));
		sign(&signatures[i], row->layout);
		sign(&signatures[i], row->layout == WHOLE_NONE ? 0 : row->size_bytes);
		sign(&signatures[i], i ? 0 : 1);
	}
	sign_sets(search, signatures);
	qsort(signatures, whole->object_count, sizeof *signatures, by_signature);
	uint32_t first = 0;
	for (uint32_t i = 0; i < whole->object_count; i++) {
		if (memcmp(signatures[i].words, signatures[first].words, sizeof signatures[i].words) != 0)
			first = i;
		search->stands_for[signatures[i].object] = signatures[first].object;
		search->alike[signatures[first].object]++;
	}
	free(signatures);
}

/* ---- footprints ---- */

struct range_key {
	uint32_t object, is_anywhere;
	uint64_t offset, end;
};

static struct range_key range_of(const struct races_search *search, struct points_location at, uint64_t size_bytes)
{
	struct range_key range = { .object = at.object, .offset = at.offset };
	range.is_anywhere =
		!at.object || at.offset == POINTS_ANYWHERE ||
		whole_crosses_element(search->whole, &search->whole->object[at.object], at.offset, size_bytes);
	range.end = size_bytes ? at.offset + size_bytes : UINT64_MAX;
	if (range.is_anywhere) {
		range.offset = 0;
		range.end = UINT64_MAX;
	}
	return range;
}

static uint32_t footprint_of(struct races_search *search, const struct whole_access *access, struct range_key **rows,
			     uint32_t *room)
{
	struct points_set set = points_of_value(search->points, access->pointer);
	uint32_t count = 0;
	if (set.count > *room)
		*rows = mem_resize(*rows, (*room = set.count) * sizeof **rows);
	for (uint32_t i = 0; i < set.count; i++) {
		struct points_location at = points_location(search->points, set.items[i]);
		if (!is_racy_object(search, at.object) || search->stands_for[at.object] != at.object)
			continue;
		bool is_free = access->flags & WHOLE_ACCESS_FREE;
		/* What else the pointer may lead to is never freed. */
		if (is_free && !whole_can_be_freed(search->whole, at.object))
			continue;
		if (is_free)
			at.offset = POINTS_ANYWHERE;
		struct range_key range = range_of(search, at, access->size_bytes);
		if (!count || memcmp(&(*rows)[count - 1], &range, sizeof range) != 0)
			(*rows)[count++] = range;
	}
	return flow_interned_add(&search->range_rows, *rows, count * (uint32_t)(sizeof **rows / sizeof(uint32_t)));
}

static void make_footprints(struct races_search *search)
{
	uint32_t width = sizeof(struct range_key) / sizeof(uint32_t), count = search->range_rows.count;
	search->footprint_count = count;
	search->footprints = mem_alloc(((size_t)count + 1) * sizeof *search->footprints);
	search->ranges = mem_alloc(((size_t)search->range_rows.word_count / width + 1) * sizeof *search->ranges);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t words;
		const uint32_t *row = flow_interned_row(&search->range_rows, i, &words);
		search->footprints[i].first = search->range_count;
		search->footprints[i].count = words / width;
		for (uint32_t k = 0; k < words / width; k++) {
			struct range_key key;
			memcpy(&key, row + k * width, sizeof key);
			search->ranges[search->range_count++] =
				(struct races_range){ key.object, key.is_anywhere, key.offset, key.end };
		}
	}
	flow_interned_release(&search->range_rows);
}

/* ---- manners ---- */

static int by_number(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return a < b ? -1 : a > b;
}

static uint32_t manner_of(struct races_search *search, uint32_t access, uint32_t **ways, uint32_t *room)
{
	uint32_t count = flow_visit_count(search->flow, access);
	if (count > *room)
		*ways = mem_resize(*ways, (*room = count) * sizeof **ways);
	for (uint32_t i = 0; i < count; i++)
		(*ways)[i] = races_way(search, &flow_visits(search->flow, access)[i]);
	qsort(*ways, count, sizeof **ways, by_number);
	return flow_interned_add(&search->manner_rows, *ways, count);
}

static void make_manners(struct races_search *search)
{
	search->manner_count = search->manner_rows.count;
	search->manners = mem_alloc(((size_t)search->manner_count + 1) * sizeof *search->manners);
	for (uint32_t i = 0; i < search->manner_count; i++) {
		struct races_manner *manner = &search->manners[i];
		manner->first = search->manner_rows.starts[i];
		manner->count = search->manner_rows.starts[i + 1] - manner->first;
		for (uint32_t k = 0; k < manner->count; k++)
			manner->has_relative |= search->ways[search->manner_rows.words[manner->first + k]].has_relative;
	}
}

/* ---- classes ---- */

/* The function matters to the rank where it both publishes and looks, and where it made what it accesses. */
static uint32_t function_that_matters(const struct races_search *search, uint32_t index)
{
	const struct whole_access *access = &search->whole->access[index];
	uint32_t function = search->whole->instruction[access->instruction].function;
	uint8_t both = RACES_HAS_ACQUIRE | RACES_HAS_RELEASE;
	if ((search->function_flags[function] & both) == both)
		return function;
	struct points_set set = points_of_value(search->points, access->pointer);
	for (uint32_t i = 0; i < set.count; i++) {
		uint32_t object = points_location(search->points, set.items[i]).object;
		if (search->whole->object[object].function == function && search->stands_for[object] == object &&
		    search->alike[object] == 1)
			return function;
	}
	return WHOLE_NONE;
}

static uint8_t kind_of(const struct whole_access *access)
{
	bool is_write = access->kind == HEDDLE_ACCESS_WRITE || access->kind == HEDDLE_ACCESS_ATOMIC_WRITE ||
			access->kind == HEDDLE_ACCESS_ATOMIC_UPDATE || access->kind == HEDDLE_ACCESS_ATOMIC_EXCHANGE;
	return (uint8_t)((is_write ? RACES_WRITES : 0) |
			 (access->kind >= HEDDLE_ACCESS_ATOMIC_READ ? RACES_ATOMIC : 0));
}

enum { CLASS_WORDS = 4 };

static void class_of(struct races_search *search, uint32_t index, uint32_t footprint, uint32_t manner)
{
	const struct whole_access *access = &search->whole->access[index];
	uint32_t function = search->whole->instruction[access->instruction].function;
	uint32_t traits = (uint32_t)kind_of(access) | (uint32_t)search->function_flags[function] << 8 |
			  (access->flags & HEDDLE_SITE_VOLATILE ? 1u << 16 : 0);
	uint32_t key[CLASS_WORDS] = { footprint, manner, function_that_matters(search, index), traits };
	search->class_of[index] = flow_interned_add(&search->class_rows, key, CLASS_WORDS);
}

/* Sorted by footprint, each with its members; class_of gets the new numbers. */
static void make_classes(struct races_search *search)
{
	uint32_t count = search->class_count = search->class_rows.count, accesses = search->whole->access_count;
	uint32_t *place = mem_alloc(((size_t)count + 1) * sizeof *place), at = 0;
	search->classes = mem_alloc(((size_t)count + 1) * sizeof *search->classes);
	search->members = mem_alloc(((size_t)accesses + 1) * sizeof *search->members);
	for (uint32_t i = 0; i < count; i++)
		search->footprints[search->class_rows.words[(size_t)i * CLASS_WORDS]].class_count++;
	for (uint32_t i = 0; i < search->footprint_count; i++) {
		search->footprints[i].first_class = at;
		at += search->footprints[i].class_count;
		search->footprints[i].class_count = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *row = search->class_rows.words + (size_t)i * CLASS_WORDS;
		struct races_footprint *footprint = &search->footprints[row[0]];
		place[i] = footprint->first_class + footprint->class_count++;
		search->classes[place[i]] = (struct races_class){ .footprint = row[0],
								  .manner = row[1],
								  .function = row[2],
								  .kind = (uint8_t)row[3],
								  .flags = (uint8_t)(row[3] >> 8),
								  .is_volatile = row[3] >> 16 };
	}
	for (uint32_t i = 0; i < accesses; i++)
		if (search->class_of[i] != WHOLE_NONE) {
			search->class_of[i] = place[search->class_of[i]];
			search->classes[search->class_of[i]].count++;
		}
	at = 0;
	for (uint32_t i = 0; i < count; i++) {
		search->classes[i].first = at;
		at += search->classes[i].count;
		search->classes[i].count = 0;
	}
	for (uint32_t i = 0; i < accesses; i++)
		if (search->class_of[i] != WHOLE_NONE) {
			struct races_class *row = &search->classes[search->class_of[i]];
			search->members[row->first + row->count++] = i;
		}
	free(place);
	flow_interned_release(&search->class_rows);
}

void races_classify(struct races_search *search)
{
	struct flow_interned known = {
		0
	}; /* a set, a size, and whether it is freed -> the same number of footprints */
	uint32_t *footprints = NULL, footprint_room = 0, *ways = NULL, way_room = 0, range_room = 0;
	struct range_key *rows = NULL;
	search->class_of = mem_alloc(((size_t)search->whole->access_count + 1) * sizeof *search->class_of);
	find_alike(search);
	for (uint32_t i = 0; i < search->whole->access_count; i++) {
		const struct whole_access *access = &search->whole->access[i];
		search->class_of[i] = WHOLE_NONE;
		if (!is_looked_at(search, i))
			continue;
		struct {
			const uint32_t *items;
			uint64_t size_bytes, is_free;
		} key = { points_of_value(search->points, access->pointer).items, access->size_bytes,
			  access->flags & WHOLE_ACCESS_FREE };
		uint32_t before = known.count, number = flow_interned_add(&known, &key, sizeof key / sizeof(uint32_t));
		if (number == before) {
			footprints = flow_grow(footprints, number, &footprint_room, sizeof *footprints);
			footprints[number] = footprint_of(search, access, &rows, &range_room);
		}
		class_of(search, i, footprints[number], manner_of(search, i, &ways, &way_room));
	}
	make_footprints(search);
	make_manners(search);
	make_classes(search);
	flow_interned_release(&known);
	free(footprints);
	free(ways);
	free(rows);
}
