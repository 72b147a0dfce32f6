/* A run of more than a million events: two threads look at an atomic object while a third one works, step by step. */
#include "check.h"
#include <stdatomic.h>

enum { STEPS = 300, WORK = 2000 };

static atomic_int turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long worked;
static long total;

static void add(long much)
{
	pthread_mutex_lock(&lock);
	total += much;
	pthread_mutex_unlock(&lock);
}

static void *look(void *argument)
{
	for (int step = 0; step < STEPS; step++) {
		while (atomic_load(&turn) <= step)
			;
		add(1);
	}
	return argument;
}

int main(void)
{
	pthread_t first = start(look, NULL), second = start(look, NULL);
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < WORK; i++)
			worked++;
		add(10);
		atomic_fetch_add(&turn, 1);
	}
	finish(first);
	finish(second);
	printf("%ld worked, total %ld\n", worked, total);
	return 0;
}
/*
 * needs: weave
 * expect: 600000 worked, total 3600
 */
