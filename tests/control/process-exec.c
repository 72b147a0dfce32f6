/* The program becomes another one while threads run: they are gone, the descriptors and the output stay. */
#include "check.h"

static void *work(void *argument)
{
	for (;;)
		usleep(100);
	return argument;
}

int main(void)
{
	start(work, NULL);
	start(work, NULL);
	printf("first\n");
	fflush(stdout);
	execl("/bin/sh", "sh", "-c", "echo second; exit 5", (char *)NULL);
	return 99;
}
/*
 * expect: first
 * expect: second
 * ends: exit 5 or exec
 * outside: the program becomes another one
 */
