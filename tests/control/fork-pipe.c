/* A worker process answers requests over two pipes; the threads of the parent take turns. */
#include "check.h"
#include <sys/wait.h>

static int to[2], from[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *asks(void *argument)
{
	long sum = 0;
	for (int i = 0; i < 10; i++) {
		int value = (int)(long)argument * 100 + i;
		pthread_mutex_lock(&mutex);
		CHECK(write(to[1], &value, sizeof(value)) == sizeof(value));
		CHECK(read(from[0], &value, sizeof(value)) == sizeof(value));
		pthread_mutex_unlock(&mutex);
		sum += value;
	}
	return (void *)sum;
}

int main(void)
{
	CHECK(pipe(to) == 0 && pipe(from) == 0);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		int value;
		close(to[1]);
		while (read(to[0], &value, sizeof(value)) == sizeof(value)) {
			value *= 2;
			CHECK(write(from[1], &value, sizeof(value)) == sizeof(value));
		}
		_exit(5);
	}
	close(to[0]);
	close(from[1]);
	pthread_t a = start(asks, (void *)1), b = start(asks, (void *)2);
	long sum = (long)finish(a);
	sum += (long)finish(b);
	close(to[1]);
	int status;
	CHECK(waitpid(child, &status, 0) == child);
	printf("sum %ld status %d\n", sum, WEXITSTATUS(status));
	return 0;
}
/*
 * expect: sum 6180 status 5
 * timing: children run in real time
 */
