/* process.c: the beginning of main, and other programs started by this one. */
#include <sys/syscall.h>

#include "world/kernel/process.h"
#include "world/sync/sync_priv.h"

int (*world_real_main)(int argc, char **argv, char **environment);

int control___libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
			      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	world_real_main = main;
	return interpose_real(__libc_start_main)(world_main, argc, argv, init, fini, rtld_fini, stack_end);
}

bool spawn_before(struct operation *operation)
{
	const uint64_t *arguments = operation->arguments;
	world_event(HEDDLE_EVENT_SYSCALL, (void *)SYS_vfork, operation->code);
	operation->result = (uint64_t)world_spawn(
		(pid_t *)arguments[0], (const char *)arguments[1], (const posix_spawn_file_actions_t *)arguments[2],
		(const posix_spawnattr_t *)arguments[3], (char *const *)arguments[4], (char *const *)arguments[5],
		operation->row == &operation_rows[INTERPOSE_posix_spawnp]);
	return true;
}

/* libc passes the error of a program that cannot be started through memory that it shares with the child, which a
 * replay does not have. So posix_spawn as a whole is one call to the outside. */
int world_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const environment[], bool is_path_search)
{
	pid_t child = 0;
	int result;
	if (process_replay_spawn(&result, &child) == 0) {
		process_begin_spawn();
		if (is_path_search)
			result = interpose_real(posix_spawnp)(&child, path, actions, attributes, argv, environment);
		else
			result = interpose_real(posix_spawn)(&child, path, actions, attributes, argv, environment);
		process_end_spawn(result, child);
	}
	if (result == 0 && pid)
		*pid = child;
	return result;
}
