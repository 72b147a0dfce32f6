/* Randomness: getrandom, getentropy, /dev/urandom, rand seeded with time and pid; only its shape is printed. */
#include "check.h"
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/random.h>

static void *work(void *argument)
{
	unsigned seed = (unsigned)(time(NULL) ^ getpid()) + (unsigned)(long)argument;
	int smaller = 0;
	for (int i = 0; i < 100; i++)
		smaller += rand_r(&seed) % 10 < 10;
	srand(seed);
	CHECK(rand() >= 0 && random() >= 0);
	return (void *)(long)smaller;
}

int main(void)
{
	unsigned char a[32], b[32], c[32];
	CHECK(getrandom(a, sizeof(a), 0) == sizeof(a) && getentropy(b, sizeof(b)) == 0);
	int file = open("/dev/urandom", O_RDONLY);
	CHECK(read(file, c, sizeof(c)) == sizeof(c) && close(file) == 0);
	CHECK(memcmp(a, b, sizeof(a)) != 0 && memcmp(b, c, sizeof(b)) != 0);
	CHECK(getauxval(AT_RANDOM) != 0);
	srand48(5);
	double fixed = drand48();
	srand(1);
	int first = rand();
	pthread_t threads[3];
	long sum = 0;
	for (long i = 0; i < 3; i++)
		threads[i] = start(work, (void *)i);
	for (int i = 0; i < 3; i++)
		sum += (long)finish(threads[i]);
	printf("sum %ld fixed %.6f first %d\n", sum, fixed, first);
	return 0;
}
/*
 * expect: sum 300 fixed 0.524840 first 1804289383
 */
