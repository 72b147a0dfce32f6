/* fork in threads other than main: the forking thread is the child's only one; pipes bring back what it saw. */
#include "check.h"
#include <sys/wait.h>

static __thread int mine;

static void *work(void *argument)
{
	mine = (int)(long)argument;
	int ends[2], got = 0, status;
	CHECK(pipe(ends) == 0);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		mine *= 10;
		CHECK(write(ends[1], &mine, sizeof(mine)) == sizeof(mine));
		_exit(0);
	}
	CHECK(read(ends[0], &got, sizeof(got)) == sizeof(got));
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	close(ends[0]);
	close(ends[1]);
	return (void *)(long)(got + mine);
}

int main(void)
{
	pthread_t threads[4];
	long sum = 0;
	for (long i = 0; i < 4; i++)
		threads[i] = start(work, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 110
 * timing: children run in real time
 */
