/* Three threads write their letter: the order is the schedule's choice, and under several seeds more than one is seen. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char order[4];
static int length;

static void *work(void *argument)
{
	pthread_mutex_lock(&mutex);
	order[length++] = (char)(long)argument;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	for (long i = 0; i < 3; i++)
		threads[i] = start(work, (void *)('a' + i));
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	puts(order);
	return 0;
}
/*
 * match: ^(abc|acb|bac|bca|cab|cba)$
 */
