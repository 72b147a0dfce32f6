/*
 * MySQL 644: a loop over a table's fields runs past their end.
 *
 * A join counts the fields that its query uses (those that carry its query's number) and then collects as many,
 * without looking where the fields end. Another query that marks one of them for itself in between leaves the loop
 * one field short. Frost (SOSP 2011), section 4.1.2 and Table 2; MySQL 4.1.1, join_init_cache.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS = 4 };

struct field {
	const char *name;
	unsigned query_id;
	unsigned length;
};

struct table {
	struct field *fields[FIELDS + 1]; /* the last one is NULL */
	pthread_mutex_t lock;             /* guards the fields' marks */
};

struct query {
	unsigned id;
	const char *names[3];
	unsigned cache_length;
};

static struct field columns[FIELDS] = {
	{ "id", 0, 4 },
	{ "name", 0, 20 },
	{ "town", 0, 20 },
	{ "birth", 0, 8 },
};
static struct table people = {
	.fields = { &columns[0], &columns[1], &columns[2], &columns[3], NULL },
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static void fix_fields(struct table *table, const struct query *query)
{
	for (int i = 0; query->names[i]; i++)
		for (int j = 0; table->fields[j]; j++)
			if (strcmp(table->fields[j]->name, query->names[i]) == 0)
				table->fields[j]->query_id = query->id; /*A*/
}

static unsigned count_used_fields(const struct table *table, const struct query *query)
{
	unsigned used = 0;
	for (int i = 0; table->fields[i]; i++)
		if (table->fields[i]->query_id == query->id) /*B*/
			used++;
	return used;
}

static void init_join_cache(const struct table *table, struct query *query)
{
	unsigned used = count_used_fields(table, query);
	for (int i = 0; used > 0; i++) {
		const struct field *field = table->fields[i];
		if (field->query_id == query->id) { /*C*/
			query->cache_length += field->length;
			used--;
		}
	}
}

static void *execute(void *argument)
{
	struct query *query = argument;
#ifdef FIXED
	pthread_mutex_lock(&people.lock);
#endif
	fix_fields(&people, query);
	init_join_cache(&people, query);
#ifdef FIXED
	pthread_mutex_unlock(&people.lock);
#endif
	return NULL;
}

int main(void)
{
	struct query queries[2] = { { 11, { "name", "birth", NULL }, 0 }, { 12, { "id", "birth", NULL }, 0 } };
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, execute, &queries[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("cached %u and %u bytes\n", queries[0].cache_length, queries[1].cache_length);
	return 0;
}
/*
 * pattern: RWR
 * finds: crash output-differs data-race
 * race: A A
 * race: A B
 * race: A C
 * source: Frost table 2; MySQL 644
 */
