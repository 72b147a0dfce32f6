/*
 * pigz: a buffer is counted by the one who took it and by the one who let it go.
 *
 * The authors of Anticipating Invariants found a W-R|W violation in pigz that ends in a failed assertion (section 5.3;
 * fixed by commit 9ef658babd); the paper shows no code, so this one is ours, in the shape of pigz's pool of counted
 * buffers. Whoever takes a buffer from the pool writes its use count and later reads it back; the last user before
 * still writes its own zero, after the buffer is on the free list, and so wipes out the count of the next user.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, BLOCKS = 3 };

struct space {
	pthread_mutex_t lock; /* guards uses */
	int uses;
	int length;
	struct space *next;
};

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER; /* guards pool */
static struct space *pool;
static int written[THREADS];

static struct space *get_space(void)
{
	pthread_mutex_lock(&pool_lock);
	struct space *space = pool;
	if (space)
		pool = space->next;
	pthread_mutex_unlock(&pool_lock);
	if (!space) {
		space = calloc(1, sizeof(*space));
		pthread_mutex_init(&space->lock, NULL);
	}
	pthread_mutex_lock(&space->lock);
	space->uses = 1;
	pthread_mutex_unlock(&space->lock);
	return space;
}

static void drop_space(struct space *space)
{
	pthread_mutex_lock(&space->lock);
	int uses = space->uses;
	assert(uses == 1);
#ifdef FIXED
	space->uses = 0;
#endif
	pthread_mutex_unlock(&space->lock);
	pthread_mutex_lock(&pool_lock);
	space->next = pool;
	pool = space;
	pthread_mutex_unlock(&pool_lock);
#ifndef FIXED
	pthread_mutex_lock(&space->lock);
	space->uses = 0;
	pthread_mutex_unlock(&space->lock);
#endif
}

static void *compress(void *argument)
{
	int *bytes = argument;
	for (int i = 0; i < BLOCKS; i++) {
		struct space *space = get_space();
		space->length = 10 * i;
		*bytes += space->length;
		drop_space(space);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, compress, &written[i]);
	int total = 0;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		total += written[i];
	}
	while (pool) {
		struct space *first = pool;
		pool = first->next;
		pthread_mutex_destroy(&first->lock);
		free(first);
	}
	printf("%d bytes\n", total);
	return 0;
}
/*
 * pattern: WWR
 * finds: assertion
 * source: Anticipating Invariants table 1, W-R|W and section 5.3; pigz 9ef658babd (code ours)
 */
