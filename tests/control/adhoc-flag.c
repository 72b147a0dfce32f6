/* Ad-hoc synchronisation: threads spin on volatile and atomic flags and call nothing meanwhile. */
#include "check.h"
#include <stdatomic.h>

static volatile int is_ready;
static atomic_int turn;
static int data;

static void *waits(void *argument)
{
	while (!is_ready)
		;
	return (void *)(long)(data + (argument != NULL));
}

static void *takes_turns(void *argument)
{
	int me = (int)(long)argument;
	for (int i = 0; i < 5; i++) {
		while (atomic_load_explicit(&turn, memory_order_acquire) % 3 != me)
			;
		data++;
		atomic_fetch_add_explicit(&turn, 1, memory_order_release);
	}
	return NULL;
}

int main(void)
{
	pthread_t waiter = start(waits, NULL);
	data = 42;
	__sync_synchronize();
	is_ready = 1;
	long seen = (long)finish(waiter);
	pthread_t threads[3];
	for (long i = 0; i < 3; i++)
		threads[i] = start(takes_turns, (void *)i);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	printf("seen %ld data %d turn %d\n", seen, data, turn);
	return 0;
}
/*
 * expect: seen 42 data 57 turn 15
 * needs: weave
 */
