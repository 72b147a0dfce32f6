/*
 * lu.c: a dense matrix of blocks is factored in place, again and again. Each of four threads has the blocks of its columns; a barrier ends each step.
 * Prints a checksum that does not depend on the interleaving; the argument is the number of rounds (default 100).
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 16
#define BLOCKS 16
#define SIZE (BLOCK * BLOCKS)
#define THREADS 4

typedef double block[BLOCK][BLOCK];

static block (*matrix)[BLOCKS];
static pthread_barrier_t step_end;
static int rounds = 100;

static void fill(int own)
{
	for (int row = 0; row < SIZE; row++)
		for (int column = 0; column < SIZE; column++)
			if (column / BLOCK % THREADS == own)
				matrix[row / BLOCK][column / BLOCK][row % BLOCK][column % BLOCK] =
					row == column ? SIZE : (row * 37 + column * 17) % 23 / 23.0;
}

static void factor(block a)
{
	for (int k = 0; k < BLOCK; k++)
		for (int i = k + 1; i < BLOCK; i++) {
			a[i][k] /= a[k][k];
			for (int j = k + 1; j < BLOCK; j++)
				a[i][j] -= a[i][k] * a[k][j];
		}
}

/* right = lower triangle of a to the minus one, times right. */
static void solve_row(block a, block right)
{
	for (int k = 0; k < BLOCK; k++)
		for (int i = k + 1; i < BLOCK; i++)
			for (int j = 0; j < BLOCK; j++)
				right[i][j] -= a[i][k] * right[k][j];
}

static void solve_column(block a, block below)
{
	for (int i = 0; i < BLOCK; i++)
		for (int k = 0; k < BLOCK; k++) {
			below[i][k] /= a[k][k];
			for (int j = k + 1; j < BLOCK; j++)
				below[i][j] -= below[i][k] * a[k][j];
		}
}

static void subtract(block left, block upper, block result)
{
	for (int i = 0; i < BLOCK; i++)
		for (int k = 0; k < BLOCK; k++)
			for (int j = 0; j < BLOCK; j++)
				result[i][j] -= left[i][k] * upper[k][j];
}

static void *work(void *argument)
{
	int own = (int)(intptr_t)argument;
	for (int round = 0; round < rounds; round++) {
		fill(own);
		pthread_barrier_wait(&step_end);
		for (int k = 0; k < BLOCKS; k++) {
			if (k % THREADS == own) {
				factor(matrix[k][k]);
				for (int i = k + 1; i < BLOCKS; i++)
					solve_column(matrix[k][k], matrix[i][k]);
			}
			pthread_barrier_wait(&step_end);
			for (int j = k + 1; j < BLOCKS; j++) {
				if (j % THREADS != own)
					continue;
				solve_row(matrix[k][k], matrix[k][j]);
				for (int i = k + 1; i < BLOCKS; i++)
					subtract(matrix[i][k], matrix[k][j], matrix[i][j]);
			}
			pthread_barrier_wait(&step_end);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	uint64_t sum = 0;
	if (argc > 1)
		rounds = atoi(argv[1]);
	matrix = calloc(BLOCKS, sizeof *matrix);
	if (!matrix)
		return 1;
	pthread_barrier_init(&step_end, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int row = 0; row < SIZE; row++)
		for (int column = 0; column < SIZE; column++)
			sum = sum * 31 +
			      (uint64_t)(int64_t)(matrix[row / BLOCK][column / BLOCK][row % BLOCK][column % BLOCK] *
						  1e6);
	printf("%016" PRIx64 "\n", sum);
	return 0;
}
