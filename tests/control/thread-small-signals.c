/* The smallest stack that threads can have is enough for two handlers, one inside the other, that make system calls and
 * take locks, wherever the signals come, and whoever runs in between. */
#include "check.h"
#include <limits.h>
#include <signal.h>

#define THREADS 4
#define ROUNDS 5

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int outer, inner, ends[2];
static pthread_t workers[THREADS];

static void on_inner(int number)
{
	(void)number;
	getppid();
	__atomic_add_fetch(&inner, 1, __ATOMIC_RELAXED);
}

static void on_outer(int number)
{
	(void)number;
	raise(SIGUSR2);
	__atomic_add_fetch(&outer, 1, __ATOMIC_RELAXED);
}

static void *work(void *argument)
{
	(void)argument;
	char byte = 1;
	for (int i = 0; i < ROUNDS; i++) {
		raise(SIGUSR1);
		pthread_mutex_lock(&mutex);
		CHECK(write(ends[1], &byte, 1) == 1);
		pthread_mutex_unlock(&mutex);
		CHECK(read(ends[0], &byte, 1) == 1);
		usleep(10);
		pthread_kill(pthread_self(), SIGUSR1);
		sched_yield();
	}
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_outer, .sa_flags = SA_RESTART };
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	action.sa_handler = on_inner;
	CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
	CHECK(pipe(ends) == 0);
	pthread_attr_t small;
	pthread_attr_init(&small);
	CHECK(pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&workers[i], &small, work, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		finish(workers[i]);
	printf("outer %d inner %d\n", outer, inner);
	return 0;
}
/*
 * expect: outer 40 inner 40
 */
