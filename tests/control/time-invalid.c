/* Times that are none: EINVAL from all that take one, and nothing waits. */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/timerfd.h>

static void is_refused(const char *what, long result)
{
	printf("%s %s\n", what, result == -1 && errno == EINVAL ? "refused" : "taken");
	errno = 0;
}

int main(void)
{
	struct timespec bad[] = { { 0, 2000000000 }, { 0, -1 }, { -1, 0 } };
	int set = epoll_create1(0);
	struct epoll_event event;
	sigset_t none;
	sigemptyset(&none);
	CHECK(set >= 0);
	for (int i = 0; i < 3; i++) {
		is_refused("pselect", pselect(0, NULL, NULL, NULL, &bad[i], NULL));
		is_refused("ppoll", ppoll(NULL, 0, &bad[i], NULL));
		is_refused("epoll", epoll_pwait2(set, &event, 1, &bad[i], NULL));
		is_refused("nanosleep", nanosleep(&bad[i], NULL));
		is_refused("sigtimedwait", sigtimedwait(&none, NULL, &bad[i]));
		struct itimerspec timer = { .it_value = bad[i] };
		int fd = timerfd_create(CLOCK_MONOTONIC, 0);
		is_refused("timerfd", timerfd_settime(fd, 0, &timer, NULL));
		close(fd);
	}
	is_refused("select", select(0, NULL, NULL, NULL, &(struct timeval){ -1, 0 }));
	is_refused("select", select(0, NULL, NULL, NULL, &(struct timeval){ 0, -1 }));
	return 0;
}
/*
 * expect: pselect refused
 * expect: ppoll refused
 * expect: epoll refused
 * expect: nanosleep refused
 * expect: sigtimedwait refused
 * expect: timerfd refused
 * expect: pselect refused
 * expect: ppoll refused
 * expect: epoll refused
 * expect: nanosleep refused
 * expect: sigtimedwait refused
 * expect: timerfd refused
 * expect: pselect refused
 * expect: ppoll refused
 * expect: epoll refused
 * expect: nanosleep refused
 * expect: sigtimedwait refused
 * expect: timerfd refused
 * expect: select refused
 * expect: select refused
 */
