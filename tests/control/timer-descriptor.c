/* timerfd: the timer belongs to the file, not to the number. It goes on through a copy, ends with the last one, and leaves
 * a file alone that was given its number. */
#include "check.h"
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

static const struct itimerspec every_ms = { { 0, 1000000 }, { 0, 1000000 } };

static int timer(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	CHECK(fd >= 0);
	return fd;
}

static uint64_t expirations(int fd)
{
	uint64_t count = 0;
	CHECK(read(fd, &count, sizeof(count)) == sizeof(count));
	return count;
}

static void *close_later(void *argument)
{
	usleep(20000);
	CHECK(close(*(int *)argument) == 0);
	return NULL;
}

int main(void)
{
	/* Each way to give the number away. */
	int file = memfd_create("file", 0);
	struct stat status;
	int first = timer(), second = timer(), third = timer();
	CHECK(timerfd_settime(first, 0, &every_ms, NULL) == 0 && timerfd_settime(second, 0, &every_ms, NULL) == 0);
	CHECK(timerfd_settime(third, 0, &every_ms, NULL) == 0);
	CHECK(dup2(file, first) == first);
	CHECK(close_range((unsigned)second, (unsigned)second, 0) == 0 && dup(file) == second);
	CHECK(close(third) == 0 && dup3(file, third, O_CLOEXEC) == third);
	usleep(10000);
	CHECK(fstat(file, &status) == 0);
	printf("file has %d bytes\n", (int)status.st_size);
	CHECK(timerfd_settime(first, 0, &every_ms, NULL) == -1 && errno == EINVAL);

	/* A copy is the timer, before and after the first number is gone. */
	int number = timer(), copy = dup(number);
	CHECK(timerfd_settime(copy, 0, &every_ms, NULL) == 0);
	usleep(2500);
	CHECK(expirations(number) >= 2);
	close(number);
	usleep(2500);
	CHECK(expirations(copy) >= 2);
	struct itimerspec left, none = { 0 };
	CHECK(timerfd_gettime(copy, &left) == 0 && left.it_interval.tv_nsec == 1000000);
	CHECK(timerfd_settime(copy, 0, &none, NULL) == 0);
	CHECK(timerfd_gettime(copy, &left) == 0 && left.it_value.tv_nsec == 0);
	close(copy);
	printf("copies are one timer\n");

	/* The only number is closed while a thread waits with it. */
	const struct itimerspec later = { .it_value = { 0, 100000000 } };
	number = timer();
	CHECK(timerfd_settime(number, 0, &later, NULL) == 0);
	pthread_t thread = start(close_later, &number);
	printf("waited for %d\n", (int)expirations(number));
	finish(thread);
	return 0;
}
/*
 * expect: file has 0 bytes
 * expect: copies are one timer
 * expect: waited for 1
 */
