/* Unnamed semaphores as gate, as counter of three places, tried and asked for their value. */
#include "check.h"
#include <semaphore.h>
#include <stdatomic.h>

static sem_t places;
static atomic_int inside, worst_excess, visits;

static void *work(void *argument)
{
	for (int i = 0; i < 20; i++) {
		CHECK(sem_wait(&places) == 0);
		if (atomic_fetch_add(&inside, 1) >= 3)
			worst_excess = 1;
		sched_yield();
		atomic_fetch_sub(&inside, 1);
		atomic_fetch_add(&visits, 1);
		CHECK(sem_post(&places) == 0);
	}
	return argument;
}

int main(void)
{
	CHECK(sem_init(&places, 0, 3) == 0);
	pthread_t threads[6];
	for (int i = 0; i < 6; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 6; i++)
		finish(threads[i]);
	int value = -1;
	CHECK(sem_getvalue(&places, &value) == 0 && value == 3);
	CHECK(sem_trywait(&places) == 0 && sem_trywait(&places) == 0 && sem_trywait(&places) == 0);
	CHECK(sem_trywait(&places) == -1 && errno == EAGAIN);
	CHECK(sem_destroy(&places) == 0);
	printf("visits %d excess %d\n", visits, worst_excess);
	return 0;
}
/*
 * expect: visits 120 excess 0
 */
