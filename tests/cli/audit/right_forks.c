/* A child writes what its parent writes, too: each has its own. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static int counter, filled[16];
static void *work(void *x)
{
	int a[8];
	for (int i = 0; i < 8; i++)
		a[i] = i;
	return (char *)x + a[3];
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pid_t child = fork();
	for (int i = 0; i < 16; i++)
		filled[i] = counter++;
	if (child == 0) {
		pthread_create(&t, 0, work, 0);
		pthread_join(t, 0);
		_exit(counter - 16);
	}
	pthread_join(t, 0);
	int status;
	waitpid(child, &status, 0);
	printf("%d %d %d\n", counter, filled[3], status);
	return 0;
}
