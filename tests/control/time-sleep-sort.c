/* Sleep sort: thirty threads sleep for times that differ by 3 ms and note themselves in order of time. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order[30], length;

static void *work(void *argument)
{
	long index = (long)argument;
	struct timespec pause = { 0, 3000000 * index + 20000000 };
	CHECK(nanosleep(&pause, NULL) == 0);
	pthread_mutex_lock(&mutex);
	order[length++] = (int)index;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t threads[30];
	for (long i = 0; i < 30; i++)
		threads[i] = start(work, (void *)(i * 7 % 30));
	for (int i = 0; i < 30; i++)
		finish(threads[i]);
	int wrong = 0;
	for (int i = 0; i < 30; i++)
		wrong += order[i] != i;
	printf("wrong %d\n", wrong);
	return 0;
}
/*
 * expect: wrong 0
 * skip: native
 * strict: that who slept less goes on first, although all may have slept enough when they go on
 */
