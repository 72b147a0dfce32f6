/* Wrong: the increment is not atomic. All in inline assembly. */
#include <assert.h>
#include <pthread.h>
static volatile int n;
static void *w(void *a)
{
	for (int i = 0; i < 3; i++) {
		int v;
		__asm__ volatile("movl %1,%0" : "=r"(v) : "m"(n));
		v++;
		__asm__ volatile("movl %1,%0" : "=m"(n) : "r"(v));
	}
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, w, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	assert(n == 6);
	return 0;
}
