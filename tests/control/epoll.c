/* epoll, level and edge triggered, with pipes, an eventfd and a timerfd, waited for in two threads. */
#include "check.h"
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

static int set, event, ends[2];

static void *writes(void *argument)
{
	for (int i = 0; i < 20; i++) {
		CHECK(write(ends[1], "xy", 2) == 2);
		if (i % 5 == 0)
			usleep(100);
	}
	uint64_t one = 1;
	CHECK(write(event, &one, 8) == 8);
	return argument;
}

int main(void)
{
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), bytes = 0, events = 0, ticks = 0;
	set = epoll_create1(EPOLL_CLOEXEC);
	event = eventfd(0, EFD_CLOEXEC);
	CHECK(set >= 0 && event >= 0 && timer >= 0 && pipe2(ends, O_NONBLOCK) == 0);
	struct epoll_event what = { .events = EPOLLIN | EPOLLET, .data.u32 = 1 }, got[4];
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &what) == 0);
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &what) == -1 && errno == EEXIST);
	what = (struct epoll_event){ .events = EPOLLIN, .data.u32 = 2 };
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, event, &what) == 0);
	what.data.u32 = 3;
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, timer, &what) == 0);
	CHECK(epoll_wait(set, got, 4, 0) == 0);
	CHECK(epoll_wait(set, got, 4, 3) == 0);
	struct itimerspec at = { .it_value = { 0, 2000000 } };
	CHECK(timerfd_settime(timer, 0, &at, NULL) == 0);
	pthread_t thread = start(writes, NULL);
	while (bytes < 40 || events == 0 || ticks == 0) {
		int count = epoll_wait(set, got, 4, -1);
		CHECK(count > 0);
		for (int i = 0; i < count; i++) {
			uint64_t value;
			char buffer[7];
			ssize_t size;
			switch (got[i].data.u32) {
			case 1:
				while ((size = read(ends[0], buffer, sizeof(buffer))) > 0)
					bytes += (int)size;
				CHECK(errno == EAGAIN);
				break;
			case 2:
				CHECK(read(event, &value, 8) == 8);
				events += (int)value;
				break;
			default:
				CHECK(read(timer, &value, 8) == 8);
				ticks += (int)value;
			}
		}
	}
	finish(thread);
	CHECK(epoll_ctl(set, EPOLL_CTL_DEL, event, NULL) == 0);
	CHECK(epoll_ctl(set, EPOLL_CTL_DEL, event, NULL) == -1 && errno == ENOENT);
	printf("bytes %d events %d ticks %d\n", bytes, events, ticks);
	return 0;
}
/*
 * expect: bytes 40 events 1 ticks 1
 */
