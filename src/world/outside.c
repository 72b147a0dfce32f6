/*
 * outside.c: system calls to the outside. While recording they are made, and what came back goes into the log; in a
 * replay it is taken from there and nothing is asked. A call that would wait never waits in the kernel: the thread blocks
 * until the descriptor is ready, and the others run.
 *
 * In the log a call is any number of BLOCK records, one for each time that it waited, and one CALL record; none when a
 * signal interrupted it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "rt/say.h"
#include "rt/sys.h"
#include "world/calls.h"
#include "world/clock.h"
#include "world/descriptor.h"
#include "world/hold.h"
#include "world/landing.h"
#include "world/log.h"
#include "world/outside.h"
#include "world/parts.h"
#include "world/proc_path.h"
#include "world/signal.h"

/* Pipes take so much without waiting when they say that they are ready. */
#define PIPE_PART 4096u

#define READER_MS 1000

long outside_raw(long number, const uint64_t a[6])
{
	return sys_call(number, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], (long)a[5]);
}

/* Blocks the current thread for the outside, in a replay by what the log says. */
static enum wake block(struct thread *self, const struct wait *wait)
{
	self->wait = *wait;
	if (world.is_replaying) {
		/* Only the log wakes it. */
		self->wait.deadline_ns = NO_DEADLINE;
		self->wait.poll_count = 0;
		log_advance();
	} else {
		log_write_block();
		outside_block(self);
	}
	return thread_block(self);
}

static enum wake wait_until(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd poll = { fd, events, 0 };
	struct wait wait = { .kind = WAIT_DESCRIPTORS,
			     .object = (void *)(intptr_t)fd,
			     .deadline_ns = deadline_ns,
			     .polls = &poll,
			     .poll_count = 1,
			     .is_interruptible = true };
	return block(world.current, &wait);
}

static enum wake wait_for(int fd, short events)
{
	return wait_until(fd, events, NO_DEADLINE);
}

enum wake outside_wait_list(struct pollfd *polls, uint32_t count, uint64_t deadline_ns)
{
	struct wait wait = { .kind = WAIT_DESCRIPTORS,
			     .deadline_ns = deadline_ns,
			     .polls = polls,
			     .poll_count = count,
			     .is_interruptible = true };
	return block(world.current, &wait);
}

enum wake outside_wait_retry(uint64_t deadline_ns)
{
	struct wait wait = { .kind = WAIT_RETRY, .deadline_ns = deadline_ns, .is_interruptible = true };
	return block(world.current, &wait);
}

static enum wake wait_retry(void)
{
	return outside_wait_retry(NO_DEADLINE);
}

/* Recording and replaying what a call wrote. */

static void count_piece(void *data, void *at, size_t size)
{
	(void)at;
	(void)size;
	++*(uint32_t *)data;
}

static void write_piece(void *data, void *at, size_t size)
{
	(void)data;
	log_write_buffer(at, size);
}

static void read_piece(void *data, void *at, size_t size)
{
	size_t have;
	const unsigned char *bytes = log_peek_buffer(&have);
	(void)data;
	if (have > size)
		have = size;
	if (memcmp(at, bytes, have) != 0)
		memcpy(at, bytes, have);
}

static void hash_output(int stream, const void *from, size_t size)
{
	uint64_t hash = world.channel->output_hash ? world.channel->output_hash : 0xcbf29ce484222325ul;
	hash = (hash ^ (uint64_t)stream) * 0x100000001b3ul;
	for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), from = (const uint64_t *)from + 1) {
		uint64_t word;
		__builtin_memcpy(&word, from, sizeof word);
		hash ^= word;
		hash = (hash << 29 | hash >> 35) * 0x9e3779b97f4a7c15ul;
	}
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)from)[i]) * 0x100000001b3ul;
	world.channel->output_hash = hash;
}

/* What went to the standard streams: into the hash and, in a replay, out again. */
static void note_output(long number, const uint64_t a[6], long result)
{
	int stream = descriptor_output((int)a[0]);
	struct iovec one = { (void *)a[1], (size_t)result };
	const struct iovec *parts = &one;
	size_t count = 1, left = result > 0 ? (size_t)result : 0;
	if (!stream || !left)
		return;
	if (number == SYS_writev || number == SYS_pwritev || number == SYS_pwritev2) {
		parts = (const struct iovec *)a[1];
		count = a[2];
	} else if (number != SYS_write && number != SYS_pwrite64 && number != SYS_sendto) {
		return;
	}
	for (size_t i = 0; i < count && left; i++) {
		size_t size = parts[i].iov_len < left ? parts[i].iov_len : left;
		hash_output(stream, parts[i].iov_base, size);
		if (world.is_replaying && !(world.channel->flags & HEDDLE_CONTROL_DISCARD))
			for (size_t done = 0; done < size;) {
				ssize_t got = sys_write(stream, (const char *)parts[i].iov_base + done, size - done);
				if (got <= 0 && got != -EINTR && got != -EAGAIN)
					break;
				done += got > 0 ? (size_t)got : 0;
			}
		left -= size;
	}
}

static void finish(long number, const uint64_t a[6], const struct call_lengths *before, long result)
{
	const struct call *call = call_of(number);
	if (world.is_replaying) {
		call_outputs(number, a, result, before, read_piece, NULL);
		log_advance();
	} else {
		uint32_t count = 0;
		if (world.is_recording)
			call_outputs(number, a, result, before, count_piece, &count);
		log_write_call(number, result, count);
		if (world.is_recording)
			call_outputs(number, a, result, before, write_piece, NULL);
		if (world.is_signalled) /* a broken pipe */
			signal_collect();
	}
	if (call->flags & CALL_WRITES_OUTPUT)
		note_output(number, a, result);
	descriptor_after(number, a, result);
	if (call->flags & (CALL_MAY_WAKE | CALL_CLOSES))
		outside_touch();
	if (world.is_replaying)
		world_replay_signals();
}

/* Replays the waits of a call. False: a signal interrupted it. */
static bool replay_blocks(void)
{
	while (log_next.tag == HEDDLE_RECORD_BLOCK)
		if (wait_retry() == WAKE_SIGNAL)
			return false;
	return true;
}

/* Streams. */

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
		enum wake wake = wait_until((int)a[which], events, deadline);
		if (wake != WAKE_DONE)
			return wake == WAKE_SIGNAL ? -RESTART : -EAGAIN;
	}
	return 0;
}

/*
 * Some calls wait in the kernel although poll said that the descriptor is ready: those that move many bytes or messages,
 * and those whose queue is somebody else's. They are made with the descriptor non-blocking for the time of the call.
 * Returns -EAGAIN where the call would have waited.
 */
static long raw_without_waiting(long number, const uint64_t a[6], int fd)
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
	case SYS_tee:
		return 2;
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
		long result = raw_without_waiting(number, a, (int)a[which]);
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

static bool is_discarded(long number, const uint64_t a[6], long *result)
{
	if (!(world.channel->flags & HEDDLE_CONTROL_DISCARD) || !descriptor_output((int)a[0]))
		return false;
	if (number == SYS_write) {
		*result = (long)a[2];
		return true;
	}
	if (number != SYS_writev)
		return false;
	*result = 0;
	for (size_t i = 0; i < a[2]; i++)
		*result += (long)((const struct iovec *)a[1])[i].iov_len;
	return true;
}

/* Locks, children, queues: asked for without waiting, again and again. */

static bool would_block(long number, const uint64_t a[6], long result)
{
	switch (number) {
	case SYS_wait4:
		return result == 0 && !(a[2] & WNOHANG);
	case SYS_waitid:
		return result == 0 && !(a[3] & WNOHANG) && ((siginfo_t *)a[2])->si_pid == 0;
	case SYS_flock:
		return result == -EWOULDBLOCK && !(a[1] & LOCK_NB);
	case SYS_fcntl:
		return (result == -EAGAIN || result == -EACCES) && (a[1] == F_SETLKW || a[1] == F_OFD_SETLKW);
	case SYS_msgsnd:
		return result == -EAGAIN && !(a[3] & IPC_NOWAIT);
	case SYS_msgrcv:
		return result == -ENOMSG && !(a[4] & IPC_NOWAIT);
	case SYS_open:
		return result == -ENXIO && !(a[1] & O_NONBLOCK);
	case SYS_openat:
		return result == -ENXIO && !(a[2] & O_NONBLOCK);
	default:
		return false;
	}
}

#define SEMAPHORES_MAX 500u /* SEMOPM */

static long try_semaphores(const uint64_t a[6], bool *would)
{
	struct sembuf copy[SEMAPHORES_MAX];
	const struct sembuf *given = (const struct sembuf *)a[1];
	bool is_nowait = false;
	if (a[2] > SEMAPHORES_MAX)
		return -E2BIG;
	for (size_t i = 0; i < a[2]; i++) {
		copy[i] = given[i];
		is_nowait |= copy[i].sem_flg & IPC_NOWAIT;
		copy[i].sem_flg |= IPC_NOWAIT;
	}
	long result = sys_call(SYS_semop, (long)a[0], (long)copy, (long)a[2], 0, 0, 0);
	*would = result == -EAGAIN && !is_nowait;
	return result;
}

static bool is_fifo_open(long number, const uint64_t a[6], uint64_t *flags)
{
	if (number != SYS_open && number != SYS_openat)
		return false;
	uint64_t at = number == SYS_open ? (uint64_t)AT_FDCWD : a[0], path = number == SYS_open ? a[0] : a[1];
	*flags = number == SYS_open ? a[1] : a[2];
	struct stat status;
	return !(*flags & (O_NONBLOCK | O_CREAT | O_PATH)) &&
	       sys_call(SYS_newfstatat, (int)at, (long)path, (long)&status, 0, 0, 0) == 0 && S_ISFIFO(status.st_mode);
}

static long try_once(long number, const uint64_t a[6], bool *would)
{
	uint64_t b[6], flags = 0;
	memcpy(b, a, sizeof b);
	if (number == SYS_semop || number == SYS_semtimedop)
		return try_semaphores(a, would);
	if (number == SYS_mq_timedsend || number == SYS_mq_timedreceive) {
		long sent = raw_without_waiting(number, a, (int)a[0]);
		*would = sent == -EAGAIN && descriptor_is_blocking((int)a[0]);
		return sent;
	}
	if (number == SYS_wait4)
		b[2] |= WNOHANG;
	else if (number == SYS_waitid)
		b[3] |= WNOHANG;
	else if (number == SYS_flock)
		b[1] |= LOCK_NB;
	else if (number == SYS_fcntl && b[1] == F_SETLKW)
		b[1] = F_SETLK;
	else if (number == SYS_fcntl && b[1] == F_OFD_SETLKW)
		b[1] = F_OFD_SETLK;
	else if (number == SYS_msgsnd)
		b[3] |= IPC_NOWAIT;
	else if (number == SYS_msgrcv)
		b[4] |= IPC_NOWAIT;
	bool is_fifo = is_fifo_open(number, a, &flags);
	if (is_fifo)
		b[number == SYS_open ? 1 : 2] |= O_NONBLOCK;
	siginfo_t ignored;
	if (number == SYS_waitid && !b[2])
		b[2] = (uint64_t)&ignored;
	long result = outside_raw(number, b);
	*would = would_block(number, b[2] == (uint64_t)&ignored ? b : a, result) ||
		 (number == SYS_waitid && b[2] == (uint64_t)&ignored && result == 0 && ignored.si_pid == 0 &&
		  !(a[3] & WNOHANG));
	if (is_fifo && result >= 0)
		sys_call(SYS_fcntl, result, F_SETFL, (long)(flags & ~(uint64_t)O_NONBLOCK), 0, 0, 0);
	return result;
}

/* A connection of a blocking socket. */
static long connect_socket(const uint64_t a[6])
{
	int error = 0;
	socklen_t size = sizeof error;
	for (;;) {
		int fd = (int)a[0];
		long result = raw_without_waiting(SYS_connect, a, fd);
		if (!descriptor_is_blocking(fd))
			return result;
		if (result == -EAGAIN) { /* the listener's queue is full */
			if (wait_retry() == WAKE_SIGNAL)
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

static uint64_t other_deadline(long number, const uint64_t a[6])
{
	if (number == SYS_semtimedop && a[3])
		return clock_after((const struct timespec *)a[3]);
	if ((number == SYS_mq_timedsend || number == SYS_mq_timedreceive) && a[4])
		return clock_deadline(CLOCK_REALTIME, (const struct timespec *)a[4]);
	return NO_DEADLINE;
}

static long do_other(long number, const uint64_t a[6])
{
	uint64_t deadline = other_deadline(number, a);
	if (number == SYS_connect)
		return connect_socket(a);
	for (;;) {
		bool would = false;
		long result = try_once(number, a, &would);
		if (!would)
			return result;
		enum wake wake = outside_wait_retry(deadline);
		if (wake != WAKE_DONE)
			return wake == WAKE_SIGNAL ? -RESTART : number == SYS_semtimedop ? -EAGAIN : -ETIMEDOUT;
	}
}

/* What stays open whatever the program closes: the lowest from this number on. */
static uint64_t next_kept(uint64_t first)
{
	uint64_t copy = hold_next_copy(first);
	for (uint64_t fd = first > HEDDLE_FD_FIRST ? first : HEDDLE_FD_FIRST; fd <= HEDDLE_FD_LAST && fd < copy; fd++)
		if (descriptor_is_ours((int)fd))
			return fd;
	return copy;
}

static long close_all(uint64_t first, uint64_t last, uint64_t flags)
{
	if (first > last)
		return -EINVAL;
	if (!(flags & CLOSE_RANGE_CLOEXEC))
		hold_closing(first, last);
	while (first <= last) {
		uint64_t kept = next_kept(first), end = kept <= last ? kept - 1 : last;
		long result =
			first <= end ? sys_call(SYS_close_range, (long)first, (long)end, (long)flags, 0, 0, 0) : 0;
		if (result < 0)
			return result;
		first = end + 2;
	}
	return 0;
}

/* Before descriptors are closed: our own stay, and who waits with one keeps the file. True: *result is what comes of it. */
static bool closes(long number, const uint64_t a[6], long *result)
{
	switch (number) {
	case SYS_close:
		*result = -EBADF;
		if (descriptor_is_ours((int)a[0]) || hold_is_copy((int)a[0]))
			return true;
		hold_closing((uint32_t)a[0], (uint32_t)a[0]);
		return false;
	case SYS_dup2:
	case SYS_dup3:
		*result = -EBADF;
		if (descriptor_is_ours((int)a[1]))
			return true;
		if ((int)a[0] == (int)a[1] || sys_call(SYS_fcntl, (int)a[0], F_GETFD, 0, 0, 0, 0) < 0)
			return false;
		hold_give_way((int)a[1]);
		hold_closing((uint32_t)a[1], (uint32_t)a[1]);
		return false;
	case SYS_close_range:
		*result = close_all((uint32_t)a[0], (uint32_t)a[1], a[2]);
		return true;
	default:
		return false;
	}
}

/* What the kernel moves by itself never was in our hands. */
static void say_unseen(void)
{
	static bool is_said;
	struct say say;
	if (is_said || !world.is_recording)
		return;
	is_said = true;
	say_begin(&say);
	say_string(&say, "output by sendfile or splice is not in the trace: a replay will not print it");
	say_end(&say);
}

static long make_held(long number, const uint64_t a[6])
{
	const struct call *call = call_of(number);
	int fd = call->descriptor >= 0 ? (int)a[call->descriptor] : -1;
	long result;
	if (closes(number, a, &result))
		return result;
	if ((number == SYS_sendfile && descriptor_output((int)a[0])) ||
	    ((number == SYS_splice || number == SYS_tee || number == SYS_copy_file_range) &&
	     descriptor_output((int)a[2])))
		say_unseen();
	if (number == SYS_timerfd_create || number == SYS_timerfd_settime || number == SYS_timerfd_gettime)
		return timer_descriptor_call(number, a);
	if (call->flags & CALL_POLL)
		return outside_poll_call(number, a);
	if ((call->flags & CALL_WRITES_OUTPUT) && is_discarded(number, a, &result))
		return result;
	if ((call->flags & CALL_BLOCKS_WRITE) && write_in_parts(number, a, &result))
		return result;
	if (call->flags & (CALL_BLOCKS_READ | CALL_BLOCKS_WRITE)) {
		int beyond = descriptor_output(fd) || says_dont_wait(number, a) ? -1 : waits_beyond(number);
		if (number == SYS_recvfrom && (a[3] & MSG_WAITALL) && !(a[3] & MSG_DONTWAIT) && is_stream_socket(fd) &&
		    descriptor_is_blocking(fd))
			return receive_all(number, a);
		if (number == SYS_recvmmsg && !(a[3] & MSG_DONTWAIT) && descriptor_is_blocking(fd) && !a[4])
			return receive_all(number, a);
		result = wait_stream(number, a, call->descriptor, call->flags & CALL_BLOCKS_READ ? POLLIN : POLLOUT);
		if (result)
			return result;
		return beyond >= 0 && !descriptor_is_plain((int)a[beyond])
			       ? make_without_waiting(number, a, beyond, beyond != call->descriptor)
			       : outside_raw(number, a);
	}
	return call->flags & CALL_BLOCKS_OTHER ? do_other(number, a) : outside_raw(number, a);
}

/* Some calls are made in parts, or asked for otherwise than the program did: where the kernel would say EFAULT, we may land
 * here. */
static long make(struct thread *self, long number, const uint64_t given[6])
{
	const unsigned may_wait = CALL_BLOCKS_READ | CALL_BLOCKS_WRITE | CALL_BLOCKS_OTHER | CALL_POLL;
	const bool holds = call_of(number)->flags & may_wait;
	uint64_t a[6];
	struct hold hold;
	struct landing landing;
	volatile long result = -EFAULT;
	memcpy(a, given, sizeof a);
	if (holds)
		hold_begin(&hold, number, a);
	if (!landing_prepare(&landing)) {
		self->landing = &landing;
		result = make_held(number, a);
	}
	self->landing = NULL;
	if (holds)
		hold_end(&hold);
	return result;
}

/* The world's own ids, in arguments that name a process. */
static void translate(long number, const struct call *call, uint64_t a[6])
{
	if (world.is_replaying || call->process < 0)
		return;
	for (int i = call->process; i <= (number == SYS_setpgid ? 1 : call->process); i++) {
		if (thread_find((int32_t)a[i]))
			a[i] = sys_pid();
		else if ((int32_t)a[i] == -WORLD_PID) /* the group that is called by our id */
			a[i] = (uint64_t) - (int64_t)sys_pid();
	}
}

/* Groups and sessions that are called by our process id. */
static long translate_result(long number, long result)
{
	bool is_group = number == SYS_getpgrp || number == SYS_getpgid || number == SYS_getsid || number == SYS_setsid;
	return is_group && result == (long)sys_pid() ? WORLD_PID : result;
}

/* What is read of the program's memory whether the call is made or replayed. False: a pointer is bad that the kernel would
 * look at before anything else; with others it may find something else wrong first, so it is asked. */
static bool prepare(struct thread *self, long number, uint64_t a[6], struct call_lengths *before)
{
	struct landing landing;
	volatile bool has_mask = false;
	memset(before, 0, sizeof *before);
	if (landing_prepare(&landing))
		return has_mask;
	self->landing = &landing;
	outside_set_mask(self, number, a);
	has_mask = true;
	proc_path_translate(number, a);
	call_lengths(number, a, before);
	self->landing = NULL;
	return true;
}

void outside_syscall(struct registers *r)
{
	long number = (long)r->number, result;
	uint64_t a[6] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };
	const struct call *call = call_of(number);
	struct thread *self = world.current;
	struct call_lengths before;
	translate(number, call, a);
	if (!prepare(self, number, a, &before)) {
		r->rax = (uint64_t)-EFAULT;
		return;
	}
	if (world.is_replaying) {
		if (!replay_blocks()) {
			result = call->flags & CALL_POLL ? -EINTR : -RESTART;
			r->rax = (uint64_t)result;
			return;
		}
		if (log_next.tag != HEDDLE_RECORD_CALL || log_next.value[0] != (uint64_t)number)
			world_diverge(call_name(number));
		result = (long)log_next.value[1];
	} else {
		result = translate_result(number, proc_path_result(number, a, make(self, number, a)));
		if (result == -RESTART) {
			r->rax = call->flags & CALL_POLL ? (uint64_t)-EINTR : (uint64_t)-RESTART;
			return;
		}
	}
	finish(number, a, &before, result);
	r->rax = (uint64_t)result;
	/* Asked in vain: others should run first. */
	if (result == -EAGAIN || (result == 0 && ((call->flags & CALL_POLL) || number == SYS_wait4)))
		thread_yield();
}
