/*
 * Two readers that both want to become writers.
 *
 * A cache is searched under the read lock; what is not in it is put in under the write lock, taken while the read lock
 * is still held. One thread alone gets stuck already, or is told EDEADLK; the careful form here asks for the write lock
 * only when it is the only reader, and waits for the other reader to leave. Two threads that miss at the same time wait
 * for each other. The lock is made of a mutex and a condition, as in code of the time before pthread_rwlock_t.
 */
#include <pthread.h>
#include <stdio.h>

enum { KEYS = 2 };

struct rwlock {
	pthread_mutex_t lock; /* guards the rest */
	pthread_cond_t changed;
	int readers;
	int is_written;
};

static struct rwlock guard = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
static int cache[KEYS]; /* 0: not known */

static void read_lock(struct rwlock *of)
{
	pthread_mutex_lock(&of->lock);
	while (of->is_written)
		pthread_cond_wait(&of->changed, &of->lock);
	of->readers++;
	pthread_mutex_unlock(&of->lock);
}

static void read_unlock(struct rwlock *of)
{
	pthread_mutex_lock(&of->lock);
	of->readers--;
	pthread_cond_broadcast(&of->changed);
	pthread_mutex_unlock(&of->lock);
}

/* Makes a writer of the caller when no more than so many readers are left. */
static void write_lock(struct rwlock *of, int readers)
{
	pthread_mutex_lock(&of->lock);
	while (of->is_written || of->readers > readers)
		pthread_cond_wait(&of->changed, &of->lock);
	of->is_written = 1;
	pthread_mutex_unlock(&of->lock);
}

static void write_unlock(struct rwlock *of)
{
	pthread_mutex_lock(&of->lock);
	of->is_written = 0;
	pthread_cond_broadcast(&of->changed);
	pthread_mutex_unlock(&of->lock);
}

static int look_up(int key)
{
	read_lock(&guard);
	int value = cache[key];
	if (!value) {
#ifdef FIXED
		read_unlock(&guard);
		write_lock(&guard, 0);
#else
		write_lock(&guard, 1);
#endif
		if (!cache[key])
			cache[key] = 10 + key;
		value = cache[key];
		write_unlock(&guard);
#ifdef FIXED
		return value;
#endif
	}
	read_unlock(&guard);
	return value;
}

static void *request(void *argument)
{
	int *key = argument;
	*key = look_up(*key);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int keys[2] = { 0, 1 };
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, request, &keys[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("values %d and %d\n", keys[0], keys[1]);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock
 * source: general
 */
