/*
 * A sleep in place of a wait.
 *
 * A service is started in a thread of its own, and who started it sleeps for two milliseconds, which is ample for the service to come up, and
 * then uses it. On a busy machine the service may not have run by then: the request is answered from a table that is not filled. All
 * accesses are under the lock, so there is no data race. The fixed one waits until the service says that it is ready. A general
 * mechanism: waiting for a fixed time is the most frequent cause of flaky tests in Luo and others, An Empirical Analysis of Flaky
 * Tests (FSE 2014), where they call it async wait.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum { ENTRIES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int table[ENTRIES];
static int filled;

static void *serve(void *argument)
{
	for (int i = 0; i < ENTRIES; i++) {
		pthread_mutex_lock(&lock);
		table[i] = 10 + i;
		filled++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

static void wait_until_ready(void)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	while (filled < ENTRIES)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
#else
	usleep(2000);
#endif
}

static int ask(int entry)
{
	pthread_mutex_lock(&lock);
	int answer = table[entry];
	pthread_mutex_unlock(&lock);
	return answer;
}

int main(void)
{
	pthread_t service;
	pthread_create(&service, NULL, serve, NULL);
	wait_until_ready();
	assert(ask(ENTRIES - 1) == 10 + ENTRIES - 1);
	pthread_join(service, NULL);
	return 0;
}
/*
 * pattern: order
 * finds: assertion
 * source: general; Luo and others, An Empirical Analysis of Flaky Tests (FSE 2014)
 */
