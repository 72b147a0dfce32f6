/*
 * memcached issue 127: two increments of one item count as one.
 *
 * "incr" looked the item up under the cache lock, let go of it, computed the new value from the item's text and stored
 * it under the lock again. Two clients that increment one item at a time both start from the same value. Every access
 * is locked, so there is no data race. Described in memcached's issue 127 and in the collection of Yu and Narayanasamy
 * (memcached-127); the pattern is R-W|R-W of Anticipating Invariants, table 1.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 2, REQUESTS = 1 };

struct item {
	char key[8];
	char data[16];
};

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the items */
static struct item items[] = { { "hits", "0" }, { "misses", "7" } };

static struct item *item_get(const char *key)
{
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if (!strcmp(items[i].key, key))
			return &items[i];
	return NULL;
}

static void number_to_text(unsigned long number, char *text)
{
	char digits[16];
	int count = 0;
	do
		digits[count++] = '0' + number % 10;
	while (number /= 10);
	while (count)
		*text++ = digits[--count];
	*text = 0;
}

static void add_delta(const char *key, unsigned long delta)
{
	pthread_mutex_lock(&cache_lock);
	struct item *item = item_get(key);
	unsigned long value = strtoul(item->data, NULL, 10);
#ifndef FIXED
	pthread_mutex_unlock(&cache_lock);
#endif
	value += delta;
#ifndef FIXED
	pthread_mutex_lock(&cache_lock);
#endif
	number_to_text(value, item->data);
	pthread_mutex_unlock(&cache_lock);
}

static void *client(void *argument)
{
	(void)argument;
	for (int i = 0; i < REQUESTS; i++)
		add_delta("hits", 5);
	return NULL;
}

int main(void)
{
	pthread_t threads[CLIENTS];
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, client, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	printf("hits %s\n", items[0].data);
	return strcmp(items[0].data, "10") != 0;
}
/*
 * pattern: RWW
 * finds: bad-exit output-differs
 * source: memcached issue 127; Anticipating Invariants table 1, R-W|R-W, for the pattern
 */
