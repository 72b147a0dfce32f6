/*
 * input.c: the standard input of the runs. Each run reads it from its start, so it has to be a file: what comes through
 * a pipe is kept in one first. A terminal is given to no run: many runs cannot share the person at it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/test_priv.h"

#define PATIENCE_MS 2000

static int open_file(const char *path, struct err *err)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return err_set(err, errno, "cannot open \"%s\": %s", path, strerror(errno));
	if (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode))
		return fd;
	close(fd);
	return err_set(err, EINVAL, "\"%s\" is not a file that every run can read from the start", path);
}

/* Waiting for the end of an input that will not end looks like a fault of Heddle, so print a message. */
static void notify_if_slow(const struct test *self)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	if (poll(&in, 1, PATIENCE_MS) == 0)
		self->listener->notice(
			self->listener->context,
			"heddle: reading standard input to its end, because every run gets all of it; use "
			"</dev/null for no input\n");
}

static int keep_pipe(const struct test *self, struct err *err)
{
	char chunk[8192];
	int fd = memfd_create("heddle-input", MFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "cannot store standard input: %s", strerror(errno));
	for (bool is_notified = false; !test_is_stopped(self);) {
		if (!is_notified)
			notify_if_slow(self);
		is_notified = true;
		ssize_t got = read(0, chunk, sizeof chunk);
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		if (got > 0 && write(fd, chunk, (size_t)got) != got) {
			close(fd);
			return err_set(err, errno, "cannot store standard input: %s", strerror(errno));
		}
	}
	return fd;
}

static int open_input(struct test *self, struct err *err)
{
	struct stat status;
	if (self->request->input)
		return open_file(self->request->input, err);
	if (fstat(0, &status) < 0)
		return open_file("/dev/null", err);
	if (isatty(0)) {
		strings_note(&self->notes,
			     "standard input is a terminal, so the runs got /dev/null; use --input FILE to provide "
			     "input");
		return open_file("/dev/null", err);
	}
	if (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode))
		return open_file("/proc/self/fd/0", err);
	return keep_pipe(self, err);
}

int test_open_input(struct test *self, struct err *err)
{
	self->campaign.input_fd = open_input(self, err);
	if (self->campaign.input_fd >= 0)
		return 0;
	return self->campaign.input_fd == -EINVAL ? -ENOEXEC : self->campaign.input_fd;
}

int test_begin_input(struct test *self, const struct test_input *input, struct err *err)
{
	if (self->input)
		BUG("a second input begins");
	int fd = input->path ? open_file(input->path, err) : self->campaign.input_fd;
	if (fd < 0)
		return fd;
	self->input = input;
	self->own_arguments = self->trace.arguments;
	self->own_input_fd = self->campaign.input_fd;
	self->trace.arguments = input->arguments;
	self->campaign.input_fd = fd;
	return 0;
}

void test_end_input(struct test *self)
{
	if (!self->input)
		return;
	if (self->input->path)
		close(self->campaign.input_fd);
	self->trace.arguments = self->own_arguments;
	self->campaign.input_fd = self->own_input_fd;
	self->input = NULL;
}
