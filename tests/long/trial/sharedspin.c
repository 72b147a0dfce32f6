#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main()
{
	volatile int *p = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t c = fork();
	if (!c) {
		for (volatile int i = 0; i < 10000000; i++)
			;
		p[0] = 77;
		_exit(0);
	}
	while (p[0] != 77)
		;
	int s;
	waitpid(c, &s, 0);
	puts("done");
}
