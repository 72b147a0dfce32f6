/* A thread that blocks SIGPIPE and takes it with sigtimedwait, as libraries do that must not disturb their program. */
#include "check.h"
#include <signal.h>

static void *work(void *argument)
{
	int ends[2];
	sigset_t set;
	struct timespec none = { 0, 0 };
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
	CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
	CHECK(sigtimedwait(&set, NULL, &none) == SIGPIPE);
	CHECK(sigtimedwait(&set, NULL, &none) == -1 && errno == EAGAIN);
	close(ends[1]);
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	printf("alive\n");
	return 0;
}
/*
 * expect: alive
 */
