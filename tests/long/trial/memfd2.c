#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
/* one memfd mapped twice (as ring buffers do); single thread, no other process */
int main(void)
{
	int f = memfd_create("r", 0);
	ftruncate(f, 4096);
	volatile char *p = mmap(0, 4096, 3, MAP_SHARED, f, 0), *q = mmap(0, 4096, 3, MAP_SHARED, f, 0);
	p[5] = 9;
	printf("%d\n", q[5]);
	return 0;
}
