/* running.c: see running.h. */
#include "store/running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* The first byte is for readers and removers of traces; a test locks the byte whose number is its mark. The bytes need
 * not exist. */
#define READERS 0
#define TESTS 1

#define HASH_DIGITS 8
#define MARK_DIGITS 15

static int open_lock(const char *folder, int flags)
{
	char *path = mem_format("%s/lock", folder);
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	free(path);
	return fd;
}

/* One byte; to the end of all of them when size is 0. */
static int lock(int fd, int command, short type, off_t from, off_t size, struct flock *met)
{
	*met = (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = size };
	int code;
	do
		code = fcntl(fd, command, met);
	while (code < 0 && errno == EINTR);
	return code;
}

void running_open(struct running *self, const char *folder)
{
	*self = (struct running){ .fd = open_lock(folder, O_RDWR | O_CREAT) };
}

void running_stop(struct running *self)
{
	if (self->fd >= 0)
		close(self->fd);
	*self = (struct running){ .fd = -1 };
}

void running_begin(struct running *self, int64_t least)
{
	struct flock met;
	if (self->fd >= 0 && self->mark)
		lock(self->fd, F_SETLK, F_UNLCK, self->mark, 1, &met);
	self->mark = least;
	int code = 0;
	while (self->fd >= 0 && (code = lock(self->fd, F_SETLK, F_WRLCK, self->mark, 1, &met)) < 0 &&
	       (errno == EACCES || errno == EAGAIN))
		self->mark++;
	if (code < 0) {
		close(self->fd);
		self->fd = -1;
	}
}

/* A process's own lock never blocks it. */
static bool is_locked(const struct running *self, off_t from, off_t size)
{
	struct flock met;
	return self->fd < 0 || lock(self->fd, F_GETLK, F_WRLCK, from, size, &met) < 0 || met.l_type != F_UNLCK;
}

bool running_is(const struct running *self, int64_t mark)
{
	return mark == self->mark || is_locked(self, mark, 1);
}

bool running_others(const struct running *self)
{
	return is_locked(self, TESTS, 0);
}

void running_read(const char *folder)
{
	static int fd = -1;
	struct flock met;
	if (fd < 0)
		fd = open_lock(folder, O_RDONLY | O_CREAT);
	/* Where writing is not allowed, no process removes anything. */
	if (fd < 0)
		fd = open_lock(folder, O_RDONLY);
	if (fd >= 0)
		lock(fd, F_SETLKW, F_RDLCK, READERS, 1, &met);
}

bool running_clean(const struct running *self)
{
	struct flock met;
	return self->fd >= 0 && lock(self->fd, F_SETLK, F_WRLCK, READERS, 1, &met) == 0;
}

void running_clean_end(const struct running *self)
{
	struct flock met;
	lock(self->fd, F_SETLK, F_UNLCK, READERS, 1, &met);
}

/* What follows the mark in the name of a trace: ".trace", or one more word of small letters and digits before it. */
static bool is_end_of_name(const char *end)
{
	size_t word = *end == '.' ? strspn(end + 1, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
	return strcmp(end, ".trace") == 0 || (word && strcmp(end + 1 + word, ".trace") == 0);
}

int64_t running_mark_of(const char *trace)
{
	const char *slash = strrchr(trace, '/'), *name = slash ? slash + 1 : trace, *dot = strchr(name, '.');
	if (!dot || dot - name <= HASH_DIGITS || dot[-HASH_DIGITS - 1] != '-' ||
	    strspn(dot - HASH_DIGITS, "0123456789abcdef") != HASH_DIGITS)
		return 0;
	size_t digits = strspn(dot + 1, "0123456789");
	const char *end = dot + 1 + digits;
	if (dot[1] == '0' || digits < 1 || digits > MARK_DIGITS || !is_end_of_name(end))
		return 0;
	return strtoll(dot + 1, NULL, 10);
}
