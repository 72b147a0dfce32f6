/*
 * lock.c: a mutex that nobody else wants, locked and unlocked again and again.
 *   lock one STEPS
 *   lock two STEPS   a second thread is there and waits for another mutex
 *
 * libc takes a cheaper way as long as a process has one thread, so the two are different figures.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static volatile long sum;

static void *pass_gate(void *argument)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return argument;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	bool is_two = strcmp(argv[1], "two") == 0;
	long steps = atol(argv[2]);
	pthread_t thread;
	pthread_mutex_lock(&gate);
	if (is_two && pthread_create(&thread, NULL, pass_gate, NULL) != 0)
		return 2;
	for (long i = 0; i < steps; i++) {
		pthread_mutex_lock(&mutex);
		sum++;
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_unlock(&gate);
	if (is_two)
		pthread_join(thread, NULL);
	return sum == steps ? 0 : 1;
}
