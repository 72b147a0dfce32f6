/* The processor's counter (rdtsc, rdtscp): goes on, also while a thread sleeps, and is the same for the same seed. */
#include "check.h"
#include <stdint.h>
#include <x86intrin.h>

static uint64_t with_processor(void)
{
	unsigned processor;
	return __rdtscp(&processor);
}

static void *work(void *argument)
{
	uint64_t last = __rdtsc();
	for (int i = 0; i < 20; i++) {
		uint64_t now = i % 2 ? __rdtsc() : with_processor();
		CHECK(now > last);
		last = now;
		if (i % 5 == 0)
			usleep(10);
	}
	*(uint64_t *)argument = last;
	return NULL;
}

int main(void)
{
	uint64_t before = __rdtsc(), ends[3];
	usleep(10000);
	uint64_t slept = with_processor() - before;
	CHECK(slept >= 1000000); /* at 100 MHz */
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, &ends[i]);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	for (int i = 0; i < 3; i++)
		printf("%llu ", (unsigned long long)ends[i]);
	printf("%llu %llu\n", (unsigned long long)before, (unsigned long long)slept);
	return 0;
}
/*
 * output: the same for the same seed
 */
