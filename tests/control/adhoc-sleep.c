/* Ad-hoc synchronisation with usleep in the loop: polling for a flag that another sets after some time. */
#include "check.h"
#include <stdatomic.h>

static atomic_int is_ready, polls;

static void *waits(void *argument)
{
	while (!is_ready) {
		polls++;
		usleep(500);
	}
	return argument;
}

static void *sets(void *argument)
{
	usleep(5000);
	is_ready = 1;
	return argument;
}

int main(void)
{
	pthread_t a = start(waits, NULL), b = start(waits, NULL), c = start(sets, NULL);
	finish(a);
	finish(b);
	finish(c);
	printf("polled %d\n", polls > 0);
	return 0;
}
/*
 * expect: polled 1
 */
