/*
 * A home-made barrier that is used a second time.
 *
 * Threads count themselves in and wait until the count is full; counting out, the last one to leave sets it back for
 * the next round. Nothing keeps a thread that has left from coming again before the others have left: it is counted
 * into the old round, goes straight through, and the next round never fills. The fixed one keeps the door closed until
 * all have left. A general mechanism (Downey, The Little Book of Semaphores, section 3.7: the reusable barrier).
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, ROUNDS = 2 };

struct barrier {
	pthread_mutex_t lock; /* guards the rest */
	pthread_cond_t changed;
	int entered;
	int left;
};

static struct barrier barrier = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
static int cells[THREADS];

static void barrier_wait(struct barrier *of)
{
	pthread_mutex_lock(&of->lock);
#ifdef FIXED
	while (of->left)
		pthread_cond_wait(&of->changed, &of->lock);
#endif
	if (++of->entered >= THREADS)
		pthread_cond_broadcast(&of->changed);
	while (of->entered < THREADS)
		pthread_cond_wait(&of->changed, &of->lock);
	if (++of->left == THREADS) {
		of->entered = 0;
		of->left = 0;
		pthread_cond_broadcast(&of->changed);
	}
	pthread_mutex_unlock(&of->lock);
}

/* Each round the threads write their own cells, then read those of their neighbours. */
static void *step(void *argument)
{
	int own = *(int *)argument, sum = 0;
	for (int round = 0; round < ROUNDS; round++) {
		cells[own] = 10 * round + own;
		barrier_wait(&barrier);
		sum += cells[(own + 1) % THREADS];
		barrier_wait(&barrier);
	}
	*(int *)argument = sum;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int sums[THREADS] = { 0, 1 };
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, step, &sums[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("sums %d and %d\n", sums[0], sums[1]);
	return sums[0] != 12 || sums[1] != 10;
}
/*
 * pattern: barrier
 * finds: deadlock
 * source: general; Downey, The Little Book of Semaphores
 */
