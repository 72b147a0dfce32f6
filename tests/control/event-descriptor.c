/* eventfd as counter and as semaphore, blocking, between threads; timerfd that ticks. */
#include "check.h"
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

static int semaphore, counter;

static void *takes(void *argument)
{
	(void)argument;
	long sum = 0;
	for (int i = 0; i < 10; i++) {
		uint64_t value;
		CHECK(read(semaphore, &value, sizeof(value)) == sizeof(value) && value == 1);
		sum++;
	}
	uint64_t seven = 7;
	CHECK(write(counter, &seven, sizeof(seven)) == sizeof(seven));
	return (void *)sum;
}

int main(void)
{
	semaphore = eventfd(0, EFD_SEMAPHORE);
	counter = eventfd(0, 0);
	pthread_t a = start(takes, NULL), b = start(takes, NULL);
	uint64_t value = 4;
	for (int i = 0; i < 5; i++)
		CHECK(write(semaphore, &value, sizeof(value)) == sizeof(value));
	long sum = (long)finish(a);
	sum += (long)finish(b);
	CHECK(read(counter, &value, sizeof(value)) == sizeof(value));
	printf("sum %ld value %lu\n", sum, (unsigned long)value);

	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct itimerspec every = { .it_interval = { 0, 1000000 }, .it_value = { 0, 1000000 } };
	long long before = now_ns(CLOCK_MONOTONIC);
	CHECK(timerfd_settime(timer, 0, &every, NULL) == 0);
	uint64_t ticks = 0;
	while (ticks < 10) {
		CHECK(read(timer, &value, sizeof(value)) == sizeof(value));
		ticks += value;
	}
	CHECK(now_ns(CLOCK_MONOTONIC) - before >= 10000000);
	printf("ticked\n");
	return 0;
}
/*
 * expect: sum 20 value 14
 * expect: ticked
 */
