/* check.c: see check.h. */
#include "judge/check.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/text.h"
#include "base/variables.h"

#define MAX_CHECK_SHOWN (64u << 10)

static void split(struct strings *words, const char *text)
{
	while (*(text += strspn(text, " \t\n"))) {
		size_t size = strcspn(text, " \t\n");
		char *word = mem_format("%.*s", (int)size, text);
		strings_add(words, word);
		free(word);
		text += size;
	}
}

int check_init(struct check *self, const char *command, struct err *err)
{
	*self = (struct check){ .words = { 0 } };
	if (access(command, X_OK) == 0 && strchr(command, '/'))
		strings_add(&self->words, command);
	else
		split(&self->words, command);
	if (self->words.count == 0)
		return err_set(err, EINVAL, "--check requires a command");
	if (proc_find(self->words.items[0]))
		return 0;
	char *shown = text_terminal_copy(self->words.items[0]);
	err_hint(err, "--check expects the path of a program, or a program and its arguments; no shell is used");
	err_set(err, ENOENT, "cannot run the check \"%s\"", shown);
	free(shown);
	return -ENOENT;
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

static void read_check_output(int fd, struct buf *check_output)
{
	char chunk[4096];
	ssize_t got;
	lseek(fd, 0, SEEK_SET);
	while (check_output->size < MAX_CHECK_SHOWN && (got = read(fd, chunk, sizeof chunk)) > 0)
		buf_add(check_output, chunk, (size_t)got);
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

/* In a process group of its own: keys of the terminal are for us. */
static int start(const struct check *self, const struct campaign_run *run, int input, int output, pid_t *pid)
{
	struct strings environment = { 0 };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, input, 0);
	posix_spawn_file_actions_adddup2(&actions, output, 1);
	posix_spawn_file_actions_adddup2(&actions, output, 2);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	set_environment(&environment, run);
	int code = posix_spawnp(pid, self->words.items[0], &actions, &attributes, self->words.items, environment.items);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	strings_release(&environment);
	return code;
}

static int finish(pid_t pid, volatile sig_atomic_t const *is_stopped, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno == EINTR && *is_stopped)
			kill(-pid, SIGKILL);
	return *is_stopped ? -EINTR : 0;
}

int check_run(const struct check *self, const struct campaign_run *run, volatile sig_atomic_t const *is_stopped,
	      char **how, struct buf *check_output, struct err *err)
{
	const struct capture_stream *stream = &run->capture->streams[0];
	int status = 0;
	pid_t pid;
	if (stream->now.size_bytes > stream->kept.size)
		return err_set(err, EFBIG, "a run printed more than %u MiB, which exceeds the limit of --check",
			       MAX_CHECK_OUTPUT >> 20);
	int input = make_file("heddle-output", &stream->kept, err);
	int output = input < 0 ? input : make_file("heddle-said", NULL, err);
	int code = output < 0 ? output : -start(self, run, input, output, &pid);
	if (output >= 0 && code < 0)
		err_set(err, -code, "cannot run the check \"%s\": %s", self->words.items[0], strerror(-code));
	if (code == 0)
		code = finish(pid, is_stopped, &status);
	if (code == 0 && status != 0) {
		*how = WIFSIGNALED(status) ? mem_format("signal %d", WTERMSIG(status))
					   : mem_format("exit status %d", WEXITSTATUS(status));
		read_check_output(output, check_output);
	}
	if (input >= 0)
		close(input);
	if (output >= 0)
		close(output);
	return code < 0 ? code : status == 0;
}
