/* Ends always: a loop of two million looks at a value that nobody changes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static _Atomic long value;
static __attribute__((noinline)) long get(_Atomic long *p)
{
	return atomic_load(p);
}
static void *setter(void *a)
{
	atomic_store(&value, 2);
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, setter, 0);
	for (int i = 0; i < 2000000; i++) {
		long v = get(&value);
		if (v != 0 && v != 2) {
			puts("bad");
			break;
		}
	}
	pthread_join(t, 0);
	puts("done");
	return 0;
}
