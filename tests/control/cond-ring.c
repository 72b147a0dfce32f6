/* Ten threads in a ring, each with its own condition variable, pass a token round 20 times. */
#include "check.h"

#define COUNT 10
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conds[COUNT];
static int holder;
static char order[COUNT * 20 + 1];
static int length;

static void *work(void *argument)
{
	int me = (int)(long)argument;
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		while (holder != me)
			pthread_cond_wait(&conds[me], &mutex);
		order[length++] = (char)('0' + me);
		holder = (me + 1) % COUNT;
		pthread_cond_signal(&conds[holder]);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[COUNT];
	for (int i = 0; i < COUNT; i++)
		pthread_cond_init(&conds[i], NULL);
	for (long i = 0; i < COUNT; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < COUNT; i++)
		finish(threads[i]);
	printf("%.12s %d\n", order, length);
	return 0;
}
/*
 * expect: 012345678901 200
 */
