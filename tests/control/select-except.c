/* select for exceptions of an end that hung up: that is none, though poll finds the descriptor ready. It waits its time, and
 * other threads run meanwhile. */
#include "check.h"
#include <sys/select.h>
#include <sys/socket.h>

static int turns;

static void *work(void *argument)
{
	for (int i = 0; i < 5; i++) {
		usleep(1000);
		turns++;
	}
	return argument;
}

static int except_of(int fd, long us)
{
	struct timeval time = { 0, us };
	fd_set set;
	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, NULL, NULL, &set, &time);
}

int main(void)
{
	int ends[2];
	CHECK(pipe(ends) == 0 && close(ends[1]) == 0);
	pthread_t thread = start(work, NULL);
	long long before = now_ns(CLOCK_MONOTONIC);
	CHECK(except_of(ends[0], 100000) == 0);
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 100000000);
	finish(thread);
	printf("%d turns\n", turns);
	close(ends[0]);

	/* The other one can be read, which is no exception either; both at once are what they are. */
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && write(ends[1], "x", 1) == 1 && close(ends[1]) == 0);
	CHECK(except_of(ends[0], 1000) == 0);
	fd_set readable, except;
	FD_ZERO(&readable);
	FD_SET(ends[0], &readable);
	except = readable;
	CHECK(select(ends[0] + 1, &readable, NULL, &except, NULL) == 1);
	printf("readable %d, exception %d\n", FD_ISSET(ends[0], &readable) != 0, FD_ISSET(ends[0], &except) != 0);
	return 0;
}
/*
 * expect: 5 turns
 * expect: readable 1, exception 0
 */
