/* Heavy allocation in 8 threads; blocks are freed by others than those that allocated them. */
#include "check.h"

#define THREADS 8
#define ROUNDS 2000
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *exchange[64];

static void *work(void *argument)
{
	unsigned seed = (unsigned)(long)argument + 1;
	long wrong = 0;
	for (int i = 0; i < ROUNDS; i++) {
		seed = seed * 1103515245 + 12345;
		size_t size = 16 + (seed >> 16) % (i % 100 == 0 ? 200000 : 500);
		unsigned char *block = malloc(size);
		CHECK(block && (unsigned long)block % 16 == 0);
		block[0] = (unsigned char)size;
		block[1] = (unsigned char)(size >> 8);
		block[size - 1] = 0x5a;
		memcpy(block + 4, &size, sizeof(size));
		unsigned slot = (seed >> 8) % 64;
		pthread_mutex_lock(&mutex);
		unsigned char *old = exchange[slot];
		exchange[slot] = block;
		pthread_mutex_unlock(&mutex);
		if (old) {
			memcpy(&size, old + 4, sizeof(size));
			wrong += old[0] != (unsigned char)size || (size > 13 && old[size - 1] != 0x5a);
			free(old);
		}
	}
	return (void *)wrong;
}

int main(void)
{
	pthread_t threads[THREADS];
	long wrong = 0;
	for (long i = 0; i < THREADS; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		wrong += (long)finish(threads[i]);
	for (int i = 0; i < 64; i++)
		free(exchange[i]);
	printf("wrong %ld\n", wrong);
	return 0;
}
/*
 * expect: wrong 0
 */
