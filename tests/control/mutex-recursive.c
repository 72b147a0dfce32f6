/* A recursive mutex: only its owner locks it again; others come in when it is fully unlocked. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int depth_now, worst, total;

static void descend(int depth)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
	CHECK(depth_now == depth);
	depth_now++;
	total++;
	if (depth_now > worst)
		worst = depth_now;
	if (depth < 9)
		descend(depth + 1);
	depth_now--;
	CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void *work(void *argument)
{
	for (int i = 0; i < 5; i++)
		descend(0);
	return argument;
}

static void *try_to_lock(void *argument)
{
	(void)argument;
	return (void *)(long)pthread_mutex_trylock(&mutex);
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	CHECK(pthread_mutex_unlock(&mutex) == EPERM);
	CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK((long)finish(start(try_to_lock, NULL)) == EBUSY);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	printf("worst %d total %d\n", worst, total);
	return 0;
}
/*
 * expect: worst 10 total 150
 */
