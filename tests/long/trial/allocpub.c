#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) p;
static void *a(void *x)
{
	atomic_store_explicit(&p, malloc(sizeof(int)), memory_order_relaxed);
	return x;
}
static void *b(void *x)
{
	int *r;
	while (!(r = atomic_load_explicit(&p, memory_order_relaxed)))
		;
	*r = 18;
	return x;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, a, 0);
	pthread_create(&u, 0, b, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
