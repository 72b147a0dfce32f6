/* trylock in a loop with sched_yield, by four threads: they all get their turn. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *argument)
{
	for (int done = 0; done < 25;) {
		int error = pthread_mutex_trylock(&mutex);
		if (error == 0) {
			count++;
			done++;
			pthread_mutex_unlock(&mutex);
		} else {
			CHECK(error == EBUSY);
			sched_yield();
		}
	}
	return argument;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 100
 */
