/* A program without threads, which computes a while and prints. */
#include "check.h"

int main(void)
{
	static char composite[100000];
	int primes = 0;
	for (int i = 2; i < 100000; i++) {
		if (composite[i])
			continue;
		primes++;
		for (long j = (long)i * i; j < 100000; j += i)
			composite[j] = 1;
	}
	printf("primes %d\n", primes);
	return 0;
}
/*
 * expect: primes 9592
 */
