/*
 * A semaphore that starts with one too many.
 *
 * A ring of slots between a producer and a consumer: "vacant" is to begin with the number of slots. Here it begins with
 * one more, by the habit of counting the slot that tells a full ring from an empty one, which semaphores do not need.
 * The producer can get one slot too far ahead and overwrites an item that was not taken yet. A general mechanism.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { SLOTS = 2, ITEMS = 4 };

struct ring {
	sem_t vacant, filled;
	int slots[SLOTS];
};

static struct ring ring;

static void ring_init(struct ring *of)
{
#ifdef FIXED
	sem_init(&of->vacant, 0, SLOTS);
#else
	sem_init(&of->vacant, 0, SLOTS + 1);
#endif
	sem_init(&of->filled, 0, 0);
}

static void *produce(void *argument)
{
	struct ring *to = argument;
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&to->vacant);
		to->slots[i % SLOTS] = 1 << i; /*A*/
		sem_post(&to->filled);
	}
	return NULL;
}

static void *consume(void *argument)
{
	struct ring *from = argument;
	long taken = 0;
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&from->filled);
		taken += from->slots[i % SLOTS]; /*B*/
		sem_post(&from->vacant);
	}
	return (void *)taken;
}

int main(void)
{
	pthread_t threads[2];
	void *taken;
	ring_init(&ring);
	pthread_create(&threads[0], NULL, produce, &ring);
	pthread_create(&threads[1], NULL, consume, &ring);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], &taken);
	sem_destroy(&ring.vacant);
	sem_destroy(&ring.filled);
	printf("taken %lx\n", (long)taken);
	return (long)taken != 0xf;
}
/*
 * pattern: semaphore
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: general
 */
