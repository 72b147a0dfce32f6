/* user_command.c: see user_command.h. */
#include "base/user_command.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/text.h"

#define MAX_OUTPUT_READ (64u << 10)

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

int user_command_parse(struct strings *words, const char *command, const char *option, struct err *err)
{
	if (access(command, X_OK) == 0 && strchr(command, '/'))
		strings_add(words, command);
	else
		split(words, command);
	if (words->count == 0)
		return err_set(err, EINVAL, "%s requires a command", option);
	if (proc_find(words->items[0]))
		return 0;
	char *shown = text_terminal_copy(words->items[0]);
	err_hint(err, "%s expects the path of a program, or a program and its arguments; no shell is used", option);
	err_set(err, ENOENT, "cannot run the command \"%s\" of %s", shown, option);
	free(shown);
	return -ENOENT;
}

static int finish(pid_t pid, volatile sig_atomic_t const *is_stopped, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno == EINTR && is_stopped && *is_stopped)
			kill(-pid, SIGKILL);
	return is_stopped && *is_stopped ? -EINTR : 0;
}

int user_command_run(const struct user_command_start *start, int *status)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid;
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, start->input, 0);
	posix_spawn_file_actions_adddup2(&actions, start->output, 1);
	posix_spawn_file_actions_adddup2(&actions, start->output, 2);
	if (start->folder)
		posix_spawn_file_actions_addchdir_np(&actions, start->folder);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	int code = posix_spawnp(&pid, start->words->items[0], &actions, &attributes, start->words->items,
				start->environment->items);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return code ? -code : finish(pid, start->is_stopped, status);
}

char *user_command_failure(int status)
{
	if (status == 0)
		return NULL;
	return WIFSIGNALED(status) ? mem_format("signal %d", WTERMSIG(status))
				   : mem_format("exit status %d", WEXITSTATUS(status));
}

void user_command_read_output(int fd, struct buf *output)
{
	char chunk[4096];
	ssize_t got;
	lseek(fd, 0, SEEK_SET);
	while (output->size < MAX_OUTPUT_READ && (got = read(fd, chunk, sizeof chunk)) > 0)
		buf_add(output, chunk, (size_t)got);
}
