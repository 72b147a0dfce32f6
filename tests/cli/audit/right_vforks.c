/* A child of vfork works in its parent's memory while that waits. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int counter;
static __attribute__((noinline)) void count(int *a)
{
	for (int i = 0; i < 4; i++)
		a[i]++;
}
static void *work(void *x)
{
	volatile int seen = 0;
	int a[4] = { 0 };
	count(a);
	pid_t child = vfork();
	if (child == 0) {
		count(a);
		seen = 1;
		_exit(0);
	}
	waitpid(child, 0, 0);
	count(a);
	return (char *)x + a[0] + seen;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	counter++;
	work(0);
	pthread_join(t, 0);
	printf("%d\n", counter);
	return 0;
}
