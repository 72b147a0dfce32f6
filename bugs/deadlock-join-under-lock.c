/*
 * The end of a thread is waited for under a lock that it still needs.
 *
 * Shutdown takes the lock of the pool so that nobody submits any more, and joins the worker under it. A worker that has
 * still to put its result away needs the lock. When it is done before the shutdown begins all is well, which is nearly
 * always. A general mechanism: join is one more way to wait, and a look at the locks alone does not show it.
 */
#include <pthread.h>
#include <stdio.h>

struct pool {
	pthread_mutex_t lock; /* guards results and is_open */
	pthread_t worker;
	int results;
	int is_open;
};

static struct pool pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .is_open = 1 };

static void *work(void *argument)
{
	int result = *(int *)argument * 3;
	pthread_mutex_lock(&pool.lock);
	pool.results += result;
	pthread_mutex_unlock(&pool.lock);
	return NULL;
}

static void shut_down(void)
{
	pthread_mutex_lock(&pool.lock);
	pool.is_open = 0;
#ifdef FIXED
	pthread_mutex_unlock(&pool.lock);
	pthread_join(pool.worker, NULL);
#else
	pthread_join(pool.worker, NULL);
	pthread_mutex_unlock(&pool.lock);
#endif
}

int main(void)
{
	int job = 5;
	pthread_create(&pool.worker, NULL, work, &job);
	for (int own = 1; own < 4; own++)
		work(&own);
	shut_down();
	printf("results %d\n", pool.results);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock
 * source: general
 */
