/* fork in the middle, exec of itself, vfork, threads in the child, exit from many places. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
int value, table[8];
static void *work(void *p) { for (int i = 0; i < 100; i++) __atomic_add_fetch(&value, 1, __ATOMIC_SEQ_CST); return p; }
static void before(void) { value += 1000; }
static void after(void) { value += 10000; }
__attribute__((noinline)) static int middle(int depth)
{
	table[depth]++;
	if (depth == 5) {
		fflush(stdout);
		pid_t child = fork();
		if (child == 0) {
			for (int i = 0; i < 8; i++)
				value += table[i] * i;
			return -1;
		}
		int status;
		waitpid(child, &status, 0);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
	}
	int r = middle(depth + 1);
	table[depth] += 2;
	return r;
}
int main(int argc, char **argv)
{
	if (argc > 1) {
		value += atoi(argv[1]);
		work(NULL);
		printf("exec'd %d\n", value);
		return value % 100;
	}
	pthread_atfork(before, after, NULL);
	int r = middle(0);
	if (r == -1) {
		pthread_t thread;
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
		printf("child %d %d\n", value, table[3]);
		fflush(stdout);
		_exit(value % 50);
	}
	printf("parent %d %d %d\n", r, value, table[3]);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		execl("/proc/self/exe", argv[0], "7", (char *)NULL);
		_exit(99);
	}
	int status;
	waitpid(child, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	fflush(stdout);
	char *arguments[] = { argv[0], "8", NULL };
	posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ);
	waitpid(child, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	fflush(stdout);
	child = vfork();
	if (child == 0)
		_exit(3);
	waitpid(child, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	exit(value % 7);
}
