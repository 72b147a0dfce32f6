/* fork while other threads run and hold locks: the child has one thread, its parent all; the child may use threads too. */
#include "check.h"
#include <sys/wait.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;
static int count;

static void *work(void *argument)
{
	while (!is_over) {
		pthread_mutex_lock(&mutex);
		count++;
		free(malloc(100));
		pthread_mutex_unlock(&mutex);
		sched_yield();
	}
	return argument;
}

static void *in_child(void *argument)
{
	return (void *)((long)argument + 1);
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	int sum = 0;
	for (int i = 0; i < 5; i++) {
		/* Not to be forked while another holds it. */
		pthread_mutex_lock(&mutex);
		pid_t child = fork();
		pthread_mutex_unlock(&mutex);
		CHECK(child >= 0);
		if (child == 0) {
			free(malloc(1000));
			long result = (long)finish(start(in_child, (void *)(long)i));
			_exit((int)result);
		}
		int status;
		CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
		sum += WEXITSTATUS(status);
	}
	is_over = 1;
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	printf("sum %d\n", sum);
	return 0;
}
/*
 * expect: sum 15
 * timing: children run in real time
 */
