/*
 * mono 51219: the thread pool is freed while a thread asks it for a worker.
 *
 * At the end of the runtime the pool is shut down and freed. A thread that still runs may have found the pool just
 * before and then takes its lock and puts a work item into memory that is free. mono/mono, pull request 4263 (Xamarin
 * bug 51219), where the mutex was seen to be locked after it was destroyed; the fix there keeps the pool.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 4, REQUESTS = 2 };

struct thread_pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int *items;
	int count, done;
	int is_stopping;
};

static struct thread_pool *pool;
static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;

static struct thread_pool *pool_new(void)
{
	struct thread_pool *new_pool = calloc(1, sizeof(*new_pool));
	new_pool->items = calloc(ITEMS, sizeof(*new_pool->items));
	pthread_mutex_init(&new_pool->lock, NULL);
	pthread_cond_init(&new_pool->changed, NULL);
	return new_pool;
}

static void pool_free(struct thread_pool *old_pool)
{
	pthread_mutex_destroy(&old_pool->lock);
	pthread_cond_destroy(&old_pool->changed);
	free(old_pool->items);
	free(old_pool); /*A*/
}

static void pool_lock(struct thread_pool *locked_pool)
{
	if (pthread_mutex_lock(&locked_pool->lock) != 0)
		abort();
}

static void *pool_worker(void *argument)
{
	struct thread_pool *own_pool = argument;
	pool_lock(own_pool);
	while (own_pool->done < own_pool->count || !own_pool->is_stopping) {
		if (own_pool->done < own_pool->count)
			own_pool->items[own_pool->done++] = 0;
		else
			pthread_cond_wait(&own_pool->changed, &own_pool->lock);
	}
	pthread_mutex_unlock(&own_pool->lock);
	return NULL;
}

static struct thread_pool *pool_reference(void)
{
	pthread_mutex_lock(&runtime_lock);
	struct thread_pool *found = pool;
	pthread_mutex_unlock(&runtime_lock);
	return found;
}

static void *run_managed(void *argument)
{
	(void)argument;
	for (int i = 1; i <= REQUESTS; i++) {
		struct thread_pool *found = pool_reference();
		if (!found)
			break;
		pool_lock(found);
		found->items[found->count++] = i; /*B*/
		pthread_cond_signal(&found->changed);
		pthread_mutex_unlock(&found->lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t worker, managed;
	struct thread_pool *own_pool = pool = pool_new();
	pthread_create(&worker, NULL, pool_worker, own_pool);
	pthread_create(&managed, NULL, run_managed, NULL);

	pthread_mutex_lock(&runtime_lock);
	pool = NULL;
	pthread_mutex_unlock(&runtime_lock);
	pool_lock(own_pool);
	own_pool->is_stopping = 1;
	pthread_cond_signal(&own_pool->changed);
	pthread_mutex_unlock(&own_pool->lock);
	pthread_join(worker, NULL);
#ifdef FIXED
	pthread_join(managed, NULL);
	pool_free(own_pool);
#else
	pool_free(own_pool);
	pthread_join(managed, NULL);
#endif
	printf("shut down\n");
	return 0;
}
/*
 * pattern: use-after-free
 * finds: memory-error crash assertion data-race
 * race: A B
 * source: mono/mono pull request 4263
 */
