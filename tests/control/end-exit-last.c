/* The last thread ends by the bare system call: its status is that of the process, not that of an earlier one. */
#include "check.h"
#include <sys/syscall.h>

static void *work(void *argument)
{
	pthread_t first = *(pthread_t *)argument;
	finish(first);
	syscall(SYS_exit, 7);
	return NULL;
}

int main(void)
{
	static pthread_t self;
	self = pthread_self();
	start(work, &self);
	printf("main\n");
	fflush(stdout);
	pthread_exit(NULL);
}
/*
 * expect: main
 * ends: exit 7
 */
