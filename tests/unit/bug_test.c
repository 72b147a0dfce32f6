/* bug_test.c: finds a fault of the runtime's own; with an argument, where somebody ends the run. */
#include <stdio.h>
#include <stdlib.h>

#include "rt/bug.h"
#include "rt/message.h"

static void end(const char *where)
{
	printf("ended: %s\n", where);
	exit(3);
}

int main(int count, char **arguments)
{
	(void)arguments;
	if (count > 1)
		rt_bug_ends(end);
	if (rt_is_off())
		return 1;
	RT_BUG("the first");
	RT_BUG("the second");
	puts(rt_is_off() ? "off, and the program goes on" : "on");
	return 0;
}
