/* A signal while a thread waits for a mutex with priority inheritance: the lock is still exclusive. */
#include "check.h"
#include <signal.h>

static pthread_mutex_t mutex;
static int inside, handled, wrong;

static void handler(int number)
{
	(void)number;
	__atomic_add_fetch(&handled, 1, __ATOMIC_SEQ_CST);
}

static void *work(void *argument)
{
	(void)argument;
	CHECK(pthread_mutex_lock(&mutex) == 0);
	if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) != 1)
		wrong = 1;
	sched_yield();
	__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	pthread_mutexattr_t attributes;
	pthread_t threads[3];
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	pthread_mutexattr_init(&attributes);
	CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
	pthread_mutex_init(&mutex, &attributes);
	CHECK(pthread_mutex_lock(&mutex) == 0);
	__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	usleep(1000);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_kill(threads[i], SIGUSR1) == 0);
	usleep(1000);
	__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	printf("handled %d wrong %d\n", handled, wrong);
	return 0;
}
/*
 * expect: handled 3 wrong 0
 */
