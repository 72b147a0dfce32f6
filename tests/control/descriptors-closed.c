/* A program that closes every descriptor above 2, one by one and by range, goes on under control; numbers start at 3. */
#include "check.h"
#include <fcntl.h>
#include <sys/resource.h>

static void *work(void *argument)
{
	return argument;
}

int main(void)
{
	for (int i = 3; i < 1024; i++)
		close(i);
	int first = open("/dev/null", O_RDONLY);
	long sum = (long)finish(start(work, (void *)1));
	CHECK(close_range(3, ~0u, 0) == 0);
	int second = open("/dev/null", O_RDONLY);
	sum += (long)finish(start(work, (void *)2));
	closefrom(3);
	int third = dup(0);
	CHECK(dup2(1, 500) == 500 && close(500) == 0 && close(500) == -1 && errno == EBADF);
	struct rlimit limit;
	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= 1024);
	/* A number that Heddle might use itself. */
	int high = fcntl(0, F_DUPFD, 1016);
	if (limit.rlim_cur > 1024)
		CHECK(high >= 1016 && write(high, "", 0) <= 0 && close(high) == 0);
	printf("first %d second %d third %d sum %ld\n", first, second, third, sum);
	return 0;
}
/*
 * expect: first 3 second 3 third 3 sum 3
 */
