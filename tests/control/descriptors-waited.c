/* Numbers that are closed or given to another file while a thread waits with them: the wait goes on with the file. */
#include "check.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SETTLE usleep(20000) /* until the others wait */

static int ends[2];

static void *read_one(void *argument)
{
	char byte = '?';
	ssize_t got = read(ends[0], &byte, 1);
	CHECK(got == 1);
	*(char *)argument = byte;
	return NULL;
}

/* Closes a number in one of several ways while two threads read from it. */
static void closed(const char *how, void (*close_it)(int))
{
	char a, b;
	CHECK(pipe(ends) == 0);
	int number = ends[0], writer = ends[1];
	pthread_t first = start(read_one, &a), second = start(read_one, &b);
	SETTLE;
	int keeper = dup(number); /* or writing would be SIGPIPE, if the threads had lost it */
	close_it(number);
	SETTLE;
	CHECK(write(writer, "xx", 2) == 2);
	finish(first);
	finish(second);
	printf("%s: %c%c\n", how, a, b);
	close(number);
	close(keeper);
	close(writer);
}

static void by_close(int number)
{
	CHECK(close(number) == 0);
	CHECK(open("/dev/zero", O_RDONLY) == number);
}

static void by_dup2(int number)
{
	int zero = open("/dev/zero", O_RDONLY);
	CHECK(zero >= 0 && dup2(zero, number) == number);
	close(zero);
}

static void by_range(int number)
{
	CHECK(close_range((unsigned)number, (unsigned)number, 0) == 0);
}

/* What only a waiting call holds has no number that the program could close or find taken. */
static void by_all(int number)
{
	CHECK(close(number) == 0);
	for (int fd = 700; fd < 1010; fd++)
		CHECK(close(fd) == -1 && errno == EBADF);
	CHECK(close_range(700, 1010, 0) == 0);
	for (int fd = 890; fd < 1010; fd++)
		CHECK(dup2(ends[1], fd) == fd);
	CHECK(close_range(890, 1010, 0) == 0);
}

static void *fill(void *argument)
{
	static const char block[409600];
	CHECK(write(ends[1], block, sizeof(block)) == sizeof(block));
	return argument;
}

/* A child does not have it either: the pipe is at its end when the writer is done. */
static void forked(void)
{
	char block[4096];
	long total = 0;
	ssize_t got;
	CHECK(pipe(ends) == 0);
	pthread_t writer = start(fill, NULL);
	SETTLE;
	close(ends[1]);
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		alarm(60); /* should the parent fail */
		pause();
		_exit(0);
	}
	while ((got = read(ends[0], block, sizeof(block))) > 0)
		total += got;
	printf("end after %ld\n", total);
	finish(writer);
	close(ends[0]);
	CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
}

/* These look the number up again when the file wakes them. */
static void *poll_one(void *argument)
{
	struct pollfd one = { ends[0], POLLIN, 0 };
	CHECK(poll(&one, 1, -1) == 1);
	printf("poll %s\n", one.revents == POLLNVAL ? "invalid" : "other");
	return argument;
}

static void *select_one(void *argument)
{
	fd_set set;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	CHECK(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1);
	printf("select %d\n", FD_ISSET(ends[0], &set) != 0);
	return argument;
}

static void polled(void *(*function)(void *))
{
	CHECK(pipe(ends) == 0);
	pthread_t thread = start(function, NULL);
	SETTLE;
	int keeper = dup(ends[0]);
	close(ends[0]);
	SETTLE;
	CHECK(write(ends[1], "x", 1) == 1);
	finish(thread);
	close(keeper);
	close(ends[1]);
}

static void *wait_for_event(void *argument)
{
	struct epoll_event event = { 0 };
	CHECK(epoll_wait(*(int *)argument, &event, 1, -1) == 1);
	printf("epoll %u\n", event.data.u32);
	return NULL;
}

static void epolled(void)
{
	int set = epoll_create1(0), number = set;
	struct epoll_event event = { EPOLLIN, { .u32 = 7 } };
	CHECK(pipe(ends) == 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
	pthread_t thread = start(wait_for_event, &number);
	SETTLE;
	close(set);
	SETTLE;
	CHECK(write(ends[1], "x", 1) == 1);
	finish(thread);
}

int main(void)
{
	closed("close", by_close);
	closed("dup2", by_dup2);
	closed("close_range", by_range);
	closed("all", by_all);
	forked();
	polled(poll_one);
	polled(select_one);
	epolled();
	return 0;
}
/*
 * skip: native
 * expect: close: xx
 * expect: dup2: xx
 * expect: close_range: xx
 * expect: all: xx
 * expect: end after 409600
 * expect: poll invalid
 * expect: select 1
 * expect: epoll 7
 * strict: that 20 ms are enough for the others to wait
 */
