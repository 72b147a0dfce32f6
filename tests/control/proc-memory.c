/* The program's own memory as a file: reading it is reading a file, writing would change memory behind the world's back. */
#include "check.h"

#include <fcntl.h>

int main(void)
{
	char by_id[64];
	volatile int value = 5, copy = 0;
	int fd = open("/proc/self/mem", O_RDONLY);
	CHECK(fd >= 0 && pread(fd, (void *)&copy, sizeof copy, (off_t)&value) == sizeof copy && copy == 5);
	CHECK(close(fd) == 0);
	CHECK(open("/proc/self/mem", O_RDWR) == -1 && errno == EACCES);
	snprintf(by_id, sizeof by_id, "/proc/%d/mem", getpid());
	CHECK(open(by_id, O_WRONLY) == -1 && errno == EACCES);
	int folder = open("/proc/self", O_DIRECTORY);
	CHECK(folder >= 0 && openat(folder, "mem", O_RDWR) == -1 && errno == EACCES);
	CHECK(open("/proc/self/comm", O_RDWR) >= 0);
	puts("not written to");
	return 0;
}
/*
 * expect: not written to
 * skip: native
 */
