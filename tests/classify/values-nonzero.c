/*
 * Workers that change a page leave their number in a mark that says "somebody changed it". Only zero or not zero
 * matters: the third example of both values valid in PLDI 2007.
 */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 3, WORDS = 3 };

struct page {
	int words[WORDS];   /* each of one worker */
	volatile int dirty; /* 0, or the number of a worker that changed it */
};

static struct page page;

static void *change(void *argument)
{
	int number = *(int *)argument;
	page.words[number - 1] = number * number;
	page.dirty = number; /*A*/
	return NULL;
}

static int write_back(struct page *self)
{
	int written = 0;
	if (!self->dirty)
		return 0;
	for (int i = 0; i < WORDS; i++)
		written += self->words[i];
	self->dirty = 0;
	return written;
}

int main(void)
{
	pthread_t threads[WORKERS];
	int numbers[WORKERS] = { 1, 2, 3 };
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, change, &numbers[i]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("written %d\n", write_back(&page));
	return 0;
}
/*
 * expect: race A A class harmless reason both-values-valid
 * why: the page is written back if the mark is not zero, and each worker leaves a number that is not zero.
 */
