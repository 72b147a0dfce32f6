/* place.c: see place.h. */
#include "trace/place.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static char *folder_of(const char *path)
{
	char *copy = mem_copy_string(path), *folder = mem_copy_string(dirname(copy));
	free(copy);
	return folder;
}

static int cannot_write(const char *path, int code, struct err *err)
{
	if (code == ENOENT || code == ENOTDIR)
		err_hint(err, "create the directory first, or specify another one");
	else if (code == EISDIR)
		err_hint(err, "specify a file in it");
	else if (code == ENOSPC || code == EDQUOT || code == EFBIG)
		err_hint(err, "free some disk space, or write to another disk");
	return err_set(err, code, "cannot write \"%s\": %s", path, strerror(code));
}

/* A file in the folder, for its owner only: a trace holds the environment and all that the program read. Where the file
 * system cannot make one without a name, it gets one: *temporary. */
static int make_file(const char *folder, char **temporary)
{
	*temporary = NULL;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	*temporary = mem_format("%s/.heddle-XXXXXX", folder);
	fd = mkostemp(*temporary, O_CLOEXEC);
	int code = errno;
	if (fd < 0) {
		free(*temporary);
		*temporary = NULL;
	}
	errno = code;
	return fd;
}

int place_open(struct place *place, const char *path, struct err *err)
{
	struct stat status;
	*place = (struct place){ .fd = -1, .path = realpath(path, NULL) };
	if (!place->path)
		place->path = mem_copy_string(path);
	bool is_present = stat(path, &status) == 0;
	if (is_present && S_ISDIR(status.st_mode)) {
		errno = EISDIR;
	} else if (is_present && !S_ISREG(status.st_mode)) {
		place->is_direct = true;
		place->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else if (!is_present || access(path, W_OK) == 0) {
		char *folder = folder_of(place->path);
		place->fd = make_file(folder, &place->temporary);
		free(folder);
	}
	if (place->fd >= 0)
		return 0;
	int code = errno;
	free(place->path);
	return cannot_write(path, code, err);
}

/* A link gives an unnamed file a name, but cannot replace an existing file: then it first gets an unused name. */
static int give_name(struct place *place)
{
	char source[64];
	snprintf(source, sizeof source, "/proc/self/fd/%d", place->fd);
	if (linkat(AT_FDCWD, source, AT_FDCWD, place->path, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	char *folder = folder_of(place->path);
	int code = -EEXIST;
	for (unsigned i = 0; i < 1000 && code == -EEXIST; i++) {
		free(place->temporary);
		place->temporary = mem_format("%s/.heddle-%d-%u", folder, (int)getpid(), i);
		code = linkat(AT_FDCWD, source, AT_FDCWD, place->temporary, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
	}
	free(folder);
	if (code < 0) {
		free(place->temporary);
		place->temporary = NULL;
	}
	return code;
}

int place_keep(struct place *place, struct err *err)
{
	int code = 0;
	if (!place->is_direct && !place->temporary)
		code = give_name(place);
	if (code == 0 && place->temporary && rename(place->temporary, place->path) < 0)
		code = -errno;
	/* Some file systems report a full disk only now. */
	int fd = place->fd;
	place->fd = -1;
	if (close(fd) < 0 && code == 0) {
		code = -errno;
		if (!place->is_direct)
			unlink(place->path);
	} else if (code == 0) {
		free(place->temporary);
		place->temporary = NULL;
	}
	if (code < 0)
		cannot_write(place->path, -code, err);
	place_drop(place);
	return code;
}

void place_drop(struct place *place)
{
	if (place->temporary)
		unlink(place->temporary);
	if (place->fd >= 0)
		close(place->fd);
	free(place->temporary);
	free(place->path);
	*place = (struct place){ .fd = -1 };
}

static int scratch_in(const char *folder, const char *path, struct err *err)
{
	char *temporary;
	int fd = make_file(folder, &temporary);
	if (fd < 0)
		return cannot_write(path, errno, err);
	if (temporary)
		unlink(temporary);
	free(temporary);
	return fd;
}

int place_scratch(const char *path, struct err *err)
{
	struct stat status;
	bool is_present = stat(path, &status) == 0;
	if (is_present && S_ISDIR(status.st_mode))
		return cannot_write(path, EISDIR, err);
	if (is_present && access(path, W_OK) < 0)
		return cannot_write(path, errno, err);
	const char *temporary_folder = getenv("TMPDIR");
	char *real = is_present ? realpath(path, NULL) : NULL;
	/* Files cannot be made in the folder of a device. */
	char *folder = !is_present || S_ISREG(status.st_mode)
			       ? folder_of(real ? real : path)
			       : mem_copy_string(temporary_folder && *temporary_folder ? temporary_folder : "/tmp");
	int fd = scratch_in(folder, path, err);
	free(folder);
	free(real);
	return fd;
}

int place_spill(int from, uint64_t size_bytes, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	if (!folder || !*folder)
		folder = "/tmp";
	int fd = scratch_in(folder, folder, err);
	char chunk[8192];
	for (uint64_t at = 0; fd >= 0 && at < size_bytes;) {
		uint64_t left = size_bytes - at;
		ssize_t got = pread(from, chunk, left < sizeof chunk ? left : sizeof chunk, (off_t)at);
		ssize_t put = got > 0 ? pwrite(fd, chunk, (size_t)got, (off_t)at) : -1;
		if (put <= 0) {
			int code = got == 0 ? EIO : errno;
			close(fd);
			return cannot_write(folder, code, err);
		}
		at += (uint64_t)put;
	}
	return fd;
}

int place_open_existing(const char *path, int *fd, struct err *err)
{
	struct stat status;
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO must not block */
	if (*fd < 0) {
		int code = errno;
		if (code == ENOENT)
			err_hint(err, "heddle run --trace FILE -- PROG records a trace");
		return err_set(err, code, "cannot open \"%s\": %s", path, strerror(code));
	}
	bool is_known = fstat(*fd, &status) == 0;
	if (is_known && S_ISREG(status.st_mode))
		return 0;
	close(*fd);
	if (!is_known || !S_ISDIR(status.st_mode))
		return err_set(err, EINVAL, "\"%s\" is not a file, so it is not a trace", path);
	err_hint(err, "specify a trace in it");
	return err_set(err, EISDIR, "\"%s\" is a directory, not a trace", path);
}
