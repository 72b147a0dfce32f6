/* Ad-hoc synchronisation with sched_yield in the loop. */
#include "check.h"
#include <sched.h>
#include <stdatomic.h>

static atomic_int turn;
static int data;

static void *work(void *argument)
{
	int me = (int)(long)argument;
	for (int i = 0; i < 10; i++) {
		while (turn % 4 != me)
			sched_yield();
		data++;
		turn++;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	printf("data %d\n", data);
	return 0;
}
/*
 * expect: data 40
 */
