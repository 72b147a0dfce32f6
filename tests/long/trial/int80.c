#define _GNU_SOURCE
#include <errno.h>
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
	long r;
	asm volatile("int $0x80" : "=a"(r) : "0"(20L) : "memory");
	printf("int80 getpid %ld real %d\n", r, getpid());
	chk(r == getpid());
}
