/* SIGPIPE: handled it comes with EPIPE, ignored EPIPE alone, MSG_NOSIGNAL likewise. */
#include "check.h"
#include <signal.h>
#include <sys/socket.h>

static volatile sig_atomic_t handled;

static void handler(int number)
{
	handled += number == SIGPIPE;
}

int main(void)
{
	int ends[2], pair[2];
	CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	close(ends[0]);
	close(pair[0]);
	CHECK(signal(SIGPIPE, handler) == SIG_DFL);
	CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE && handled == 1);
	CHECK(send(pair[1], "x", 1, 0) == -1 && errno == EPIPE && handled == 2);
	CHECK(send(pair[1], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE && handled == 2);
	signal(SIGPIPE, SIG_IGN);
	CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE && handled == 2);
	printf("handled %d\n", handled);
	fflush(stdout);
	signal(SIGPIPE, SIG_DFL);
	CHECK(write(ends[1], "x", 1) == -2);
	return 0;
}
/*
 * expect: handled 2
 * ends: signal 13
 */
