/* poll.c: calls that wait for several descriptors. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>

#include "rt/sys.h"
#include "world/kernel/clock.h"
#include "world/kernel/hold.h"
#include "world/kernel/outside.h"
#include "world/signals/signal.h"

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

/* Room for lists and sets, which are ours while a thread waits: stacks may be small, and what is given back serves the
 * next one that is not larger. */
struct room {
	struct room *next;
	size_t size;
	struct pollfd polls[];
};

static struct room *free_rooms;

#define ROOM_FIRST 4096u

static struct room *take_room(size_t bytes)
{
	size_t size = ROOM_FIRST;
	for (struct room **at = &free_rooms; *at; at = &(*at)->next)
		if ((*at)->size >= sizeof **at + bytes) {
			struct room *room = *at;
			*at = room->next;
			return room;
		}
	while (size < sizeof(struct room) + bytes)
		size *= 2;
	struct room *room = world_pages(size);
	if (room)
		room->size = size;
	return room;
}

static void give_room(struct room *room)
{
	room->next = free_rooms;
	free_rooms = room;
}

static long poll_list(const uint64_t a[6], uint64_t deadline)
{
	uint32_t count = (uint32_t)a[1];
	uint64_t b[6] = { a[0], count, 0, 0, 0, 0 };
	struct room *room = NULL;
	long result;
	for (;;) {
		result = outside_raw(SYS_poll, b);
		if (result != 0 || clock_now() >= deadline)
			break;
		if (!room && !(room = take_room(count * sizeof *room->polls)))
			return -ENOMEM;
		memcpy(room->polls, (void *)a[0], count * sizeof *room->polls);
		for (uint32_t i = 0; i < count; i++)
			room->polls[i].revents = 0;
		enum wake wake = outside_wait_list(room->polls, count, deadline);
		hold_end_list(room->polls, count);
		if (wake == WAKE_SIGNAL) {
			result = -RESTART;
			break;
		}
	}
	if (room)
		give_room(room);
	return result;
}

static long poll_events(const uint64_t a[6], uint64_t deadline)
{
	for (;;) {
		uint64_t b[6] = { a[0], a[1], a[2], 0, 0, 0 };
		long result = outside_raw(SYS_epoll_wait, b);
		if (result != 0 || clock_now() >= deadline)
			return result;
		struct pollfd poll = { (int)a[0], POLLIN, 0 };
		if (outside_wait_list(&poll, 1, deadline) == WAKE_SIGNAL)
			return -RESTART;
	}
}

/* Those of select: as they were given, and as a list. */
struct sets {
	size_t count, bytes;
	unsigned char *given[3], before[3][SETS_BYTES];
	struct pollfd polls[];
};

static bool is_in(const unsigned char *set, size_t fd)
{
	return set[fd / 8] >> fd % 8 & 1;
}

static uint32_t list_of(struct sets *sets)
{
	static const short events[3] = { POLLIN, POLLOUT, POLLPRI };
	uint32_t used = 0;
	for (size_t fd = 0; fd < sets->count; fd++) {
		short wanted = 0;
		for (int i = 0; i < 3; i++)
			if (sets->given[i] && is_in(sets->before[i], fd))
				wanted = (short)(wanted | events[i]);
		if (wanted)
			sets->polls[used++] = (struct pollfd){ (int)fd, wanted, 0 };
	}
	return used;
}

static void put_back(const struct sets *sets)
{
	for (int i = 0; i < 3; i++)
		if (sets->given[i])
			memcpy(sets->given[i], sets->before[i], sets->bytes);
}

/* select itself refuses numbers that are not open. But one that was closed while it waited counts as ready. */
static long select_closed(struct sets *sets)
{
	static const short counts[3] = { POLLIN | POLLHUP | POLLERR | POLLNVAL, POLLOUT | POLLERR | POLLNVAL,
					 POLLPRI | POLLNVAL };
	uint32_t used = list_of(sets);
	long result = sys_call(SYS_poll, (long)sets->polls, used, 0, 0, 0, 0), total = 0;
	if (result < 0)
		return result;
	for (int i = 0; i < 3; i++)
		if (sets->given[i])
			memset(sets->given[i], 0, sets->bytes);
	for (uint32_t k = 0; k < used; k++) {
		size_t fd = (size_t)sets->polls[k].fd;
		for (int i = 0; i < 3; i++)
			if (sets->given[i] && is_in(sets->before[i], fd) && (sets->polls[k].revents & counts[i])) {
				sets->given[i][fd / 8] |= (unsigned char)(1u << fd % 8);
				total++;
			}
	}
	return total;
}

static long select_waiting(struct sets *sets, const uint64_t a[6], uint64_t deadline)
{
	struct timeval zero = { 0, 0 };
	uint64_t b[6] = { a[0], a[1], a[2], a[3], (uint64_t)&zero, 0 };
	bool is_spurious = false, has_waited = false;
	for (;;) {
		long result = outside_raw(SYS_select, b);
		if (result == -EBADF && has_waited)
			result = select_closed(sets);
		if (result != 0 || clock_now() >= deadline)
			return result;
		put_back(sets);
		/* An end that hung up is ready for poll and not for select: then only time helps. */
		uint32_t count = list_of(sets);
		enum wake wake =
			is_spurious ? outside_wait_retry(deadline) : outside_wait_list(sets->polls, count, deadline);
		if (!is_spurious)
			hold_end_list(sets->polls, count);
		if (wake == WAKE_SIGNAL)
			return -RESTART;
		is_spurious = wake == WAKE_DONE;
		has_waited = true;
	}
}

static long poll_sets(const uint64_t a[6], uint64_t deadline)
{
	size_t count = (uint32_t)a[0], bytes = (count + 63) / 64 * 8;
	if ((int)a[0] < 0 || bytes > SETS_BYTES)
		return -EINVAL;
	for (int i = 1; i <= 3; i++) /* bad pointers are found before there is anything to release */
		if (a[i] && bytes)
			(void)((const volatile char *)a[i])[0], (void)((const volatile char *)a[i])[bytes - 1];
	struct room *room = take_room(sizeof(struct sets) + count * sizeof(struct pollfd));
	if (!room)
		return -ENOMEM;
	struct sets *sets = (struct sets *)room->polls;
	sets->count = count;
	sets->bytes = bytes;
	for (int i = 0; i < 3; i++) {
		sets->given[i] = (unsigned char *)a[1 + i];
		if (sets->given[i])
			memcpy(sets->before[i], sets->given[i], bytes);
	}
	long result = select_waiting(sets, a, deadline);
	give_room(room);
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

/* Linux writes back the remaining time. */
static void write_remaining(long number, const uint64_t a[6], uint64_t deadline)
{
	uint64_t now = clock_now(), left = deadline > now ? deadline - now : 0;
	if (number == SYS_select && a[4])
		*(struct timeval *)a[4] =
			(struct timeval){ (time_t)(left / 1000000000u), (suseconds_t)(left % 1000000000u / 1000u) };
	else if ((number == SYS_pselect6 && a[4]) || (number == SYS_ppoll && a[2]))
		clock_split(left, (struct timespec *)a[number == SYS_ppoll ? 2 : 4]);
}

uint64_t outside_poll_deadline(long number, const uint64_t a[6])
{
	switch (number) {
	case SYS_poll:
		return after_ms((int)a[2]);
	case SYS_ppoll:
		return after_time((const struct timespec *)a[2]);
	case SYS_select:
		return after_timeval((const struct timeval *)a[4]);
	case SYS_pselect6:
		return after_time((const struct timespec *)a[4]);
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return after_ms((int)a[3]);
	case SYS_epoll_pwait2:
		return after_time((const struct timespec *)a[3]);
	default:
		return NO_DEADLINE;
	}
}

long outside_poll_call(long number, const uint64_t a[6])
{
	long result;
	if (!is_valid(number, a))
		return -EINVAL;
	uint64_t deadline = outside_poll_deadline(number, a);
	switch (number) {
	case SYS_poll:
		return poll_list(a, deadline);
	case SYS_ppoll:
		result = poll_list(a, deadline);
		break;
	case SYS_select:
	case SYS_pselect6:
		result = poll_sets(a, deadline);
		break;
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return poll_events(a, deadline);
	default:
		return -ENOSYS;
	}
	write_remaining(number, a, deadline);
	return result;
}
