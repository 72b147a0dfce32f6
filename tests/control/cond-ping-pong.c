/* Two threads hand a turn to each other 300 times through one condition variable. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn;

static void *work(void *argument)
{
	int me = (int)(long)argument;
	for (int i = 0; i < 300; i++) {
		pthread_mutex_lock(&mutex);
		while (turn % 2 != me)
			pthread_cond_wait(&cond, &mutex);
		turn++;
		pthread_mutex_unlock(&mutex);
		pthread_cond_signal(&cond);
	}
	return NULL;
}

int main(void)
{
	pthread_t a = start(work, (void *)0), b = start(work, (void *)1);
	finish(a);
	finish(b);
	printf("turn %d\n", turn);
	return 0;
}
/*
 * expect: turn 600
 */
