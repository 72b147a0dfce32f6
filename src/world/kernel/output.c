/* output.c: see output.h. */
#include "world/kernel/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "rt/sys.h"
#include "world/kernel/calls.h"
#include "world/kernel/descriptor.h"
#include "world/kernel/effects.h"

static bool is_discarding(void)
{
	return world.channel->flags & HEDDLE_CONTROL_DISCARD;
}

/* Which argument is the descriptor that is written to, or -1. */
static int written(long number)
{
	switch (number) {
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_vmsplice:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
		return 0;
	case SYS_tee:
		return 1;
	case SYS_splice:
	case SYS_copy_file_range:
		return 2;
	default:
		return -1;
	}
}

void output_begin(struct output *output, long number, const uint64_t a[6])
{
	int which = written(number);
	*output = (struct output){ .stream = which < 0 ? 0 : descriptor_output((int)a[which]) };
}

/* Bytes in the program's memory. */

struct parts {
	const struct iovec *parts;
	size_t count;
	struct iovec one;
};

/* Those of a call with one message. */
static void find_parts(struct parts *parts, long number, const uint64_t a[6])
{
	parts->one = (struct iovec){ (void *)a[1], a[2] };
	parts->parts = &parts->one;
	parts->count = 1;
	if (number == SYS_sendmsg) {
		parts->parts = ((const struct msghdr *)a[1])->msg_iov;
		parts->count = ((const struct msghdr *)a[1])->msg_iovlen;
	} else if (number == SYS_writev || number == SYS_pwritev || number == SYS_pwritev2 || number == SYS_vmsplice) {
		parts->parts = (const struct iovec *)a[1];
		parts->count = a[2];
	}
}

#define PAGE 4096u

/* Bytes that will not be written are read all the same: a bad pointer is EFAULT (see landing.h). */
static size_t length_of(const struct iovec *parts, size_t count)
{
	size_t total = 0;
	for (size_t i = 0; i < count; i++) {
		const volatile char *from = parts[i].iov_base;
		for (size_t at = 0; at < parts[i].iov_len; at += PAGE)
			(void)from[at];
		if (parts[i].iov_len)
			(void)from[parts[i].iov_len - 1];
		total += parts[i].iov_len;
	}
	return total;
}

bool output_asked(long number, const uint64_t a[6], uint64_t *size_bytes, uint64_t *hash)
{
	struct parts parts;
	if (written(number) < 0 || output_is_move(number) || number == SYS_sendmmsg || number == SYS_vmsplice)
		return false;
	find_parts(&parts, number, a);
	*size_bytes = length_of(parts.parts, parts.count);
	*hash = 0xcbf29ce484222325ul;
	for (size_t i = 0; i < parts.count; i++)
		for (size_t at = 0; at < parts.parts[i].iov_len; at++)
			*hash = (*hash ^ ((const unsigned char *)parts.parts[i].iov_base)[at]) * 0x100000001b3ul;
	return true;
}

static long discard(long number, const uint64_t a[6])
{
	struct parts parts;
	if (number != SYS_sendmmsg) {
		find_parts(&parts, number, a);
		return (long)length_of(parts.parts, parts.count);
	}
	struct mmsghdr *messages = (struct mmsghdr *)a[1];
	for (size_t i = 0; i < (uint32_t)a[2]; i++)
		messages[i].msg_len = (unsigned)length_of(messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen);
	return (long)(uint32_t)a[2];
}

bool output_call(struct output *output, long number, const uint64_t a[6], long *result)
{
	if (!output->stream)
		return false;
	if (output_is_move(number)) {
		*result = output_move(output, number, a);
		return true;
	}
	if (!is_discarding())
		return false;
	*result = discard(number, a);
	return true;
}

long output_write(int fd, const void *from, size_t size, const int64_t *at)
{
	size_t done = 0;
	while (done < size) {
		const char *rest = (const char *)from + done;
		long got = at ? sys_call(SYS_pwrite64, fd, (long)rest, (long)(size - done), *at + (int64_t)done, 0, 0)
			      : sys_write(fd, rest, size - done);
		if (got == -EAGAIN) {
			struct pollfd poll = { fd, POLLOUT, 0 };
			sys_call(SYS_poll, (long)&poll, 1, -1, 0, 0, 0);
		}
		if (got == -EINTR || got == -EAGAIN)
			continue;
		if (got <= 0)
			return done ? (long)done : got;
		done += (size_t)got;
	}
	return (long)done;
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

static void note(int stream, const void *from, size_t size)
{
	hash_output(stream, from, size);
	if (world.is_replaying && !is_discarding())
		output_write(stream, from, size, NULL);
}

static void note_parts(int stream, const struct iovec *parts, size_t count, size_t left)
{
	for (size_t i = 0; i < count && left; i++) {
		size_t size = parts[i].iov_len < left ? parts[i].iov_len : left;
		note(stream, parts[i].iov_base, size);
		left -= size;
	}
}

/* What goes elsewhere than to a standard stream. */
static void note_effects(long number, const uint64_t a[6], long result)
{
	const int which = written(number), fd = which < 0 ? -1 : (int)a[which];
	struct parts parts;
	if (which < 0 || descriptor_is_own(fd) || output_is_move(number))
		return;
	if (number == SYS_sendmmsg) {
		const struct mmsghdr *messages = (const struct mmsghdr *)a[1];
		for (long i = 0; i < result; i++)
			effects_add(fd, messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen,
				    messages[i].msg_len, NULL);
		return;
	}
	const bool is_at =
		number == SYS_pwrite64 || number == SYS_pwritev || (number == SYS_pwritev2 && (int64_t)a[3] != -1);
	const int64_t at = is_at ? (int64_t)a[3] : 0;
	find_parts(&parts, number, a);
	effects_add(fd, parts.parts, parts.count, (size_t)result, is_at ? &at : NULL);
}

/* What says which file a descriptor is, and which files are no more. Paths below other folders are not known. */
static void note_files(long number, const uint64_t a[6], long result)
{
	const bool is_at = number == SYS_openat || number == SYS_unlinkat;
	const char *path = (const char *)a[is_at ? 1 : 0];
	if (is_at && (int)a[0] != AT_FDCWD && path[0] != '/')
		return;
	switch (number) {
	case SYS_open:
	case SYS_openat:
		effects_open((int)result, path, (int)a[is_at ? 2 : 1]);
		break;
	case SYS_creat:
		effects_open((int)result, path, O_TRUNC);
		break;
	case SYS_unlink:
	case SYS_unlinkat:
		effects_remove(path);
		break;
	case SYS_ftruncate:
		if (a[1] == 0)
			effects_empty((int)a[0]);
		break;
	}
}

static bool is_of_files(long number)
{
	return number == SYS_open || number == SYS_openat || number == SYS_creat || number == SYS_unlink ||
	       number == SYS_unlinkat || number == SYS_ftruncate;
}

void output_end(struct output *output, long number, const uint64_t a[6], long result)
{
	struct parts parts;
	if (output->opened && result >= 0)
		descriptor_set_output((int)result, output->opened);
	if (number == SYS_close)
		effects_close((int)a[0]);
	if (result >= 0 && is_of_files(number))
		note_files(number, a, result);
	if (!output->stream && result > 0)
		note_effects(number, a, result);
	if (!output->stream || result <= 0)
		return;
	if (output_is_move(number)) {
		note(output->stream, output->moved, output->moved_size);
		if (output->moved_room)
			sys_munmap((void *)output->moved, output->moved_room);
	} else if (number == SYS_sendmmsg) {
		const struct mmsghdr *messages = (const struct mmsghdr *)a[1];
		for (long i = 0; i < result; i++)
			note_parts(output->stream, messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen,
				   messages[i].msg_len);
	} else {
		find_parts(&parts, number, a);
		note_parts(output->stream, parts.parts, parts.count, (size_t)result);
	}
}

/* Files that are standard streams. */

static struct stat streams[3]; /* by number; st_mode is 0 when there is nothing to compare with */

#define MEMORY_MAJOR 1
#define CURRENT_TERMINAL 0x500 /* /dev/tty */

static unsigned major_of(const struct stat *status)
{
	return (unsigned)(status->st_rdev >> 8 & 0xfff);
}

/* A terminal, real or pseudo. */
static bool is_terminal(const struct stat *status)
{
	unsigned major = major_of(status);
	return S_ISCHR(status->st_mode) && (major == 4 || (major >= 136 && major <= 143));
}

void output_start(void)
{
	for (int fd = 1; fd <= 2; fd++) {
		struct stat *status = &streams[fd];
		if (sys_call(SYS_fstat, fd, (long)status, 0, 0, 0, 0) < 0 ||
		    (S_ISCHR(status->st_mode) && major_of(status) == MEMORY_MAJOR)) /* any program may use /dev/null */
			status->st_mode = 0;
	}
}

static bool is_stream(const struct stat *status, int stream)
{
	const struct stat *own = &streams[stream];
	if (!own->st_mode)
		return false;
	if (S_ISCHR(status->st_mode) && status->st_rdev == CURRENT_TERMINAL)
		return is_terminal(own);
	return status->st_dev == own->st_dev && status->st_ino == own->st_ino;
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = 0, end_size = 0;
	while (text[size])
		size++;
	while (end[end_size])
		end_size++;
	return size >= end_size && memcmp(text + size - end_size, end, end_size) == 0;
}

/* Both may be the same file: then the name decides. */
static int opened_stream(long number, const uint64_t a[6], int fd)
{
	struct stat status;
	long flags = sys_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) ||
	    sys_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) < 0)
		return 0;
	bool is_first = is_stream(&status, 1), is_second = is_stream(&status, 2);
	if (!is_first || !is_second)
		return is_first ? 1 : is_second ? 2 : 0;
	const char *path = (const char *)a[number == SYS_openat || number == SYS_openat2];
	bool names_second = number != SYS_open_by_handle_at && (ends_with(path, "/stderr") || ends_with(path, "/fd/2"));
	return names_second ? 2 : 1;
}

static bool opens_file(long number)
{
	return number == SYS_open || number == SYS_openat || number == SYS_openat2 || number == SYS_creat ||
	       number == SYS_open_by_handle_at;
}

const void *output_extra(struct output *output, long number, const uint64_t a[6], long result, size_t *size)
{
	if (result < 0)
		return NULL;
	if (opens_file(number))
		output->opened = (uint8_t)opened_stream(number, a, (int)result);
	*size = output->opened ? sizeof output->opened : output->moved_size;
	return output->opened ? (const void *)&output->opened : output->moved;
}

void output_replay_extra(struct output *output, long number, const void *extra, size_t size)
{
	if (output_is_move(number)) {
		output->moved = extra;
		output->moved_size = size;
	} else if (opens_file(number) && size == sizeof output->opened) {
		output->opened = *(const uint8_t *)extra <= 2 ? *(const uint8_t *)extra : 0;
	}
}
