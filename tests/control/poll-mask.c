/* ppoll, pselect and epoll_pwait with a mask that lets a pending signal through: with a descriptor that is ready they return
 * that, and the signal waits; without one the handler runs and they are interrupted. The old mask is back afterwards. */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

static volatile int handled;
static int ends[2], set;

static void handle(int number)
{
	(void)number;
	handled++;
}

static int by_poll(const sigset_t *mask)
{
	struct pollfd one = { ends[0], POLLIN, 0 };
	return ppoll(&one, 1, NULL, mask);
}

static int by_select(const sigset_t *mask)
{
	fd_set readable;
	FD_ZERO(&readable);
	FD_SET(ends[0], &readable);
	return pselect(ends[0] + 1, &readable, NULL, NULL, NULL, mask);
}

static int by_epoll(const sigset_t *mask)
{
	struct epoll_event event;
	return epoll_pwait(set, &event, 1, -1, mask);
}

static void look(const char *name, int (*function)(const sigset_t *))
{
	sigset_t all, none, now;
	char byte;
	sigemptyset(&none);
	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
	handled = 0;
	CHECK(write(ends[1], "x", 1) == 1 && raise(SIGUSR1) == 0);
	printf("%s %d handled %d, ", name, function(&none), handled);
	CHECK(read(ends[0], &byte, 1) == 1);
	int result = function(&none);
	printf("%s handled %d\n", result == -1 && errno == EINTR ? "interrupted" : "not interrupted", handled);
	CHECK(pthread_sigmask(SIG_SETMASK, NULL, &now) == 0 && sigismember(&now, SIGUSR1));
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	signal(SIGUSR1, handle);
	set = epoll_create1(0);
	CHECK(pipe(ends) == 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
	look("ppoll", by_poll);
	look("pselect", by_select);
	look("epoll_pwait", by_epoll);
	return 0;
}
/*
 * expect: ppoll 1 handled 0, interrupted handled 1
 * expect: pselect 1 handled 0, interrupted handled 1
 * expect: epoll_pwait 1 handled 0, interrupted handled 1
 */
