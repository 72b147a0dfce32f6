#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
/* a file is mapped MAP_SHARED, and written by pwrite (databases do that) */
int main(void)
{
	int f = open("fw.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ftruncate(f, 4096);
	volatile char *p = mmap(0, 4096, PROT_READ, MAP_SHARED, f, 0);
	pwrite(f, "Z", 1, 100);
	printf("%d\n", p[100]);
	return 0;
}
