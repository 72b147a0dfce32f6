/* check.c: see check.h. */
#include "judge/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/user_command.h"
#include "base/variables.h"

int check_init(struct check *self, const char *command, struct err *err)
{
	*self = (struct check){ .words = { 0 } };
	return user_command_parse(&self->words, command, "--check", err);
}

void check_release(struct check *self)
{
	strings_release(&self->words);
}

static int make_file(const char *name, const struct buf *contents, struct err *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	int code = fd < 0 ? errno : contents ? -proc_write_all(fd, contents->data, contents->size) : 0;
	if (code) {
		if (fd >= 0)
			close(fd);
		return err_set(err, code, "cannot store the output of a run for the check: %s", strerror(code));
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void set_environment(struct strings *environment, const struct campaign_run *run)
{
	static const char *const own[] = { "HEDDLE_EXIT", "HEDDLE_FOLDER", NULL };
	char exit_status[16];
	snprintf(exit_status, sizeof exit_status, "%d", run->result.status & 255);
	variables_inherit(environment, own, NULL);
	variables_add(environment, "HEDDLE_EXIT", exit_status);
	if (run->folder)
		variables_add(environment, "HEDDLE_FOLDER", run->folder);
}

int check_run(const struct check *self, const struct campaign_run *run, volatile sig_atomic_t const *is_stopped,
	      char **how, struct buf *check_output, struct err *err)
{
	const struct capture_stream *stream = &run->capture->streams[0];
	struct strings environment = { 0 };
	int status = 0;
	if (stream->now.size_bytes > stream->kept.size)
		return err_set(err, EFBIG, "a run printed more than %u MiB, which exceeds the limit of --check",
			       MAX_CHECK_OUTPUT >> 20);
	int input = make_file("heddle-output", &stream->kept, err);
	int output = input < 0 ? input : make_file("heddle-said", NULL, err);
	set_environment(&environment, run);
	const struct user_command_start start = { &self->words, &environment, input, output, NULL, is_stopped };
	int code = output < 0 ? output : user_command_run(&start, &status);
	if (output >= 0 && code < 0 && code != -EINTR)
		err_set(err, -code, "cannot run the check \"%s\": %s", self->words.items[0], strerror(-code));
	if (code == 0 && (*how = user_command_failure(status)))
		user_command_read_output(output, check_output);
	strings_release(&environment);
	if (input >= 0)
		close(input);
	if (output >= 0)
		close(output);
	return code < 0 ? code : status == 0;
}
