#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static char st[1 << 18];
static volatile int v;
static int fn(void *a)
{
	for (int i = 0; i < 100000; i++) {
		v++;
		if (i % 1000 == 0) {
			free(malloc(100));
			write(2, "", 0);
		}
	}
	return 3;
}
int main(void)
{
	int p = clone(fn, st + sizeof st, CLONE_VM | SIGCHLD, 0);
	for (int i = 0; i < 100000; i++) {
		v++;
		if (i % 1000 == 0) {
			free(malloc(50));
			getppid();
		}
	}
	int s;
	waitpid(p, &s, 0);
	printf("exit %d v>0 %d\n", WEXITSTATUS(s), v > 0);
	return 5;
}
