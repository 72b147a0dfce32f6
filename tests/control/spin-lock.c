/* pthread_spin_lock, held over a switch: those who spin must let the owner run. */
#include "check.h"

static pthread_spinlock_t lock;
static int count;

static void *work(void *argument)
{
	for (int i = 0; i < 30; i++) {
		CHECK(pthread_spin_lock(&lock) == 0);
		int seen = count;
		if (i % 3 == 0)
			sched_yield();
		count = seen + 1;
		CHECK(pthread_spin_unlock(&lock) == 0);
	}
	return argument;
}

static void *tries(void *argument)
{
	(void)argument;
	return (void *)(long)pthread_spin_trylock(&lock);
}

int main(void)
{
	pthread_t threads[4];
	CHECK(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
	for (int i = 0; i < 4; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	CHECK(pthread_spin_trylock(&lock) == 0);
	CHECK((long)finish(start(tries, NULL)) == EBUSY);
	CHECK(pthread_spin_unlock(&lock) == 0 && pthread_spin_destroy(&lock) == 0);
	printf("count %d\n", count);
	return 0;
}
/*
 * expect: count 120
 */
