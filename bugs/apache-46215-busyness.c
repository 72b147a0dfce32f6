/*
 * Apache bug 46215: a worker that is never idle again.
 *
 * The load balancer "bybusyness" counts the requests each worker has and gives the next one to the least busy. The
 * count was changed without a lock: it is read to see that it is not zero, read again to subtract, and written. When
 * two requests end together one step down is lost; the worker looks busier than it is for ever and gets no requests.
 * Described in the bug report; Anticipating Invariants, table 1, R-R-W|R-R-W.
 */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 2, CLIENTS = 3, REQUESTS = 3 };

struct worker {
	int busy;
	int served;
};

struct balancer {
	pthread_mutex_t lock; /* guards the choice, and in the fixed one the counts */
	struct worker workers[WORKERS];
};

static struct balancer balancer = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct worker *find_least_busy(void)
{
	struct worker *best = &balancer.workers[0];
	pthread_mutex_lock(&balancer.lock);
	for (int i = 1; i < WORKERS; i++)
		if (balancer.workers[i].busy < best->busy)
			best = &balancer.workers[i];
	best->busy++; /*A*/
	best->served++;
	pthread_mutex_unlock(&balancer.lock);
	return best;
}

static void post_request(struct worker *worker)
{
#ifdef FIXED
	pthread_mutex_lock(&balancer.lock);
#endif
	if (worker->busy)
		worker->busy--; /*B*/
#ifdef FIXED
	pthread_mutex_unlock(&balancer.lock);
#endif
}

static void *client(void *argument)
{
	(void)argument;
	for (int i = 0; i < REQUESTS; i++)
		post_request(find_least_busy());
	return NULL;
}

int main(void)
{
	pthread_t threads[CLIENTS];
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, client, NULL);
	int busy = 0, served = 0;
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < WORKERS; i++) {
		busy += balancer.workers[i].busy;
		served += balancer.workers[i].served;
	}
	printf("%d served, %d busy\n", served, busy);
	return busy != 0;
}
/*
 * pattern: RWW
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: Anticipating Invariants table 1, R-R-W|R-R-W; Apache 46215
 */
