/* posix_spawn with file actions and attributes, posix_spawnp, a missing program. */
#include "check.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static void *spawns(void *argument)
{
	char text[16];
	pid_t child;
	int status;
	snprintf(text, sizeof(text), "exit %ld", (long)argument);
	char *arguments[] = { (char[]){ "sh" }, (char[]){ "-c" }, text, NULL };
	CHECK(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0);
	CHECK(waitpid(child, &status, 0) == child);
	return (void *)(long)WEXITSTATUS(status);
}

int main(void)
{
	int ends[2], status;
	pid_t child;
	char buffer[100];
	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	CHECK(posix_spawn_file_actions_init(&actions) == 0 && posix_spawnattr_init(&attributes) == 0);
	CHECK(posix_spawn_file_actions_adddup2(&actions, ends[1], 1) == 0);
	CHECK(posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0);
	CHECK(posix_spawn_file_actions_addchdir_np(&actions, "/") == 0);
	sigset_t none;
	sigemptyset(&none);
	CHECK(posix_spawnattr_setsigmask(&attributes, &none) == 0);
	CHECK(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK) == 0);
	char *arguments[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "pwd; wc -c; exit 6" }, NULL };
	CHECK(posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ) == 0);
	close(ends[1]);
	size_t used = 0;
	ssize_t got;
	while ((got = read(ends[0], buffer + used, sizeof(buffer) - 1 - used)) > 0)
		used += (size_t)got;
	buffer[used] = 0;
	CHECK(waitpid(child, &status, 0) == child);
	printf("%sstatus %d\n", buffer, WEXITSTATUS(status));
	char *missing[] = { (char[]){ "missing" }, NULL };
	printf("missing %s\n",
	       strerrorname_np(posix_spawn(&child, "/there/is/no/program", NULL, NULL, missing, environ)));
	pthread_t a = start(spawns, (void *)20), b = start(spawns, (void *)30);
	long sum = (long)finish(a);
	sum += (long)finish(b);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: /
 * expect: 0
 * expect: status 6
 * expect: missing ENOENT
 * expect: sum 50
 * timing: children run in real time
 */
