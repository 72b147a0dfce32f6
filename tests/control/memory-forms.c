/* Every way to get memory: calloc, realloc, aligned_alloc, posix_memalign, memalign, strdup, large blocks, failures. */
#include "check.h"
#include <malloc.h>
#include <stdint.h>

static void *work(void *argument)
{
	long sum = 0;
	(void)argument;
	char *grown = NULL;
	for (size_t size = 1; size < 300000; size = size * 3 + 1) {
		grown = realloc(grown, size);
		CHECK(grown);
		grown[size - 1] = (char)size;
		if (size > 1)
			sum += grown[(size - 1) / 3 - 1] == (char)((size - 1) / 3);
	}
	grown = realloc(grown, 10);
	CHECK(grown && grown[0] == 1);
	free(grown);
	unsigned char *zero = calloc(1000, 37);
	for (int i = 0; i < 37000; i++)
		sum += zero[i];
	free(zero);
	void *aligned = NULL;
	for (size_t alignment = 16; alignment <= 65536; alignment *= 4) {
		CHECK(posix_memalign(&aligned, alignment, 100) == 0 && (uintptr_t)aligned % alignment == 0);
		free(aligned);
		aligned = aligned_alloc(alignment, alignment * 2);
		CHECK(aligned && (uintptr_t)aligned % alignment == 0);
		free(aligned);
	}
	aligned = memalign(64, 10);
	CHECK((uintptr_t)aligned % 64 == 0);
	free(aligned);
	CHECK((uintptr_t)(aligned = valloc(10)) % 4096 == 0);
	free(aligned);
	CHECK(posix_memalign(&aligned, 3, 10) == EINVAL);
	char *text = strdup("copied"), *printed = NULL;
	CHECK(asprintf(&printed, "%s %d", text, 5) == 8 && strcmp(printed, "copied 5") == 0);
	CHECK(malloc_usable_size(text) >= 7);
	free(text);
	free(printed);
	char *large = malloc(64 << 20);
	CHECK(large);
	large[0] = large[(64 << 20) - 1] = 1;
	free(large);
	return (void *)sum;
}

int main(void)
{
	volatile size_t too_much = SIZE_MAX / 2 + 2;
	/* Volatile, or the compiler takes the calls out. */
	void *volatile got = malloc(too_much);
	CHECK(got == NULL && errno == ENOMEM);
	got = calloc(too_much, 4);
	CHECK(got == NULL && errno == ENOMEM);
	void *kept = malloc(10);
	CHECK(realloc(kept, too_much) == NULL && reallocarray(kept, too_much, 2) == NULL);
	free(kept);
	free(NULL);
	void *nothing = malloc(0), *other = malloc(0);
	CHECK(nothing && nothing != other);
	free(nothing);
	free(other);
	pthread_t a = start(work, NULL), b = start(work, NULL);
	long sum = (long)finish(a);
	sum += (long)finish(b);
	printf("sum %ld\n", sum);
	return 0;
}
/*
 * expect: sum 22
 */
