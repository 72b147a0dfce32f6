/*
 * glibc 12486: the statistics of malloc are wrong, and its own checks fail.
 *
 * The counts of mapped chunks and of their bytes belong to the whole process and were changed without a lock: an
 * update is lost when two threads map or unmap together. With checks on, malloc asserts relations between them, so a
 * lost update ends the program some calls later. Found by Frost (SOSP 2011), section 4.1.2 and Table 2.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

enum { THREADS = 3, CHUNK = 4096 };

static struct {
	int mapped, max_mapped;
	size_t bytes, max_bytes;
	pthread_mutex_t lock;
} statistics = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void lock_statistics(void)
{
#ifdef FIXED
	pthread_mutex_lock(&statistics.lock);
#endif
}

static void unlock_statistics(void)
{
#ifdef FIXED
	pthread_mutex_unlock(&statistics.lock);
#endif
}

static void check_state(void)
{
	assert(statistics.mapped >= 0);
	assert(statistics.bytes <= statistics.max_bytes);
}

static void *map_chunk(size_t size)
{
	void *chunk = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	lock_statistics();
	if (++statistics.mapped > statistics.max_mapped) /*A*/
		statistics.max_mapped = statistics.mapped;
	size_t bytes = statistics.bytes + size;
	if (bytes > statistics.max_bytes)
		statistics.max_bytes = bytes;
	statistics.bytes = bytes; /*B*/
	unlock_statistics();
	return chunk;
}

static void unmap_chunk(void *chunk, size_t size)
{
	lock_statistics();
	statistics.mapped--;      /*C*/
	statistics.bytes -= size; /*D*/
	check_state();
	unlock_statistics();
	munmap(chunk, size);
}

static void *allocate(void *argument)
{
	size_t size = *(size_t *)argument;
	void *first = map_chunk(size);
	void *second = map_chunk(2 * size);
	unmap_chunk(first, size);
	unmap_chunk(second, 2 * size);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	size_t sizes[THREADS];
	for (size_t i = 0; i < THREADS; i++) {
		sizes[i] = (i + 1) * CHUNK;
		pthread_create(&threads[i], NULL, allocate, &sizes[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("mapped %d, %zu bytes\n", statistics.mapped, statistics.bytes);
	return 0;
}
/*
 * pattern: RWW
 * finds: assertion output-differs data-race
 * race: A A
 * race: A C
 * race: C C
 * race: B B
 * race: B D
 * race: D D
 * source: Frost table 2; glibc 12486
 */
