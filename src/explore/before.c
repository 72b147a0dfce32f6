/* before.c: see before.h. */
#include "explore/before.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/text.h"
#include "base/user_command.h"
#include "base/variables.h"

int before_init(struct before *self, const char *command, volatile sig_atomic_t const *is_stopped, struct err *err)
{
	*self = (struct before){ .is_stopped = is_stopped };
	int code = user_command_parse(&self->words, command, "--before", err);
	/* It may run in another directory than ours. */
	char *here = code == 0 && strchr(self->words.items[0], '/') ? getcwd(NULL, 0) : NULL;
	if (here) {
		/* Not through links: there are programs that act by the name that they are called by. */
		char *program = mem_format("%s/%s", here, self->words.items[0]);
		if (self->words.items[0][0] != '/')
			strings_set(&self->words, 0, program);
		free(program);
	}
	free(here);
	return code;
}

void before_release(struct before *self)
{
	strings_release(&self->words);
}

/* The first line that it printed, as a hint. */
static void hint_output(int fd, struct err *err)
{
	struct buf output = { 0 };
	user_command_read_output(fd, &output);
	if (output.size) {
		char *line = mem_format("%.*s", (int)strcspn(output.data, "\n"), output.data);
		char *shown = text_terminal_copy(line);
		err_hint(err, "it printed: %s", shown);
		free(shown);
		free(line);
	}
	buf_release(&output);
}

static int fail(struct before *self, int code, const char *how, int output, struct err *err)
{
	char *command = NULL;
	struct buf words = { 0 };
	proc_quote(&words, self->words.items);
	command = text_terminal_copy(words.data);
	if (output >= 0)
		hint_output(output, err);
	err_set(err, code, "the command of --before failed, so no more schedules are run: \"%s\": %s", command, how);
	self->has_failed = true;
	self->failure = *err;
	buf_release(&words);
	free(command);
	return -code;
}

static void set_environment(struct strings *environment, const char *folder)
{
	static const char *const own[] = { "HEDDLE_FOLDER", NULL };
	variables_inherit(environment, own, NULL);
	if (folder)
		variables_add(environment, "HEDDLE_FOLDER", folder);
}

int before_run(struct before *self, const char *folder, struct err *err)
{
	struct strings environment = { 0 };
	int status = 0;
	if (!self->words.count)
		return 0;
	if (self->has_failed) {
		*err = self->failure;
		return -ECANCELED;
	}
	int input = open("/dev/null", O_RDONLY | O_CLOEXEC), output = memfd_create("heddle-before", MFD_CLOEXEC);
	set_environment(&environment, folder);
	const struct user_command_start start = { &self->words, &environment, input, output, folder, self->is_stopped };
	int code = input < 0 || output < 0 ? -errno : user_command_run(&start, &status);
	if (code < 0 && code != -EINTR)
		code = fail(self, -code, strerror(-code), -1, err);
	char *how = code == 0 ? user_command_failure(status) : NULL;
	if (how)
		code = fail(self, ECANCELED, how, output, err);
	free(how);
	strings_release(&environment);
	if (input >= 0)
		close(input);
	if (output >= 0)
		close(output);
	return code;
}
