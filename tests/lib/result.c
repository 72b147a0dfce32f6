#include <pthread.h>
#include <stdio.h>
static volatile int limit = 1;
static void *raise_limit(void *unused) { limit = 2; return unused; }
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, raise_limit, NULL);
	printf("limit %d\n", limit);
	pthread_join(thread, NULL);
	return 0;
}
/* result.c: a race that the output depends on. Lines are counted: comments stand at the end. */
