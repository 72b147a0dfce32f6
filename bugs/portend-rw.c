/*
 * Portend's RW, "redundant writes": racing threads write the same value.
 *
 * Every worker that sees a file of the new format says so in a flag, without a lock: whoever comes first or last, the
 * flag is 1. A data race that can do no harm. Portend (ASPLOS 2012) and Kasikci's thesis, section 6.3.1 and Table 6;
 * the class is from Narayanasamy et al. (PLDI 2007).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WORKERS = 3, FILES = 2 };

struct file {
	int version;
	int size;
};

struct job {
	struct file files[FILES];
	int size;
};

#ifdef FIXED
static atomic_int is_new_format;
#else
static int is_new_format;
#endif

static void *scan(void *argument)
{
	struct job *job = argument;
	for (int i = 0; i < FILES; i++) {
		if (job->files[i].version >= 2)
			is_new_format = 1; /*A*/
		job->size += job->files[i].size;
	}
	return NULL;
}

int main(void)
{
	struct job jobs[WORKERS] = {
		{ .files = { { 1, 10 }, { 2, 20 } } },
		{ .files = { { 2, 30 }, { 1, 40 } } },
		{ .files = { { 2, 50 }, { 2, 60 } } },
	};
	pthread_t workers[WORKERS];
	int size = 0;
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, scan, &jobs[i]);
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i], NULL);
		size += jobs[i].size;
	}
	printf("size %d, new format %d\n", size, is_new_format);
	return 0;
}
/*
 * pattern: harmless
 * finds: data-race
 * race: A A
 * source: Portend RW
 */
