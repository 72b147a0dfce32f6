/*
 * timer.c: runs a command and writes what it cost: one line "CPU WALL PEAK". CPU is user and system time of the command
 * and of all its children that were waited for, WALL is real time, both in seconds; PEAK is the most memory that one of
 * these processes had at a time, in kilobytes.
 *
 *   timer FILE COMMAND ARGUMENTS...
 *
 * SIGTERM and SIGINT are passed on to the command, so that a server can be ended and its cost still be read. The exit
 * status is that of the command. The command does not outlive the timer: one that hangs is ended with it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t child;

static void pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: timer FILE COMMAND ARGUMENTS...\n", stderr);
		return 2;
	}
	/* Blocked until the child is known, so that no signal is lost. */
	sigset_t block, old;
	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGINT);
	sigprocmask(SIG_BLOCK, &block, &old);
	signal(SIGTERM, pass_on);
	signal(SIGINT, pass_on);

	double begin = now();
	child = fork();
	if (child < 0) {
		perror("timer: fork");
		return 3;
	}
	if (child == 0) {
		signal(SIGTERM, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		sigprocmask(SIG_SETMASK, &old, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[2], argv + 2);
		fprintf(stderr, "timer: cannot run \"%s\": %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	int status;
	struct rusage usage;
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR) {
			perror("timer: wait4");
			return 3;
		}
	double wall = now() - begin;

	FILE *file = fopen(argv[1], "w");
	if (!file ||
	    fprintf(file, "%.6f %.6f %ld\n", seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), wall,
		    usage.ru_maxrss) < 0 ||
	    fclose(file) != 0) {
		fprintf(stderr, "timer: cannot write \"%s\": %s\n", argv[1], strerror(errno));
		return 3;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
