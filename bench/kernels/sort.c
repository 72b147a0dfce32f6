/*
 * sort.c: quicksort with insertion sort at the leaves, a heap sort, and qsort with a comparison through a pointer.
 * Prints a checksum; the argument scales the work (default 25).
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 60000

static void sort_short(uint32_t *data, long size)
{
	for (long i = 1; i < size; i++) {
		uint32_t value = data[i];
		long at = i;
		for (; at > 0 && data[at - 1] > value; at--)
			data[at] = data[at - 1];
		data[at] = value;
	}
}

static void sort_quick(uint32_t *data, long size)
{
	while (size > 24) {
		uint32_t pivot = data[size / 2];
		long low = 0, high = size - 1;
		while (low <= high) {
			while (data[low] < pivot)
				low++;
			while (data[high] > pivot)
				high--;
			if (low <= high) {
				uint32_t swap = data[low];
				data[low++] = data[high];
				data[high--] = swap;
			}
		}
		sort_quick(data, high + 1);
		data += low;
		size -= low;
	}
	sort_short(data, size);
}

static void sift(uint32_t *data, long at, long size)
{
	uint32_t value = data[at];
	for (long child; (child = 2 * at + 1) < size; at = child) {
		if (child + 1 < size && data[child + 1] > data[child])
			child++;
		if (data[child] <= value)
			break;
		data[at] = data[child];
	}
	data[at] = value;
}

static void sort_heap(uint32_t *data, long size)
{
	for (long i = size / 2 - 1; i >= 0; i--)
		sift(data, i, size);
	for (long i = size - 1; i > 0; i--) {
		uint32_t swap = data[0];
		data[0] = data[i];
		data[i] = swap;
		sift(data, 0, i);
	}
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 25;
	uint32_t *source = malloc(SIZE * sizeof *source);
	uint32_t *data = malloc(SIZE * sizeof *data);
	if (!source || !data)
		return 3;
	uint32_t seed = 12345;
	uint64_t sum = 0;
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < SIZE; i++) {
			seed = seed * 1664525u + 1013904223u;
			source[i] = seed >> 8;
		}
		for (int kind = 0; kind < 3; kind++) {
			memcpy(data, source, SIZE * sizeof *data);
			if (kind == 0)
				sort_quick(data, SIZE);
			else if (kind == 1)
				sort_heap(data, SIZE);
			else
				qsort(data, SIZE, sizeof *data, compare);
			for (int i = 0; i < SIZE; i += 101)
				sum = sum * 31 + data[i];
		}
	}
	printf("sort %016" PRIx64 "\n", sum);
	free(source);
	free(data);
	return 0;
}
