/*
 * Portend's figure 15: an index that is tested and then used has grown in between (ctrace).
 *
 * A thread counts requests in an index, under a lock. The statistics read it without the lock, since they need not be
 * exact, test it against the size of their array and then read it again to write there: one request more in between,
 * and the write is behind the end. With the hash table that the figure also has the same race does no harm, which is
 * why a classifier that follows one path calls it harmless; this is the other path. Kasikci's thesis, section 5.2;
 * Portend (ASPLOS 2012).
 */
#include <pthread.h>
#include <stdio.h>

enum { MAX_SIZE = 4, REQUESTS = 6 };

static struct {
	long slots[MAX_SIZE];
	const char *title; /* the first thing behind the slots */
	long samples;
} statistics = { .title = "requests" };

static pthread_mutex_t statistics_lock = PTHREAD_MUTEX_INITIALIZER;

static int request_id;
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;

static void *handle_requests(void *argument)
{
	(void)argument;
	for (int i = 0; i < REQUESTS; i++) {
		pthread_mutex_lock(&request_lock);
		request_id++; /*A*/
		pthread_mutex_unlock(&request_lock);
	}
	return NULL;
}

#ifdef FIXED
static int current_id(void)
{
	pthread_mutex_lock(&request_lock);
	int id = request_id;
	pthread_mutex_unlock(&request_lock);
	return id;
}
#endif

static long get_statistics(void)
{
	pthread_mutex_lock(&statistics_lock);
	long sample = ++statistics.samples;
	pthread_mutex_unlock(&statistics_lock);
	return sample;
}

static void update(void)
{
#ifdef FIXED
	int id = current_id();
	if (id < MAX_SIZE)
		statistics.slots[id] = get_statistics();
#else
	if (request_id < MAX_SIZE) { /*B*/
		long sample = get_statistics();
		statistics.slots[request_id] = sample; /*C*/
	}
#endif
}

static void *update_statistics(void *argument)
{
	(void)argument;
	for (int i = 0; i < MAX_SIZE; i++)
		update();
	return NULL;
}

int main(void)
{
	pthread_t handler, updater;
	pthread_create(&handler, NULL, handle_requests, NULL);
	pthread_create(&updater, NULL, update_statistics, NULL);
	pthread_join(handler, NULL);
	pthread_join(updater, NULL);
	printf("%s %d\n", statistics.title, request_id);
	return 0;
}
/*
 * pattern: RWR
 * finds: crash data-race memory-error
 * race: A B
 * race: A C
 * source: Portend figure 15; ctrace
 */
