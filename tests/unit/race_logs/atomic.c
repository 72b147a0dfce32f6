#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <stdio.h>
static int count; static char buffer[64];
static void *add(void *text) { atomic_fetch_add_explicit((_Atomic int *)&count, 1, memory_order_relaxed); memcpy(buffer, text, strlen(text)); return 0; }
int main(void)
{
	pthread_t threads[2]; char text[] = "hello world, hello world";
	for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, add, text);
	printf("%d\n", count);
	for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
	pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_destroy(&m);
	pthread_create(&threads[0], 0, add, text);
	return 0;
}
