/* bytes.c: pointers that are copied in parts, by functions of the program's own. */
#include <pthread.h>
#include <stddef.h>

struct record {
	long key;
	int *counter;
};

static int copied, swapped, halved, spare;
static struct record from = { 1, &copied }, to, left = { 1, &swapped }, right = { 2, &spare }, whole = { 1, &halved },
		     half;

__attribute__((noinline)) static void copy(void *to, const void *from, size_t size)
{
	for (char *at = to, *next = (char *)from; size--;)
		*at++ = *next++;
}

__attribute__((noinline)) static void swap(void *left, void *right, size_t size)
{
	for (char *a = left, *b = right; size--; a++, b++) {
		char byte = *a;
		*a = *b;
		*b = byte;
	}
}

__attribute__((noinline)) static void copy_halves(void *to, const void *from, size_t size)
{
	int *at = to;
	const int *next = from;
	for (size_t i = 0; i < size / sizeof *at; i++)
		at[i] = next[i];
}

static void *run(void *unused)
{
	(void)unused;
	++*to.counter;    // @COPIED
	++*right.counter; // @SWAPPED
	++*half.counter;  // @HALVED
	return NULL;
}

int main(void)
{
	pthread_t thread;
	copy(&to, &from, sizeof to);
	swap(&left, &right, sizeof left);
	copy_halves(&half, &whole, sizeof half);
	pthread_create(&thread, NULL, run, NULL);
	copied++;  // @MAINCOPIED
	swapped++; // @MAINSWAPPED
	halved++;  // @MAINHALVED
	pthread_join(thread, NULL);
	return 0;
}

/*
 * race: COPIED-MAINCOPIED
 * race: SWAPPED-MAINSWAPPED
 * race: HALVED-MAINHALVED
 */
