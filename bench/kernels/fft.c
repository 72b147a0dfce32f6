/*
 * fft.c: transforms of 2^13 complex numbers there and back, again and again. Four threads share the butterflies of each stage, with a barrier between
 * stages. Prints a checksum that does not depend on the interleaving; the argument is the number of rounds (default 400).
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS 13
#define COUNT (1u << BITS)
#define THREADS 4u

struct number {
	double real, imaginary;
};

static struct number *values, *next, *roots;
static pthread_barrier_t stage_end;
static int rounds = 400;

static unsigned reversed(unsigned index)
{
	unsigned result = 0;
	for (unsigned i = 0; i < BITS; i++)
		result |= (index >> i & 1) << (BITS - 1 - i);
	return result;
}

/* The butterflies from first on, of a stage in which partners are half apart. */
static void run_stage(unsigned half, unsigned first, unsigned last, double sign)
{
	for (unsigned i = first; i < last; i++) {
		unsigned low = i / half * 2 * half + i % half, high = low + half;
		struct number root = roots[i % half * (COUNT / 2 / half)];
		struct number a = values[low], b = values[high];
		double real = b.real * root.real - sign * b.imaginary * root.imaginary;
		double imaginary = sign * b.real * root.imaginary + b.imaginary * root.real;
		values[low] = (struct number){ a.real + real, a.imaginary + imaginary };
		values[high] = (struct number){ a.real - real, a.imaginary - imaginary };
	}
}

static void transform(unsigned own, double sign)
{
	unsigned begin = COUNT / THREADS * own, end = begin + COUNT / THREADS;
	for (unsigned i = begin; i < end; i++)
		next[i] = values[reversed(i)];
	pthread_barrier_wait(&stage_end);
	for (unsigned i = begin; i < end; i++)
		values[i] = next[i];
	pthread_barrier_wait(&stage_end);
	for (unsigned half = 1; half < COUNT; half *= 2) {
		run_stage(half, begin / 2, end / 2, sign);
		pthread_barrier_wait(&stage_end);
	}
}

static void *work(void *argument)
{
	unsigned own = (unsigned)(uintptr_t)argument;
	for (int round = 0; round < rounds; round++) {
		transform(own, 1);
		transform(own, -1);
		for (unsigned i = COUNT / THREADS * own; i < COUNT / THREADS * (own + 1); i++) {
			values[i].real /= COUNT;
			values[i].imaginary /= COUNT;
		}
		pthread_barrier_wait(&stage_end);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	uint64_t sum = 0;
	if (argc > 1)
		rounds = atoi(argv[1]);
	values = calloc(COUNT, sizeof *values);
	next = calloc(COUNT, sizeof *next);
	roots = calloc(COUNT / 2, sizeof *roots);
	if (!values || !next || !roots)
		return 1;
	for (unsigned i = 0; i < COUNT; i++)
		values[i].real = i * 7919u % 1009u;
	for (unsigned i = 0; i < COUNT / 2; i++)
		roots[i] = (struct number){ cos(2 * M_PI * i / COUNT), -sin(2 * M_PI * i / COUNT) };
	pthread_barrier_init(&stage_end, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < COUNT; i++)
		sum = sum * 31 + (uint64_t)(int64_t)lround(values[i].real);
	printf("%016" PRIx64 "\n", sum);
	return 0;
}
