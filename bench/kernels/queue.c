/*
 * queue.c: producers and consumers. Two and two threads share a bounded queue under a mutex with two condition
 * variables; each item is worked on a little on both sides. Prints a checksum that does not depend on
 * the interleaving; the argument scales the work (default 10).
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 64
#define WORDS 1024
#define PRODUCERS 2
#define CONSUMERS 2

struct item {
	uint32_t words[WORDS];
};

static struct queue {
	pthread_mutex_t lock;
	pthread_cond_t is_filled, is_drained;
	struct item *items[ROOM];
	unsigned first, count, producers;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .is_filled = PTHREAD_COND_INITIALIZER,
	    .is_drained = PTHREAD_COND_INITIALIZER,
	    .producers = PRODUCERS };

static long items_each;

static void queue_put(struct item *item)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.count == ROOM)
		pthread_cond_wait(&queue.is_drained, &queue.lock);
	queue.items[(queue.first + queue.count++) % ROOM] = item;
	if (queue.count == 1)
		pthread_cond_broadcast(&queue.is_filled);
	pthread_mutex_unlock(&queue.lock);
}

/* Null when all producers are done and nothing is left. */
static struct item *queue_get(void)
{
	struct item *item = NULL;
	pthread_mutex_lock(&queue.lock);
	while (queue.count == 0 && queue.producers)
		pthread_cond_wait(&queue.is_filled, &queue.lock);
	if (queue.count) {
		item = queue.items[queue.first];
		queue.first = (queue.first + 1) % ROOM;
		if (queue.count-- == ROOM / 2)
			pthread_cond_broadcast(&queue.is_drained);
	}
	pthread_mutex_unlock(&queue.lock);
	return item;
}

static void *produce(void *argument)
{
	uint32_t seed = (uint32_t)(uintptr_t)argument * 7919 + 1;
	for (long i = 0; i < items_each; i++) {
		struct item *item = malloc(sizeof *item);
		if (!item)
			exit(3);
		for (int k = 0; k < WORDS; k++) {
			seed = seed * 1664525u + 1013904223u;
			item->words[k] = seed >> 7;
		}
		queue_put(item);
	}
	pthread_mutex_lock(&queue.lock);
	queue.producers--;
	pthread_cond_broadcast(&queue.is_filled);
	pthread_mutex_unlock(&queue.lock);
	return NULL;
}

static uint64_t digest(const struct item *item)
{
	uint32_t buckets[64];
	memset(buckets, 0, sizeof buckets);
	for (int k = 0; k < WORDS; k++)
		buckets[item->words[k] % 64] += item->words[k];
	uint64_t hash = 0xcbf29ce484222325u;
	for (int k = 0; k < 64; k++)
		hash = (hash ^ buckets[k]) * 0x100000001b3u;
	return hash;
}

static void *consume(void *argument)
{
	uint64_t *sum = argument;
	struct item *item;
	while ((item = queue_get())) {
		*sum += digest(item);
		free(item);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	items_each = (argc > 1 ? atol(argv[1]) : 10) * 8000;
	pthread_t producers[PRODUCERS], consumers[CONSUMERS];
	uint64_t sums[CONSUMERS] = { 0 };
	for (size_t i = 0; i < CONSUMERS; i++)
		if (pthread_create(&consumers[i], NULL, consume, &sums[i]))
			return 3;
	for (size_t i = 0; i < PRODUCERS; i++)
		if (pthread_create(&producers[i], NULL, produce, (void *)i))
			return 3;
	for (size_t i = 0; i < PRODUCERS; i++)
		pthread_join(producers[i], NULL);
	uint64_t sum = 0;
	for (size_t i = 0; i < CONSUMERS; i++) {
		pthread_join(consumers[i], NULL);
		sum += sums[i];
	}
	printf("queue %016" PRIx64 "\n", sum);
	return 0;
}
