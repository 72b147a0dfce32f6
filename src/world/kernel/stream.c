/*
 * stream.c: reading and writing what may not be ready. The descriptor is polled first. What poll does not show,
 * because a call wants all of its bytes or waits for a peer's queue, is found out by making the call without waiting.
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
#include "world/kernel/calls.h"
#include "world/kernel/clock.h"
#include "world/kernel/descriptor.h"
#include "world/kernel/outside.h"
#include "world/parts.h"
#include "world/signals/signal.h"

/* A pipe that is ready takes this much without waiting. */
#define PIPE_PART 4096u

static enum wake wait_for(int fd, short events)
{
	return outside_wait_until(fd, events, NO_DEADLINE);
}

static bool is_nonblocking_call(long number, const uint64_t a[6])
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

/* -1: it has none. */
static int socket_option(int fd, int name)
{
	int value = -1;
	socklen_t size = sizeof value;
	return sys_call(SYS_getsockopt, fd, SOL_SOCKET, name, (long)&value, (long)&size, 0) == 0 ? value : -1;
}

static bool is_stream_socket(int fd)
{
	return socket_option(fd, SO_TYPE) == SOCK_STREAM;
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
		if (is_nonblocking_call(number, a) || !descriptor_is_blocking((int)a[which]))
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

/* Which argument is the descriptor that such a call waits for beyond what poll shows, or -1. */
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

/*
 * Collects as much as was asked for, which poll cannot show: the bytes of a stream (recvfrom with MSG_WAITALL) or
 * messages (recvmmsg). fd: where the descriptor stands among the arguments; b: the arguments but for that.
 */
static long receive_all(long number, const uint64_t *fd, const uint64_t b[6])
{
	size_t unit = number == SYS_recvmmsg ? MESSAGE_BYTES : 1;
	bool is_one_enough = number == SYS_recvmmsg && (b[3] & MSG_WAITFORONE);
	long total = 0;
	while ((uint64_t)total < b[2]) {
		uint64_t c[6] = { *fd,
				  b[1] + (uint64_t)total * unit,
				  b[2] - (uint64_t)total,
				  (b[3] & ~(uint64_t)MSG_WAITALL) | MSG_DONTWAIT,
				  b[4],
				  b[5] };
		long got = outside_raw(number, c);
		if (got == -EAGAIN && total && is_one_enough)
			break;
		if (got == -EAGAIN) {
			if (wait_for((int)*fd, POLLIN) == WAKE_SIGNAL)
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

/* recvmsg with MSG_WAITALL: the first part together with its address and control data, then bytes only. */
static long receive_message(const uint64_t a[6])
{
	const struct msghdr *message = (const struct msghdr *)a[1];
	uint64_t flags = (a[2] & ~(uint64_t)MSG_WAITALL) | MSG_DONTWAIT;
	long total;
	for (;;) {
		uint64_t b[6] = { a[0], a[1], flags, 0, 0, 0 };
		total = outside_raw(SYS_recvmsg, b);
		if (total != -EAGAIN)
			break;
		if (wait_for((int)a[0], POLLIN) == WAKE_SIGNAL)
			return -RESTART;
	}
	if (total <= 0)
		return total;
	size_t before = 0;
	for (size_t i = 0; i < message->msg_iovlen; i++) {
		const struct iovec *part = &message->msg_iov[i];
		size_t skip = (size_t)total > before ? (size_t)total - before : 0;
		before += part->iov_len;
		if (skip >= part->iov_len)
			continue;
		uint64_t b[6] = { 0, (uint64_t)part->iov_base + skip, part->iov_len - skip, flags, 0, 0 };
		long got = receive_all(SYS_recvfrom, &a[0], b);
		total += got > 0 ? got : 0;
		if (got < (long)b[2])
			break;
	}
	return total;
}

/* The same bytes each time, until they are all there or there will be no more. */
static long peek_all(long number, const uint64_t a[6], size_t wanted)
{
	for (;;) {
		uint64_t b[6];
		memcpy(b, a, sizeof b);
		b[number == SYS_recvmsg ? 2 : 3] |= MSG_DONTWAIT;
		long got = outside_raw(number, b);
		if ((got < 0 && got != -EAGAIN) || got >= (long)wanted || got == 0 ||
		    (got > 0 && descriptor_is_ready((int)a[0], POLLRDHUP)))
			return got;
		if (outside_wait_retry(NO_DEADLINE) == WAKE_SIGNAL)
			return got > 0 ? got : -RESTART;
	}
}

/* One part of a blocking write that must go out as a whole. */
static long write_part(int fd, bool is_socket, const char *from, size_t size, uint64_t flags)
{
	if (is_socket)
		return sys_call(SYS_sendto, fd, (long)from, (long)size, (long)(flags | MSG_DONTWAIT), 0, 0);
	return sys_write(fd, from, size < PIPE_PART ? size : PIPE_PART);
}

static long write_all(const uint64_t a[6], const struct iovec *parts, size_t count, uint64_t flags)
{
	bool is_socket = descriptor_is_socket((int)a[0]);
	long total = 0;
	uint64_t all = 0;
	if (count > IOV_MAX)
		return -EINVAL;
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

/* Whether the write goes in parts; then *result is what came of it. */
static bool write_in_parts(long number, const uint64_t a[6], long *result)
{
	int fd = (int)a[0];
	struct iovec one = { (void *)a[1], a[2] };
	/* The reader of our standard output must not influence the schedule: the whole world waits for it. */
	if (descriptor_output(fd))
		return false;
	if (!descriptor_is_stream(fd) || is_nonblocking_call(number, a) || !descriptor_is_blocking(fd))
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
		*result = message->msg_iovlen > IOV_MAX ? -EMSGSIZE
							: write_all(a, message->msg_iov, message->msg_iovlen, a[2]);
		return true;
	}
	default:
		return false;
	}
}

static size_t length_of(const struct msghdr *message)
{
	size_t total = 0;
	for (size_t i = 0; i < message->msg_iovlen; i++)
		total += message->msg_iov[i].iov_len;
	return total;
}

/* Whether it waits until all is there; then *result is what came of it. */
static bool receive_whole(long number, const uint64_t a[6], long *result)
{
	bool is_message = number == SYS_recvmsg;
	uint64_t flags = is_message ? a[2] : a[3];
	if ((number != SYS_recvfrom && number != SYS_recvmsg && number != SYS_recvmmsg) ||
	    is_nonblocking_call(number, a) || !descriptor_is_blocking((int)a[0]))
		return false;
	if (number == SYS_recvmmsg) {
		*result = a[4] ? 0 : receive_all(number, &a[0], a);
		return !a[4];
	}
	if (!(flags & MSG_WAITALL) || !is_stream_socket((int)a[0]))
		return false;
	if ((flags & MSG_PEEK) && socket_option((int)a[0], SO_DOMAIN) == AF_UNIX)
		return false; /* these do not wait for all */
	if (flags & MSG_PEEK)
		*result = peek_all(number, a, is_message ? length_of((const struct msghdr *)a[1]) : a[2]);
	else
		*result = is_message ? receive_message(a) : receive_all(number, &a[0], a);
	return true;
}

/* Whether the kernel never lets it wait, in any case: it has one descriptor, and that one does not wait. */
static bool never_waits(long number, const uint64_t a[6], const struct call *call)
{
	int fd = (int)a[call->descriptor], beyond = waits_beyond(number);
	if ((beyond >= 0 && beyond != call->descriptor) || descriptor_output(fd))
		return false;
	return descriptor_is_plain(fd) || (descriptor_is_stream(fd) && !descriptor_is_blocking(fd));
}

long outside_stream_call(long number, const uint64_t a[6])
{
	const struct call *call = call_of(number);
	int beyond = descriptor_output((int)a[call->descriptor]) || is_nonblocking_call(number, a)
			     ? -1
			     : waits_beyond(number);
	long result;
	if (never_waits(number, a, call))
		return outside_raw(number, a);
	if ((call->flags & CALL_BLOCKS_WRITE) && write_in_parts(number, a, &result))
		return result;
	if (receive_whole(number, a, &result))
		return result;
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
