/* v16 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int step, ok = 1;
static void *a(void *x)
{
	for (int i = 0; i < 9; i++) {
		int s = atomic_load(&step);
		if (s == 2 * i)
			atomic_store(&step, s + 1);
	}
	return x;
}
static void *b(void *x)
{
	for (int i = 0; i < 9; i++) {
		int s = atomic_load(&step);
		if (s == 2 * i + 1)
			atomic_store(&step, s + 1);
	}
	if (atomic_load(&step) >= N)
		ok = 0;
	return x;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, a, 0);
	pthread_create(&t[1], 0, b, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	assert(ok);
	puts("ok");
}
