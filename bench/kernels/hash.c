/*
 * hash.c: a chained hash table that grows, with lookups, insertions and deletions: pointers, short loops, allocation.
 * Prints a checksum; the argument scales the work (default 10).
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct entry {
	struct entry *next;
	uint64_t key;
	uint64_t value;
};

struct table {
	struct entry **slots;
	size_t room;
	size_t count;
};

static uint64_t mix(uint64_t key)
{
	key = (key ^ (key >> 33)) * 0xff51afd7ed558ccdu;
	key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53u;
	return key ^ (key >> 33);
}

static struct entry **table_find(struct table *table, uint64_t key)
{
	struct entry **at = &table->slots[mix(key) & (table->room - 1)];
	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static void table_grow(struct table *table)
{
	struct table bigger = { .room = table->room * 2, .count = table->count };
	bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
	if (!bigger.slots)
		exit(3);
	for (size_t i = 0; i < table->room; i++) {
		struct entry *next;
		for (struct entry *entry = table->slots[i]; entry; entry = next) {
			struct entry **slot = &bigger.slots[mix(entry->key) & (bigger.room - 1)];
			next = entry->next;
			entry->next = *slot;
			*slot = entry;
		}
	}
	free(table->slots);
	*table = bigger;
}

static void table_add(struct table *table, uint64_t key, uint64_t amount)
{
	struct entry **at = table_find(table, key);
	if (*at) {
		(*at)->value += amount;
		return;
	}
	struct entry *entry = malloc(sizeof *entry);
	if (!entry)
		exit(3);
	*entry = (struct entry){ .key = key, .value = amount };
	*at = entry;
	if (++table->count > table->room)
		table_grow(table);
}

static void table_remove(struct table *table, uint64_t key)
{
	struct entry **at = table_find(table, key);
	struct entry *entry = *at;
	if (!entry)
		return;
	*at = entry->next;
	free(entry);
	table->count--;
}

int main(int argc, char **argv)
{
	long operations = (argc > 1 ? atol(argv[1]) : 10) * 1200000;
	struct table table = { .room = 64 };
	table.slots = calloc(table.room, sizeof *table.slots);
	if (!table.slots)
		return 3;
	uint64_t random = 88172645463325252u;
	uint64_t found = 0;
	for (long i = 0; i < operations; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		uint64_t key = (random >> 8) % 50000;
		if (random % 8 < 2) {
			table_add(&table, key, random & 0xffff);
		} else if (random % 8 == 2) {
			table_remove(&table, key);
		} else {
			struct entry *entry = *table_find(&table, key);
			found += entry ? entry->value : 1;
		}
	}
	printf("hash %zu %" PRIu64 "\n", table.count, found);
	return 0;
}
