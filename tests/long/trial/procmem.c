#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
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
	volatile int x = 5;
	int f = open("/proc/self/mem", O_RDWR);
	int v = 9;
	chk(pwrite(f, &v, 4, (off_t)&x) == 4);
	chk(x == 9);
	puts("done");
}
