/* poll.c: calls that wait for several descriptors. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>

#include "rt/sys.h"
#include "world/clock.h"
#include "world/outside.h"
#include "world/signal.h"

#define SETS_BYTES 1024u /* of a descriptor set: 8192 descriptors */

static uint64_t after_ms(int64_t ms)
{
	return ms < 0 ? NO_DEADLINE : clock_now() + (uint64_t)ms * 1000000u;
}

static uint64_t after_time(const struct timespec *time)
{
	return time ? clock_after(time) : NO_DEADLINE;
}

static uint64_t after_timeval(const struct timeval *time)
{
	return time ? clock_now() + (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u
		    : NO_DEADLINE;
}

void outside_set_mask(struct thread *self, long number, const uint64_t a[6])
{
	const uint64_t *mask = NULL;
	if (number == SYS_ppoll)
		mask = (const uint64_t *)a[3];
	else if (number == SYS_epoll_pwait || number == SYS_epoll_pwait2)
		mask = (const uint64_t *)a[4];
	else if (number == SYS_pselect6 && a[5])
		mask = *(const uint64_t *const *)a[5];
	if (mask)
		signal_set_temporary_mask(self, *mask);
}

static long poll_list(const uint64_t a[6], uint64_t deadline)
{
	uint64_t b[6] = { a[0], a[1], 0, 0, 0, 0 };
	for (;;) {
		long result = outside_raw(SYS_poll, b);
		if (result != 0 || clock_now() >= deadline)
			return result;
		if (outside_wait_list((struct pollfd *)a[0], (uint32_t)a[1], deadline) == WAKE_SIGNAL)
			return -RESTART;
	}
}

static long poll_events(const uint64_t a[6], uint64_t deadline)
{
	struct pollfd poll = { (int)a[0], POLLIN, 0 };
	uint64_t b[6] = { a[0], a[1], a[2], 0, 0, 0 };
	for (;;) {
		long result = outside_raw(SYS_epoll_wait, b);
		if (result != 0 || clock_now() >= deadline)
			return result;
		if (outside_wait_list(&poll, 1, deadline) == WAKE_SIGNAL)
			return -RESTART;
	}
}

struct sets {
	unsigned char before[3][SETS_BYTES];
	struct pollfd polls[SETS_BYTES * 8];
};

static bool is_in(const unsigned char *set, size_t fd)
{
	return set[fd / 8] >> fd % 8 & 1;
}

static uint32_t list_of(struct sets *sets, size_t count, bool *has)
{
	uint32_t used = 0;
	for (size_t fd = 0; fd < count; fd++) {
		short events = (short)((has[0] && is_in(sets->before[0], fd) ? POLLIN : 0) |
				       (has[1] && is_in(sets->before[1], fd) ? POLLOUT : 0) |
				       (has[2] && is_in(sets->before[2], fd) ? POLLPRI : 0));
		if (events)
			sets->polls[used++] = (struct pollfd){ (int)fd, events, 0 };
	}
	return used;
}

/* The kernel overwrites the sets: they are kept for the next attempt. Room for them is taken once for each depth of
 * waiting threads, since stacks may be small. */
static struct sets *free_sets[64];
static uint32_t free_count;

static long poll_sets(const uint64_t a[6], uint64_t deadline)
{
	size_t bytes = ((size_t)a[0] + 63) / 64 * 8;
	bool has[3] = { a[1] != 0, a[2] != 0, a[3] != 0 };
	struct timeval zero = { 0, 0 };
	uint64_t b[6] = { a[0], a[1], a[2], a[3], (uint64_t)&zero, 0 };
	if ((int)a[0] < 0 || bytes > SETS_BYTES)
		return -EINVAL;
	struct sets *sets = free_count ? free_sets[--free_count] : world_pages(sizeof *sets);
	if (!sets)
		return -ENOMEM;
	for (int i = 0; i < 3; i++)
		if (has[i])
			memcpy(sets->before[i], (void *)a[1 + i], bytes);
	long result;
	bool is_vain = false;
	for (;;) {
		result = outside_raw(SYS_select, b);
		if (result != 0 || clock_now() >= deadline)
			break;
		for (int i = 0; i < 3; i++)
			if (has[i])
				memcpy((void *)a[1 + i], sets->before[i], bytes);
		/* An end that hung up is ready for poll and not for select: then only time helps. */
		uint32_t count = list_of(sets, a[0], has);
		enum wake wake =
			is_vain ? outside_wait_retry(deadline) : outside_wait_list(sets->polls, count, deadline);
		if (wake == WAKE_SIGNAL) {
			result = -RESTART;
			break;
		}
		is_vain = wake == WAKE_DONE;
	}
	if (free_count < 64)
		free_sets[free_count++] = sets;
	return result;
}

static bool is_valid(long number, const uint64_t a[6])
{
	const struct timespec *time = (number == SYS_ppoll          ? (const struct timespec *)a[2]
				       : number == SYS_pselect6     ? (const struct timespec *)a[4]
				       : number == SYS_epoll_pwait2 ? (const struct timespec *)a[3]
								    : NULL);
	if (number == SYS_select && a[4]) {
		const struct timeval *old = (const struct timeval *)a[4];
		return old->tv_sec >= 0 && old->tv_usec >= 0;
	}
	return !time || clock_is_valid(time);
}

/* Linux tells what is left of the time. */
static void tell_left(long number, const uint64_t a[6], uint64_t deadline)
{
	uint64_t now = clock_now(), left = deadline > now ? deadline - now : 0;
	if (number == SYS_select && a[4])
		*(struct timeval *)a[4] =
			(struct timeval){ (time_t)(left / 1000000000u), (suseconds_t)(left % 1000000000u / 1000u) };
	else if ((number == SYS_pselect6 && a[4]) || (number == SYS_ppoll && a[2]))
		clock_split(left, (struct timespec *)a[number == SYS_ppoll ? 2 : 4]);
}

long outside_poll_call(long number, const uint64_t a[6])
{
	uint64_t deadline;
	long result;
	if (!is_valid(number, a))
		return -EINVAL;
	switch (number) {
	case SYS_poll:
		return poll_list(a, after_ms((int)a[2]));
	case SYS_ppoll:
		deadline = after_time((const struct timespec *)a[2]);
		result = poll_list(a, deadline);
		break;
	case SYS_select:
		deadline = after_timeval((const struct timeval *)a[4]);
		result = poll_sets(a, deadline);
		break;
	case SYS_pselect6:
		deadline = after_time((const struct timespec *)a[4]);
		result = poll_sets(a, deadline);
		break;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return poll_events(a, after_ms((int)a[3]));
	case SYS_epoll_pwait2:
		return poll_events(a, after_time((const struct timespec *)a[3]));
	default:
		return -ENOSYS;
	}
	tell_left(number, a, deadline);
	return result;
}
