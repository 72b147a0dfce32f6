/* The environment: nothing of Heddle's shows, setenv and unsetenv work, and a child sees what the parent set. */
#include "check.h"
#include <sys/wait.h>

extern char **environ;

int main(void)
{
	int strange = 0;
	for (char **entry = environ; *entry; entry++)
		strange += strncmp(*entry, "HEDDLE", 6) == 0 || strncmp(*entry, "LD_", 3) == 0 ||
			   strncmp(*entry, "GLIBC_TUNABLES", 14) == 0;
	printf("strange %d\n", strange);
	CHECK(!getenv("LD_PRELOAD") && !getenv("HEDDLE"));
	printf("TEST_VALUE %s\n", getenv("TEST_VALUE"));
	CHECK(setenv("TEST_VALUE", "changed", 1) == 0 && setenv("TEST_OTHER", "new", 0) == 0);
	printf("status %d\n", WEXITSTATUS(system("test \"$TEST_VALUE$TEST_OTHER\" = changednew && exit 8")));
	printf("clean %d\n", WEXITSTATUS(system("test -z \"$LD_PRELOAD$HEDDLE$LD_BIND_NOW\"")));
	CHECK(unsetenv("TEST_VALUE") == 0 && !getenv("TEST_VALUE"));
	return 0;
}
/*
 * expect: strange 0
 * expect: TEST_VALUE a value with spaces
 * expect: status 8
 * expect: clean 0
 * environment: TEST_VALUE=a value with spaces
 * uncounted: it looks for variables of Heddle in its environment, which a program that runs natively has
 */
