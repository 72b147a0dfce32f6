/*
 * The last error of a group of tasks is kept in a plain variable and printed at the end: which one that is depends on
 * who was last.
 */
#include <pthread.h>
#include <stdio.h>

enum { TASKS = 2 };

struct task {
	int argument;
	int result;
};

static const char *volatile last_error = "none";

static void *divide(void *argument)
{
	struct task *task = argument;
	if (task->argument == 0)
		last_error = "division by zero"; /*A*/
	else if (task->argument < 0)
		last_error = "negative argument"; /*B*/
	else
		task->result = 100 / task->argument;
	return NULL;
}

int main(void)
{
	pthread_t threads[TASKS];
	struct task tasks[TASKS] = { { 0, 0 }, { -4, 0 } };
	for (int i = 0; i < TASKS; i++)
		pthread_create(&threads[i], NULL, divide, &tasks[i]);
	for (int i = 0; i < TASKS; i++)
		pthread_join(threads[i], NULL);
	printf("results %d %d, last error: %s\n", tasks[0].result, tasks[1].result, last_error);
	return 0;
}
/*
 * expect: race A B class output-differs
 * why: the message that is printed is that of the task that wrote last.
 */
