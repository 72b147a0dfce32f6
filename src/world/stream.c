/*
 * stream.c: reading and writing what may not be ready. The descriptor is asked for first; what poll does not tell, because
 * a call wants all of its bytes or waits for somebody else's queue, is found out by making the call without waiting.
 *
 * A descriptor is always taken from the arguments, after each wait anew: see hold.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "rt/sys.h"
#include "world/calls.h"
#include "world/clock.h"
#include "world/descriptor.h"
#include "world/outside.h"
#include "world/parts.h"
#include "world/signal.h"

/* Pipes take so much without waiting when they say that they are ready. */
#define PIPE_PART 4096u

#define READER_MS 1000

static enum wake wait_for(int fd, short events)
{
	return outside_wait_until(fd, events, NO_DEADLINE);
}

static bool says_dont_wait(long number, const uint64_t a[6])
{
	switch (number) {
	case SYS_recvfrom:
	case SYS_sendto:
	case SYS_recvmmsg:
	case SYS_sendmmsg:
		return a[3] & MSG_DONTWAIT;
	case SYS_recvmsg:
	case SYS_sendmsg:
		return a[2] & MSG_DONTWAIT;
	case SYS_splice:
		return a[5] & SPLICE_F_NONBLOCK;
	case SYS_tee:
	case SYS_vmsplice:
		return a[3] & SPLICE_F_NONBLOCK;
	default:
		return false;
	}
}

/* SO_RCVTIMEO or SO_SNDTIMEO, in virtual time. */
static uint64_t socket_deadline(int fd, short events)
{
	struct timeval time = { 0, 0 };
	socklen_t size = sizeof time;
	if (!descriptor_is_socket(fd) ||
	    sys_call(SYS_getsockopt, fd, SOL_SOCKET, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, (long)&time,
		     (long)&size, 0) < 0 ||
	    (!time.tv_sec && !time.tv_usec))
		return NO_DEADLINE;
	return clock_now() + (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* 0 when the call can be made; else what it returns: a signal came first, or time was up. which: the argument that is
 * the descriptor. */
static long wait_stream(long number, const uint64_t a[6], int which, short events)
{
	uint64_t deadline = 0;
	if (descriptor_is_plain((int)a[which]) || (events == POLLOUT && descriptor_output((int)a[which])))
		return 0;
	while (!descriptor_is_ready((int)a[which], events)) {
		if (says_dont_wait(number, a) || !descriptor_is_blocking((int)a[which]))
			return 0;
		if (!deadline)
			deadline = socket_deadline((int)a[which], events);
		enum wake wake = outside_wait_until((int)a[which], events, deadline);
		if (wake != WAKE_DONE)
			return wake == WAKE_SIGNAL ? -RESTART : -EAGAIN;
	}
	return 0;
}

long outside_wait_input(long number, const uint64_t a[6])
{
	return wait_stream(number, a, call_of(number)->descriptor, POLLIN);
}

/* What to wait for: vmsplice goes either way. */
static short events_of(const struct call *call, long number, const uint64_t a[6])
{
	if (number == SYS_vmsplice) {
		long flags = sys_call(SYS_fcntl, (int)a[0], F_GETFL, 0, 0, 0, 0);
		return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY ? POLLOUT : POLLIN;
	}
	return call->flags & CALL_BLOCKS_READ ? POLLIN : POLLOUT;
}

long outside_raw_without_waiting(long number, const uint64_t a[6], int fd)
{
	long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	if (flags < 0 || (flags & O_NONBLOCK))
		return outside_raw(number, a);
	sys_call(SYS_fcntl, fd, F_SETFL, flags | O_NONBLOCK, 0, 0, 0);
	long result = outside_raw(number, a);
	sys_call(SYS_fcntl, fd, F_SETFL, flags, 0, 0, 0);
	return result;
}

/* Which argument is the descriptor that such a call waits for beyond what poll tells, or -1. */
static int waits_beyond(long number)
{
	switch (number) {
	case SYS_splice:
		return 2;
	case SYS_tee:
		return 1;
	case SYS_sendfile:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_recvmmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_vmsplice:
	case SYS_write:
	case SYS_writev:
	case SYS_mq_timedsend:
	case SYS_mq_timedreceive:
		return 0;
	default:
		return -1;
	}
}

/* Makes it again and again until it did not have to wait. */
static long make_without_waiting(long number, const uint64_t a[6], int which, bool is_output)
{
	uint64_t deadline = is_output ? NO_DEADLINE : 0;
	for (;;) {
		long result = outside_raw_without_waiting(number, a, (int)a[which]);
		if (result != -EAGAIN || !descriptor_is_blocking((int)a[which]))
			return result;
		if (!deadline)
			deadline = socket_deadline((int)a[which], POLLIN);
		enum wake wake = outside_wait_retry(deadline);
		if (wake != WAKE_DONE)
			return wake == WAKE_SIGNAL ? -RESTART : -EAGAIN;
	}
}

#define MESSAGE_BYTES 64u /* struct mmsghdr */

/* Collects as much as was asked for, which poll cannot tell: the bytes of a stream (recv with MSG_WAITALL) or messages
 * (recvmmsg). */
static long receive_all(long number, const uint64_t a[6])
{
	size_t unit = number == SYS_recvmmsg ? MESSAGE_BYTES : 1;
	bool is_one_enough = number == SYS_recvmmsg && (a[3] & MSG_WAITFORONE);
	uint64_t b[6];
	long total = 0;
	memcpy(b, a, sizeof b);
	b[3] = (a[3] & ~(uint64_t)MSG_WAITALL) | MSG_DONTWAIT;
	while ((uint64_t)total < a[2]) {
		b[0] = a[0];
		b[1] = a[1] + (uint64_t)total * unit;
		b[2] = a[2] - (uint64_t)total;
		long got = outside_raw(number, b);
		if (got == -EAGAIN && total && is_one_enough)
			break;
		if (got == -EAGAIN) {
			if (wait_for((int)a[0], POLLIN) == WAKE_SIGNAL)
				return total ? total : -RESTART;
			continue;
		}
		if (got <= 0)
			return total ? total : got;
		total += got;
		outside_touch();
	}
	return total;
}

/* One part of a blocking write that must go out as a whole. */
static long write_part(int fd, bool is_socket, const char *from, size_t size, uint64_t flags)
{
	if (is_socket)
		return sys_call(SYS_sendto, fd, (long)from, (long)size, (long)(flags | MSG_DONTWAIT), 0, 0);
	return sys_write(fd, from, size < PIPE_PART ? size : PIPE_PART);
}

/* Who reads the program's output decides when, but not what the run does: everybody waits, unless that takes long. */
static bool wait_for_reader(int fd)
{
	struct pollfd poll = { fd, POLLOUT, 0 };
	return descriptor_output(fd) && sys_call(SYS_poll, (long)&poll, 1, READER_MS, 0, 0, 0) == 1;
}

static long write_all(const uint64_t a[6], const struct iovec *parts, size_t count, uint64_t flags)
{
	bool is_socket = descriptor_is_socket((int)a[0]);
	long total = 0;
	uint64_t all = 0;
	if (count > IOV_MAX)
		return is_socket ? -EMSGSIZE : -EINVAL;
	for (size_t i = 0; i < count; i++)
		if (parts[i].iov_len > INT64_MAX || (all += parts[i].iov_len) > INT64_MAX)
			return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		for (size_t done = 0; done < parts[i].iov_len;) {
			int fd = (int)a[0];
			long got = descriptor_is_ready(fd, POLLOUT)
					   ? write_part(fd, is_socket, (const char *)parts[i].iov_base + done,
							parts[i].iov_len - done, flags)
					   : -EAGAIN;
			if (got == -EAGAIN) {
				if (wait_for_reader(fd))
					continue;
				outside_touch();
				if (wait_for(fd, POLLOUT) == WAKE_SIGNAL)
					return total ? total : -RESTART;
			} else if (got < 0) {
				return total ? total : got;
			} else {
				total += got;
				done += (size_t)got;
				outside_touch();
			}
		}
	}
	return total;
}

static bool is_stream_socket(int fd)
{
	int type = 0;
	socklen_t size = sizeof type;
	return sys_call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, (long)&type, (long)&size, 0) == 0 &&
	       type == SOCK_STREAM;
}

/* Whether the write goes in parts; then *result is what came of it. */
static bool write_in_parts(long number, const uint64_t a[6], long *result)
{
	int fd = (int)a[0];
	struct iovec one = { (void *)a[1], a[2] };
	/* Whoever reads our standard output must not have a say in the schedule: the whole world waits for it. */
	if (descriptor_output(fd))
		return false;
	if (!descriptor_is_stream(fd) || says_dont_wait(number, a) || !descriptor_is_blocking(fd))
		return false;
	if (descriptor_is_socket(fd) && !is_stream_socket(fd))
		return false;
	switch (number) {
	case SYS_write:
		*result = write_all(a, &one, 1, 0);
		return a[2] != 0;
	case SYS_writev:
		*result = write_all(a, (const struct iovec *)a[1], a[2], 0);
		return true;
	case SYS_sendto:
		if (a[4] || !a[2])
			return false;
		*result = write_all(a, &one, 1, a[3]);
		return true;
	case SYS_sendmsg: {
		const struct msghdr *message = (const struct msghdr *)a[1];
		if (message->msg_controllen || message->msg_name)
			return false;
		*result = write_all(a, message->msg_iov, message->msg_iovlen, a[2]);
		return true;
	}
	default:
		return false;
	}
}

/* Whether it waits until all is there. */
static bool receives_all(long number, const uint64_t a[6])
{
	int fd = (int)a[0];
	if ((number != SYS_recvfrom && number != SYS_recvmmsg) || (a[3] & MSG_DONTWAIT) || !descriptor_is_blocking(fd))
		return false;
	return number == SYS_recvmmsg ? !a[4] : (a[3] & MSG_WAITALL) && is_stream_socket(fd);
}

long outside_stream_call(long number, const uint64_t a[6])
{
	const struct call *call = call_of(number);
	int beyond =
		descriptor_output((int)a[call->descriptor]) || says_dont_wait(number, a) ? -1 : waits_beyond(number);
	long result;
	if ((call->flags & CALL_BLOCKS_WRITE) && write_in_parts(number, a, &result))
		return result;
	if (receives_all(number, a))
		return receive_all(number, a);
	result = wait_stream(number, a, call->descriptor, events_of(call, number, a));
	if (result)
		return result;
	return beyond >= 0 && !descriptor_is_plain((int)a[beyond])
		       ? make_without_waiting(number, a, beyond, beyond != call->descriptor)
		       : outside_raw(number, a);
}

long outside_connect(const uint64_t a[6])
{
	int error = 0;
	socklen_t size = sizeof error;
	for (;;) {
		int fd = (int)a[0];
		long result = outside_raw_without_waiting(SYS_connect, a, fd);
		if (!descriptor_is_blocking(fd))
			return result;
		if (result == -EAGAIN) { /* the listener's queue is full */
			if (outside_wait_retry(NO_DEADLINE) == WAKE_SIGNAL)
				return -RESTART;
		} else if (result == -EINPROGRESS || result == -EALREADY) {
			if (wait_for(fd, POLLOUT) == WAKE_SIGNAL)
				return -EINTR;
			sys_call(SYS_getsockopt, (int)a[0], SOL_SOCKET, SO_ERROR, (long)&error, (long)&size, 0);
			return -error;
		} else {
			return result;
		}
	}
}
