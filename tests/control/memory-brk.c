/* The program's own use of brk and mmap beside malloc, in threads; mapped at a wished-for address too. */
#include "check.h"
#include <sys/mman.h>

static void *work(void *argument)
{
	for (int i = 0; i < 50; i++) {
		char *pages = mmap(NULL, 100000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(pages != MAP_FAILED && pages[99999] == 0);
		pages[99999] = 1;
		CHECK(munmap(pages, 100000) == 0);
	}
	return argument;
}

int main(void)
{
	char *before = sbrk(0);
	CHECK(sbrk(10000) == before);
	before[9999] = 1;
	CHECK(sbrk(0) == before + 10000);
	pthread_t a = start(work, NULL), b = start(work, NULL);
	finish(a);
	finish(b);
	char *wish = (char *)0x500000000000;
	char *got = mmap(wish, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	CHECK(got == wish);
	CHECK(mmap(wish, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED &&
	      errno == EEXIST);
	got[100] = 3;
	CHECK(mmap(wish, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == wish && got[100] == 0);
	CHECK(munmap(wish, 8192) == 0);
	printf("ok\n");
	return 0;
}
/*
 * expect: ok
 */
