/* select tells what is left of its time: nothing when it is up, the rest when a descriptor was ready before. */
#include "check.h"
#include <sys/select.h>
#include <sys/syscall.h>

static int ends[2];

static void *write_later(void *argument)
{
	usleep(20000);
	CHECK(write(ends[1], "x", 1) == 1);
	return argument;
}

/* As select, but with what pselect6 itself does to the time, which libc hides. */
static long pselect6(int count, fd_set *set, struct timespec *time)
{
	return syscall(SYS_pselect6, count, set, NULL, NULL, time, NULL);
}

int main(void)
{
	struct timeval time = { 0, 30000 };
	int rounds = 0;
	do {
		CHECK(select(0, NULL, NULL, NULL, &time) == 0);
		rounds++;
	} while ((time.tv_sec || time.tv_usec) && rounds < 100);
	printf("nothing left after %d\n", rounds);

	fd_set set;
	CHECK(pipe(ends) == 0);
	for (int i = 0; i < 2; i++) {
		char byte;
		struct timespec exact = { 1000, 0 };
		time = (struct timeval){ 1000, 0 };
		pthread_t thread = start(write_later, NULL);
		FD_ZERO(&set);
		FD_SET(ends[0], &set);
		CHECK((i ? pselect6(ends[0] + 1, &set, &exact) : select(ends[0] + 1, &set, NULL, NULL, &time)) == 1);
		CHECK(FD_ISSET(ends[0], &set));
		double left = i ? (double)exact.tv_sec + (double)exact.tv_nsec / 1e9
				: (double)time.tv_sec + (double)time.tv_usec / 1e6;
		CHECK(left > 900 && left < 999.99);
		finish(thread);
		CHECK(read(ends[0], &byte, 1) == 1);
	}
	printf("the rest is left\n");
	return 0;
}
/*
 * expect: nothing left after 1
 * expect: the rest is left
 * strict: that a thread which sleeps for 20 ms comes after another one has begun to wait
 */
