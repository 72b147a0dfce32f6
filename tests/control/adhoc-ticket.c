/* A ticket lock and a test-and-set lock made of atomics, with bare spinning. */
#include "check.h"
#include <stdatomic.h>

static atomic_uint next_ticket, now_serving;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int by_ticket, by_flag;

static void *work(void *argument)
{
	for (int i = 0; i < 10; i++) {
		unsigned mine = atomic_fetch_add(&next_ticket, 1);
		while (atomic_load(&now_serving) != mine)
			;
		by_ticket++;
		atomic_fetch_add(&now_serving, 1);
		while (atomic_flag_test_and_set(&flag))
			__builtin_ia32_pause();
		by_flag++;
		atomic_flag_clear(&flag);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	printf("ticket %d flag %d\n", by_ticket, by_flag);
	return 0;
}
/*
 * expect: ticket 30 flag 30
 * needs: weave
 */
