/* Address space far beyond what is used, in one piece and in many; and places that were given back are given again. */
#include "check.h"

#include <sys/mman.h>

#define TERABYTE (1ul << 40)
#define FLAGS (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static char *reserve(size_t size)
{
	void *place = mmap(NULL, size, PROT_NONE, FLAGS, -1, 0);
	CHECK(place != MAP_FAILED);
	return place;
}

static void *uses(void *place)
{
	CHECK(mprotect(place, 4096, PROT_READ | PROT_WRITE) == 0);
	*(volatile int *)place = 7;
	return place;
}

int main(void)
{
	char *whole = reserve(10 * TERABYTE);
	finish(start(uses, whole + 9 * TERABYTE));
	CHECK(*(volatile int *)(whole + 9 * TERABYTE) == 7);
	for (int i = 0; i < 16; i++)
		uses(reserve(TERABYTE));
	/* More in all than there are addresses. */
	for (int i = 0; i < 200; i++) {
		char *piece = reserve(TERABYTE);
		uses(piece);
		CHECK(munmap(piece, TERABYTE) == 0);
	}
	for (int i = 0; i < 100; i++) {
		char *piece = reserve(100ul << 30);
		uses(piece);
		CHECK(munmap(piece, 100ul << 30) == 0);
	}
	CHECK(mmap(NULL, 1ul << 47, PROT_NONE, FLAGS, -1, 0) == MAP_FAILED && errno == ENOMEM);
	puts("reserved");
	return 0;
}
/*
 * expect: reserved
 */
