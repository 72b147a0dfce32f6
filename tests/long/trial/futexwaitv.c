#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void chk_(const char *s, int l, long ok)
{
	if (!ok) {
		printf("WRONG line %d: %s (errno %d)\n", l, s, errno);
		fflush(stdout);
	}
}
#define chk(x) chk_(#x, __LINE__, !!(x))
struct fw {
	uint64_t val, uaddr;
	uint32_t flags, res;
};
static uint32_t a, b;
static void *w(void *x)
{
	__atomic_store_n(&b, 1, 5);
	syscall(SYS_futex, &b, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	return x;
}
int main()
{
	pthread_t t;
	pthread_create(&t, 0, w, 0);
	struct fw f[2] = { { 0, (uint64_t)&a, 2 | 128, 0 }, { 0, (uint64_t)&b, 2 | 128, 0 } };
	long r = syscall(449, f, 2, 0, 0, 0);
	chk(r == 1 || (r == -1 && errno == EAGAIN));
	pthread_join(t, 0);
	puts("done");
}
