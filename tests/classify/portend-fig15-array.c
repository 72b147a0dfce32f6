/*
 * Portend's figure 15 as it fails: the statistics are in the array, without another input being needed.
 */
#include <pthread.h>
#include <stdio.h>

enum { MAX_SIZE = 4, REQUESTS = 4 };

static struct {
	volatile long slots[MAX_SIZE];
	const char *volatile title; /* the first thing behind the slots */
} statistics = { .title = "requests" };

static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int id;

static void *handle_requests(void *unused)
{
	for (int i = 0; i < REQUESTS; i++) {
		pthread_mutex_lock(&request_lock);
		id++; /*A*/
		pthread_mutex_unlock(&request_lock);
	}
	return unused;
}

static void *update_statistics(void *unused)
{
	if (id < MAX_SIZE)                /*B*/
		statistics.slots[id] = 1; /*C*/
	return unused;
}

int main(void)
{
	pthread_t handler, updater;
	pthread_create(&handler, NULL, handle_requests, NULL);
	pthread_create(&updater, NULL, update_statistics, NULL);
	pthread_join(handler, NULL);
	pthread_join(updater, NULL);
	printf("%s %d\n", statistics.title, id);
	return 0;
}
/*
 * expect: race A B class spec-violated
 * expect: race A C class spec-violated
 * source: Portend figure 15
 * why: if the last increment comes between B and C, C writes over the title, which is then printed.
 */
