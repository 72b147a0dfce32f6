/*
 * Flags of a page in a cache: the flusher sets and clears "dirty" and "writeback", lookups test "uptodate".
 */
#include <pthread.h>
#include <stdio.h>

enum { PAGE_DIRTY = 1, PAGE_WRITEBACK = 2, PAGE_UPTODATE = 4 };
enum { READERS = 2 };

struct page {
	volatile unsigned flags;
	int value;
};

static struct page page = { .flags = PAGE_UPTODATE, .value = 42 };

static void *flush(void *argument)
{
	struct page *self = argument;
	self->flags |= PAGE_DIRTY;                                            /*A*/
	self->flags = (self->flags & ~(unsigned)PAGE_DIRTY) | PAGE_WRITEBACK; /*B*/
	self->flags &= ~(unsigned)PAGE_WRITEBACK;                             /*C*/
	return NULL;
}

static void *look_up(void *argument)
{
	int *value = argument;
	*value = -1;
	if (page.flags & PAGE_UPTODATE) /*D*/
		*value = page.value;
	return NULL;
}

int main(void)
{
	pthread_t flusher, readers[READERS];
	int values[READERS];
	pthread_create(&flusher, NULL, flush, &page);
	for (int i = 0; i < READERS; i++)
		pthread_create(&readers[i], NULL, look_up, &values[i]);
	pthread_join(flusher, NULL);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	printf("values %d %d\n", values[0], values[1]);
	return 0;
}
/*
 * expect: race A D class harmless reason disjoint-bits
 * expect: race B D class harmless reason disjoint-bits maybe
 * expect: race C D class harmless reason disjoint-bits maybe
 * why: lookups test a bit that the flusher, the only writer, leaves as it is.
 */
