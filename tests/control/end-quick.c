/* quick_exit runs its own handlers only. */
#include "check.h"

static void quick(void)
{
	CHECK(write(1, "quick\n", 6) == 6);
}

static void ordinary(void)
{
	CHECK(write(1, "ordinary\n", 9) == 9);
}

int main(void)
{
	CHECK(at_quick_exit(quick) == 0 && atexit(ordinary) == 0);
	quick_exit(9);
}
/*
 * expect: quick
 * ends: exit 9
 */
