#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t over;
static void on(int s)
{
	over = 1;
}
int main(void)
{
	struct sigaction sa = { .sa_handler = on };
	sigaction(SIGTERM, &sa, 0);
	puts("up");
	fflush(stdout);
	int p[2];
	char c;
	pipe(p);
	while (!over)
		read(p[0], &c, 1);
	puts("down");
	return 0;
}
