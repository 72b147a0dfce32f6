/* bug.c: see bug.h. */
#include "rt/bug.h"

#include <stddef.h>

#include "rt/message.h"

static void (*ends)(const char *where);

void rt_bug_ends(void (*function)(const char *where))
{
	ends = function;
}

void rt_bug(const char *where)
{
	if (ends)
		ends(where);
	rt_off(RT_BROKEN, where, 0);
}
