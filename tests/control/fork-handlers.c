/* pthread_atfork: prepare handlers in reverse order, parent and child handlers in order, in each process. */
#include "check.h"
#include <sys/wait.h>

static char order[32];

static void add(char letter)
{
	size_t length = strlen(order);
	order[length] = letter;
	order[length + 1] = 0;
}

static void prepare_1(void)
{
	add('p');
}
static void prepare_2(void)
{
	add('q');
}
static void parent_1(void)
{
	add('a');
}
static void parent_2(void)
{
	add('b');
}
static void child_1(void)
{
	add('x');
}
static void child_2(void)
{
	add('y');
}

int main(void)
{
	CHECK(pthread_atfork(prepare_1, parent_1, child_1) == 0);
	CHECK(pthread_atfork(prepare_2, parent_2, child_2) == 0);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0)
		_exit(strcmp(order, "qpxy") ? 1 : 0);
	int status;
	CHECK(waitpid(child, &status, 0) == child);
	printf("parent %s child %d\n", order, status);
	return 0;
}
/*
 * expect: parent qpab child 0
 */
