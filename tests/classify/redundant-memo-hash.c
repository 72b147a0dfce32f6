/*
 * A string keeps its hash once it was computed, as in Java's String: several threads may compute it, and all get the
 * same.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { READERS = 3, BUCKETS = 8 };

struct string {
	const char *bytes;
	volatile uint32_t hash; /* 0: not computed */
};

static struct string key = { .bytes = "loom" };

static uint32_t string_hash(struct string *self)
{
	uint32_t hash = self->hash; /*A*/
	if (hash)
		return hash;
	hash = 17;
	for (const char *at = self->bytes; *at; at++)
		hash = hash * 31 + (unsigned char)*at;
	self->hash = hash; /*B*/
	return hash;
}

static void *find_bucket(void *argument)
{
	unsigned *bucket = argument;
	*bucket = string_hash(&key) % BUCKETS;
	return NULL;
}

int main(void)
{
	pthread_t threads[READERS];
	unsigned buckets[READERS];
	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[i], NULL, find_bucket, &buckets[i]);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	printf("same bucket: %d\n", buckets[0] == buckets[1] && buckets[1] == buckets[2]);
	return buckets[0] == buckets[1] && buckets[1] == buckets[2] ? 0 : 1;
}
/*
 * expect: race A B class harmless reason redundant-write|both-values-valid
 * expect: race B B class harmless reason redundant-write
 * why: the hash depends on the bytes alone, which do not change, and it is read once into a local.
 */
