/* A file that is mapped MAP_SHARED: by two mappings, which are one memory, and changed by calls, which shows in both. */
#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#define SIZE 8192
#define BOTH (PROT_READ | PROT_WRITE)

static volatile char *first, *second;

static void *writes(void *argument)
{
	first[5] = 9;
	second[4100] = 7;
	return argument;
}

static unsigned sum(const volatile char *at, size_t size)
{
	unsigned total = 0;
	for (size_t i = 0; i < size; i++)
		total = total * 31 + (unsigned char)at[i];
	return total;
}

static char *map(int fd, size_t size, int protection, off_t offset)
{
	char *at = mmap(NULL, size, protection, MAP_SHARED, fd, offset);
	CHECK(at != MAP_FAILED);
	return at;
}

static void by_calls(int fd, const char *path)
{
	struct iovec pieces[2] = { { "ab", 2 }, { "cde", 3 } };
	int only = open(path, O_WRONLY), append = open(path, O_WRONLY | O_APPEND), source = open("INPUT", O_RDONLY);
	off_t from = 0, to = 300;
	CHECK(only >= 0 && append >= 0 && source >= 0);
	CHECK(pwrite(only, "Z", 1, 100) == 1);
	CHECK(lseek(fd, 200, SEEK_SET) == 200 && write(fd, "here", 4) == 4 && writev(fd, pieces, 2) == 5);
	CHECK(pwritev(fd, pieces, 2, 4200) == 5);
	CHECK(copy_file_range(source, &from, fd, &to, 4, 0) == 4 && to == 304);
	CHECK(lseek(fd, 400, SEEK_SET) == 400 && sendfile(fd, source, NULL, 6) == 6);
	printf("%c %.9s %.5s %.4s %.6s\n", first[100], (char *)first + 200, (char *)second + 4200, (char *)first + 300,
	       (char *)first + 400);
	/* Behind the end, which is in the last page. */
	CHECK(ftruncate(fd, 5000) == 0 && write(append, "tail", 4) == 4);
	printf("%.4s\n", (char *)first + 5000);
	CHECK(ftruncate(fd, 4096) == 0 && ftruncate(fd, SIZE) == 0);
	printf("%d %d\n", first[4100], second[5000]);
	CHECK(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0 || errno == EOPNOTSUPP);
	close(only);
	close(append);
	close(source);
}

int main(void)
{
	/* In memory. */
	int memory = memfd_create("memory", 0);
	CHECK(memory >= 0 && ftruncate(memory, SIZE) == 0);
	first = map(memory, SIZE, BOTH, 0);
	second = map(memory, SIZE, BOTH, 0);
	char *part = map(memory, 4096, PROT_READ, 4096);
	finish(start(writes, NULL));
	printf("%d %d %d\n", second[5], first[4100], part[4]);

	/* In a file. */
	const char *path = "shared.tmp";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0 && ftruncate(fd, SIZE) == 0);
	first = map(fd, SIZE, PROT_READ, 0);
	second = map(fd, SIZE, BOTH, 0);
	by_calls(fd, path);

	/* What becomes part of a mapping later. */
	char page[4096];
	memset(page, 'p', sizeof page);
	for (int i = 2; i < 5; i++)
		CHECK(pwrite(fd, page, sizeof page, i * 4096) == 4096);
	char *grown = mremap((void *)second, SIZE, 5 * 4096, MREMAP_MAYMOVE);
	CHECK(grown != MAP_FAILED);
	printf("%u\n", sum(grown + SIZE, 3 * 4096));
	grown[3 * 4096] = 'q';
	CHECK(pread(fd, page, 1, 3 * 4096) == 1 && page[0] == 'q');

	/* Emptied by whoever opens it. */
	int again = open(path, O_RDWR | O_TRUNC);
	CHECK(again >= 0 && ftruncate(again, SIZE) == 0);
	printf("%u\n", sum(first, SIZE));
	CHECK(unlink(path) == 0);
	return 0;
}
/*
 * input: brings bytes from elsewhere
 * expect: 9 7 7
 * expect: Z hereabcde abcde brin brings
 * expect: tail
 * expect: 0 0
 * expect: 2337275904
 * expect: 0
 */
