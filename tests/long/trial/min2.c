#include <pthread.h>
#include <stdlib.h>
static int x, n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a)
{
	x++;
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return a;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	n = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
