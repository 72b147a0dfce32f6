#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <time.h>
static void chk_(const char *s, int l, long ok)
{
	if (!ok) {
		printf("WRONG line %d: %s (errno %d)\n", l, s, errno);
		fflush(stdout);
	}
}
#define chk(x) chk_(#x, __LINE__, !!(x))
int main()
{
	time_t (*f)(time_t *) = (void *)0xffffffffff600400UL;
	time_t t = f(0);
	time_t u = time(0);
	printf("%ld %ld\n", (long)t, (long)u);
	chk(t - u < 5 && u - t < 5);
}
