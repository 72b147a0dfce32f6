#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile int g;
static void h(int s)
{
	g++;
}
int main(void)
{
	signal(SIGIO, h);
	int p[2];
	pipe(p);
	printf("setown %d\n", fcntl(p[0], F_SETOWN, getpid()));
	fcntl(p[0], F_SETFL, O_ASYNC);
	write(p[1], "x", 1);
	for (int i = 0; i < 1000 && !g; i++)
		usleep(1000);
	printf("got %d\n", g);
}
