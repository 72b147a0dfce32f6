/* system(): exit statuses, in the main thread and in others at the same time. */
#include "check.h"
#include <sys/wait.h>

static void *work(void *argument)
{
	char command[32];
	snprintf(command, sizeof(command), "exit %ld", (long)argument);
	int status = system(command);
	CHECK(WIFEXITED(status));
	return (void *)(long)WEXITSTATUS(status);
}

int main(void)
{
	CHECK(system(NULL) != 0);
	printf("true %d\n", system("true"));
	printf("three %ld\n", (long)work((void *)3));
	printf("killed %d\n", WTERMSIG(system("kill -9 $$")));
	pthread_t threads[3];
	long sum = 0;
	for (long i = 0; i < 3; i++)
		threads[i] = start(work, (void *)(i + 10));
	for (int i = 0; i < 3; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: true 0
 * expect: three 3
 * expect: killed 9
 * expect: sum 33
 * timing: children run in real time
 */
