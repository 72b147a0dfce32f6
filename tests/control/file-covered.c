/* A mapping of one file covers a part of another's, and grows: a replay knows whose it is. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static int file(const char *text)
{
	char name[] = "coveredXXXXXX";
	int fd = mkstemp(name);
	unlink(name);
	if (ftruncate(fd, 4 * PAGE) < 0)
		abort();
	for (int i = 0; i < 4; i++) {
		char page[16];
		snprintf(page, sizeof page, "%s %d", text, i);
		if (pwrite(fd, page, strlen(page), i * PAGE) < 0)
			abort();
	}
	return fd;
}

int main(void)
{
	int first = file("first"), other = file("other");
	char *at = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, first, 0);
	char *seen = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, first, 0);
	mmap(at + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, other, 0);
	char *grown = mremap(at + PAGE, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
	printf("%s, %s, %s\n", grown, grown + PAGE, grown + 2 * PAGE);
	printf("%s, %s, %s\n", seen, seen + PAGE, seen + 2 * PAGE);
	return 0;
}
/*
 * expect: other 0, other 1, other 2
 * expect: first 0, first 1, first 2
 */
