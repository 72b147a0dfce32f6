/* select, pselect, poll and ppoll over several pipes that threads write to, with time-outs. */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/select.h>

#define COUNT 4
static int pipes[COUNT][2];

static void *writes(void *argument)
{
	long index = (long)argument;
	for (int i = 0; i < 5; i++) {
		usleep(100 * (unsigned)index);
		char byte = (char)(index + 1);
		CHECK(write(pipes[index][1], &byte, 1) == 1);
	}
	close(pipes[index][1]);
	return NULL;
}

int main(void)
{
	pthread_t threads[COUNT];
	int highest = 0, sum = 0, open_count = COUNT, is_open[COUNT], way = 0;
	for (long i = 0; i < COUNT; i++) {
		CHECK(pipe(pipes[i]) == 0);
		is_open[i] = 1;
		if (pipes[i][0] > highest)
			highest = pipes[i][0];
	}
	fd_set set;
	FD_ZERO(&set);
	FD_SET(pipes[0][0], &set);
	struct timeval soon = { 0, 2000 };
	CHECK(select(highest + 1, &set, NULL, NULL, &soon) == 0 && !FD_ISSET(pipes[0][0], &set));
	for (long i = 0; i < COUNT; i++)
		threads[i] = start(writes, (void *)i);
	while (open_count > 0) {
		struct pollfd polls[COUNT];
		struct timespec late = { 100, 0 };
		FD_ZERO(&set);
		for (int i = 0; i < COUNT; i++) {
			polls[i] = (struct pollfd){ .fd = is_open[i] ? pipes[i][0] : -1, .events = POLLIN };
			if (is_open[i])
				FD_SET(pipes[i][0], &set);
		}
		int ready;
		switch (way++ % 4) {
		case 0:
			ready = select(highest + 1, &set, NULL, NULL, NULL);
			break;
		case 1:
			ready = pselect(highest + 1, &set, NULL, NULL, &late, NULL);
			break;
		case 2:
			ready = poll(polls, COUNT, -1);
			break;
		default:
			ready = ppoll(polls, COUNT, &late, NULL);
		}
		CHECK(ready > 0);
		for (int i = 0; i < COUNT; i++) {
			int is_ready = (way - 1) % 4 < 2 ? FD_ISSET(pipes[i][0], &set) : polls[i].revents != 0;
			char byte;
			if (!is_open[i] || !is_ready)
				continue;
			ssize_t got = read(pipes[i][0], &byte, 1);
			CHECK(got >= 0);
			if (got == 0) {
				is_open[i] = 0;
				open_count--;
			} else {
				sum += byte;
			}
		}
	}
	for (int i = 0; i < COUNT; i++)
		finish(threads[i]);
	printf("sum %d\n", sum);
	return 0;
}
/*
 * expect: sum 50
 */
