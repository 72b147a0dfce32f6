/* Nonblocking pipes with poll: EAGAIN when empty and when full, POLLIN, POLLOUT and POLLHUP. */
#include "check.h"
#include <fcntl.h>
#include <poll.h>

static int ends[2];

static void *writes(void *argument)
{
	size_t left = 300000;
	char block[4096];
	memset(block, 'x', sizeof(block));
	while (left > 0) {
		size_t size = left < sizeof(block) ? left : sizeof(block);
		ssize_t wrote = write(ends[1], block, size);
		if (wrote == -1) {
			CHECK(errno == EAGAIN);
			struct pollfd one = { .fd = ends[1], .events = POLLOUT };
			CHECK(poll(&one, 1, -1) == 1 && (one.revents & POLLOUT));
			continue;
		}
		left -= (size_t)wrote;
	}
	close(ends[1]);
	return argument;
}

int main(void)
{
	char block[5000];
	CHECK(pipe2(ends, O_NONBLOCK) == 0);
	CHECK(read(ends[0], block, 1) == -1 && errno == EAGAIN);
	struct pollfd one = { .fd = ends[0], .events = POLLIN };
	CHECK(poll(&one, 1, 0) == 0);
	CHECK(poll(&one, 1, 5) == 0);
	pthread_t thread = start(writes, NULL);
	size_t total = 0;
	for (;;) {
		CHECK(poll(&one, 1, 100000) == 1);
		ssize_t got = read(ends[0], block, sizeof(block));
		if (got == 0)
			break;
		if (got == -1)
			CHECK(errno == EAGAIN);
		else
			total += (size_t)got;
	}
	CHECK(one.revents & POLLHUP);
	finish(thread);
	printf("total %zu\n", total);
	return 0;
}
/*
 * expect: total 300000
 */
