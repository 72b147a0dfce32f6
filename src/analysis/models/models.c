/* models.c: finds the row of a function. The tables are in the other files of this folder; they are put into one hash table when first asked. */
#include "analysis/models/models.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/models/models_priv.h"
#include "base/mem.h"

static struct {
	pthread_once_t once;
	struct model *rows; /* one for each name */
	uint32_t row_count, row_room;
	uint32_t *slots; /* 1 + row, or 0 */
	uint32_t slot_room;
	uint32_t *prefixes; /* rows whose names end with a star, the longest first */
	uint32_t prefix_count;
} table = { .once = PTHREAD_ONCE_INIT };

static const struct model_names *const parts[] = { models_memory,  models_plain, models_io,
						   models_threads, models_cxx,   models_libraries };

static uint32_t hash(const char *name)
{
	uint32_t value = 2166136261u;
	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * 16777619u;
	return value ^ value >> 15;
}

static void add_row(const struct model *model, const char *name, size_t length)
{
	if (table.row_count == table.row_room) {
		table.row_room = table.row_room ? table.row_room * 2 : 1024;
		table.rows = mem_resize(table.rows, table.row_room * sizeof *table.rows);
	}
	char *copy = mem_alloc(length + 1);
	memcpy(copy, name, length);
	table.rows[table.row_count] = *model;
	table.rows[table.row_count++].name = copy;
}

static bool is_prefix(const struct model *row)
{
	return row->name[strlen(row->name) - 1] == '*';
}

static int compare_prefixes(const void *a, const void *b)
{
	size_t left = strlen(table.rows[*(const uint32_t *)a].name),
	       right = strlen(table.rows[*(const uint32_t *)b].name);
	return left > right ? -1 : left < right;
}

static void build(void)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (const struct model_names *row = parts[i]; row->names; row++)
			for (const char *name = row->names; *name;) {
				size_t length = strcspn(name, " ");
				add_row(&row->model, name, length);
				name += length;
				name += strspn(name, " ");
			}
	for (table.slot_room = 1024; table.slot_room < table.row_count * 2;)
		table.slot_room *= 2;
	table.slots = mem_alloc(table.slot_room * sizeof *table.slots);
	table.prefixes = mem_alloc((table.row_count + 1) * sizeof *table.prefixes);
	for (uint32_t i = 0; i < table.row_count; i++) {
		if (is_prefix(&table.rows[i])) {
			table.prefixes[table.prefix_count++] = i;
			continue;
		}
		uint32_t at = hash(table.rows[i].name) & (table.slot_room - 1);
		while (table.slots[at])
			at = (at + 1) & (table.slot_room - 1);
		table.slots[at] = i + 1;
	}
	qsort(table.prefixes, table.prefix_count, sizeof *table.prefixes, compare_prefixes);
}

const struct model *model_find(const char *name)
{
	pthread_once(&table.once, build);
	uint32_t at = hash(name) & (table.slot_room - 1);
	for (; table.slots[at]; at = (at + 1) & (table.slot_room - 1))
		if (strcmp(table.rows[table.slots[at] - 1].name, name) == 0)
			return &table.rows[table.slots[at] - 1];
	for (uint32_t i = 0; i < table.prefix_count; i++) {
		const struct model *row = &table.rows[table.prefixes[i]];
		if (strncmp(row->name, name, strlen(row->name) - 1) == 0)
			return row;
	}
	return NULL;
}

const struct model *model_row(uint32_t number)
{
	pthread_once(&table.once, build);
	return number < table.row_count ? &table.rows[number] : NULL;
}

bool model_takes_lock(const struct model *model)
{
	return model && (model->sync == MODEL_LOCK || model->sync == MODEL_LOCK_SHARED ||
			 model->sync == MODEL_TRY_LOCK || model->sync == MODEL_TRY_LOCK_SHARED);
}
