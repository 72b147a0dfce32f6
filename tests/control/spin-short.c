/* Threads that look at something for a while, and then go on whatever it is: they do not wait, so time does not pass
 * for their sake, and nobody is stuck. */
#include "check.h"
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int first, second;
static sem_t answer;
static long rounds;

static void look(atomic_int *at)
{
	for (int i = 0; i < 40 && !atomic_load(at); i++)
		;
}

static void *work(void *argument)
{
	for (int i = 0; i < 3000; i++) {
		look(&first);
		look(&second);
		rounds++;
	}
	CHECK(sem_post(&answer) == 0);
	return argument;
}

int main(void)
{
	struct timespec deadline;
	CHECK(sem_init(&answer, 0, 0) == 0);
	pthread_t thread = start(work, NULL);
	CHECK(clock_gettime(CLOCK_REALTIME, &deadline) == 0);
	deadline.tv_sec += 36000;
	CHECK(sem_timedwait(&answer, &deadline) == 0);
	finish(thread);
	printf("%ld rounds\n", rounds);
	return 0;
}
/*
 * expect: 3000 rounds
 */
