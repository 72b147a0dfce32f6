/* atexit and on_exit handlers run in reverse order, may register more, and destructors come after them. */
#include "check.h"

static void one(void)
{
	printf("one\n");
}

static void late(void)
{
	printf("late\n");
}

static void two(void)
{
	printf("two\n");
	atexit(late);
}

static void three(int status, void *argument)
{
	printf("three %d %s\n", status, (char *)argument);
}

__attribute__((destructor)) static void destructor(void)
{
	printf("destructor\n");
}

int main(void)
{
	CHECK(atexit(one) == 0 && atexit(two) == 0 && on_exit(three, (char[]){ "text" }) == 0);
	exit(5);
}
/*
 * expect: three 5 text
 * expect: two
 * expect: late
 * expect: one
 * expect: destructor
 * ends: exit 5
 */
