/*
 * MySQL 12848: a query is stored in a query cache that is being resized.
 *
 * The size of the query cache says whether there is one. Resizing frees the cache under the lock, size 0, but then
 * sets the new size without the lock and before the new memory is there. A query that is stored in that moment takes
 * a block out of an empty list. Frost (SOSP 2011), section 4.1.2 and Table 2; MySQL 4.0.26, Query_cache::resize.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 32, QUERIES = 3 };

struct block {
	struct block *next;
	char text[BLOCK_SIZE];
};

static struct {
	size_t size; /* in blocks; 0: there is no cache */
	struct block *first, *free_blocks;
	pthread_mutex_t lock;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void free_cache(void)
{
	free(cache.first);
	cache.first = NULL;
	cache.free_blocks = NULL;
	cache.size = 0;
}

static void init_cache(size_t size)
{
	cache.first = calloc(size, sizeof(*cache.first));
	for (size_t i = 0; i + 1 < size; i++)
		cache.first[i].next = &cache.first[i + 1];
	cache.free_blocks = cache.first; /*C*/
}

static void resize(size_t size)
{
	pthread_mutex_lock(&cache.lock);
	free_cache();
#ifdef FIXED
	cache.size = size;
	init_cache(size);
	pthread_mutex_unlock(&cache.lock);
#else
	pthread_mutex_unlock(&cache.lock);
	cache.size = size; /*A*/
	init_cache(size);
#endif
}

static void store_query(const char *text)
{
	pthread_mutex_lock(&cache.lock);
	if (cache.size > 0) {                            /*B*/
		struct block *block = cache.free_blocks; /*D*/
		memcpy(block->text, text, strlen(text) + 1);
		cache.free_blocks = block->next;
	}
	pthread_mutex_unlock(&cache.lock);
}

static void *query(void *argument)
{
	for (int i = 0; i < QUERIES; i++)
		store_query(argument);
	return NULL;
}

static void *set_cache_size(void *argument)
{
	(void)argument;
	resize(16);
	return NULL;
}

int main(void)
{
	pthread_t clients[2], administrator;
	init_cache(8);
	cache.size = 8;
	pthread_create(&clients[0], NULL, query, "SELECT 1");
	pthread_create(&administrator, NULL, set_cache_size, NULL);
	pthread_create(&clients[1], NULL, query, "SELECT name FROM people");
	pthread_join(clients[0], NULL);
	pthread_join(clients[1], NULL);
	pthread_join(administrator, NULL);
	printf("cache of %zu blocks\n", cache.size);
	free_cache();
	return 0;
}
/*
 * pattern: WRW
 * finds: crash data-race
 * race: A B
 * race: C D
 * source: Frost table 2; MySQL 12848
 */
