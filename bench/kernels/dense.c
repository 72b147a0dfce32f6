/*
 * dense.c: dense loops. A matrix multiplication and a five-point stencil over arrays that do not fit the first cache.
 * Prints a checksum; the argument scales the work (default 25).
 */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 256
#define GRID 1024

static void multiply(const double *a, const double *b, double *c)
{
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			c[i * SIZE + j] = 0;
	for (int i = 0; i < SIZE; i++)
		for (int k = 0; k < SIZE; k++)
			for (int j = 0; j < SIZE; j++)
				c[i * SIZE + j] += a[i * SIZE + k] * b[k * SIZE + j];
}

static void relax(const double *from, double *to)
{
	for (int y = 1; y < GRID - 1; y++)
		for (int x = 1; x < GRID - 1; x++)
			to[y * GRID + x] = 0.2 * (from[y * GRID + x] + from[y * GRID + x - 1] + from[y * GRID + x + 1] +
						  from[(y - 1) * GRID + x] + from[(y + 1) * GRID + x]);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 25;
	double *a = malloc(SIZE * SIZE * sizeof *a);
	double *b = malloc(SIZE * SIZE * sizeof *b);
	double *c = malloc(SIZE * SIZE * sizeof *c);
	double *grid = calloc(GRID * GRID, sizeof *grid);
	double *next = calloc(GRID * GRID, sizeof *next);
	if (!a || !b || !c || !grid || !next)
		return 3;
	for (int i = 0; i < SIZE * SIZE; i++) {
		a[i] = (i * 31 % 101) / 101.0;
		b[i] = (i * 17 % 97) / 97.0;
	}
	for (int i = 0; i < GRID; i++)
		grid[i] = next[i] = 1 + i % 7;
	double sum = 0;
	for (int round = 0; round < rounds; round++) {
		multiply(a, b, c);
		sum += c[(round * 7919) % (SIZE * SIZE)];
		for (int i = 0; i < 6; i++) {
			relax(grid, next);
			relax(next, grid);
		}
	}
	for (int i = 0; i < GRID * GRID; i += 97)
		sum += grid[i];
	printf("dense %.9e\n", sum);
	free(a);
	free(b);
	free(c);
	free(grid);
	free(next);
	return 0;
}
