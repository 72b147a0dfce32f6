/* A chain of eight threads connected by pipes, each adds one to every number that it hands on. */
#include "check.h"

#define STAGES 8
static int pipes[STAGES + 1][2];

static void *stage(void *argument)
{
	long index = (long)argument;
	int value;
	while (read(pipes[index][0], &value, sizeof(value)) == sizeof(value)) {
		value++;
		CHECK(write(pipes[index + 1][1], &value, sizeof(value)) == sizeof(value));
	}
	close(pipes[index][0]);
	close(pipes[index + 1][1]);
	return NULL;
}

int main(void)
{
	pthread_t threads[STAGES];
	for (int i = 0; i <= STAGES; i++)
		CHECK(pipe(pipes[i]) == 0);
	for (long i = 0; i < STAGES; i++)
		threads[i] = start(stage, (void *)i);
	for (int i = 0; i < 20; i++)
		CHECK(write(pipes[0][1], &i, sizeof(i)) == sizeof(i));
	close(pipes[0][1]);
	int value, sum = 0;
	while (read(pipes[STAGES][0], &value, sizeof(value)) == sizeof(value))
		sum += value;
	for (int i = 0; i < STAGES; i++)
		finish(threads[i]);
	printf("sum %d\n", sum);
	return 0;
}
/*
 * expect: sum 350
 */
