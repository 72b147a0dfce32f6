/* Waits that nothing ends: a condition, a semaphore, a barrier, a read-write lock, a read of a pipe that we hold both ends of. */
#include "check.h"
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;

static void *work(void *argument)
{
	switch ((long)argument) {
	case 0:
		pthread_mutex_lock(&mutex);
		for (;;)
			pthread_cond_wait(&cond, &mutex);
	case 1:
		sem_wait(&sem);
		break;
	case 2:
		pthread_barrier_wait(&barrier);
		break;
	default:
		pthread_rwlock_rdlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	sem_init(&sem, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_rwlock_wrlock(&lock);
	CHECK(write(1, "before\n", 7) == 7);
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	return 0;
}
/*
 * expect: before
 * ends: deadlock
 * report: ^heddle:   thread 2 .*waits for condition variable cond$
 * report: ^heddle:   thread 3 .*waits for semaphore sem$
 * report: ^heddle:   thread 4 .*waits for barrier barrier$
 * report: ^heddle:   thread 5 .*waits for read-write lock lock, held by thread 1$
 * report: ^heddle:     at work \(.*deadlock-never\.c:22\)
 */
