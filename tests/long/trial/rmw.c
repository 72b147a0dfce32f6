#include <pthread.h>
static long n = 40;
static void *add(void *a)
{
	__sync_fetch_and_add(&n, 5);
	return a;
}
static void *rd(void *a)
{
	return (void *)n;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, rd, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
