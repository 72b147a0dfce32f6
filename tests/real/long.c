/*
 * long.c: a program that runs for as long as it is told to: by work or by waiting.
 *   long work ITEMS    four threads take items from a queue and compute; also sleep, allocate, write and read a file
 *   long wait          a thread for each of two pipes that the input is spread to; ends with the input, line by line
 * What it prints depends on its arguments and its input only, not on the interleaving.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 4
#define QUEUE 16
#define BYTES 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static long queue[QUEUE];
static unsigned queue_first, queue_count;
static uint64_t sum;
static FILE *file;

static void put(long item)
{
	pthread_mutex_lock(&lock);
	while (queue_count == QUEUE)
		pthread_cond_wait(&not_full, &lock);
	queue[(queue_first + queue_count++) % QUEUE] = item;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static long take(void)
{
	pthread_mutex_lock(&lock);
	while (queue_count == 0)
		pthread_cond_wait(&not_empty, &lock);
	long item = queue[queue_first];
	queue_first = (queue_first + 1) % QUEUE;
	queue_count--;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return item;
}

static uint64_t compute(long item)
{
	unsigned char *bytes = malloc(BYTES);
	uint64_t hash = (uint64_t)item * 0x9e3779b97f4a7c15u + 1;
	if (!bytes)
		abort();
	for (int round = 0; round < 8; round++)
		for (size_t i = 0; i < BYTES; i++) {
			hash = (hash ^ hash >> 29 ^ (round ? bytes[i] : 0)) * 0xbf58476d1ce4e5b9u;
			bytes[i] = (unsigned char)(hash >> 56);
		}
	free(bytes);
	return hash;
}

static void *work(void *argument)
{
	(void)argument;
	for (;;) {
		long item = take();
		if (item < 0)
			return NULL;
		uint64_t hash = compute(item);
		if (item % 64 == 0)
			nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
		pthread_mutex_lock(&lock);
		sum += hash;
		if (item % 16 == 0) {
			fseek(file, 0, SEEK_SET);
			fprintf(file, "%016lx\n", (unsigned long)hash);
			rewind(file);
			unsigned long back;
			if (fscanf(file, "%lx", &back) != 1 || back != hash)
				abort();
		}
		pthread_mutex_unlock(&lock);
	}
}

static int run_work(long items)
{
	pthread_t threads[WORKERS];
	time_t begin = time(NULL);
	file = tmpfile();
	if (!file)
		return 1;
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (long i = 0; i < items; i++)
		put(i);
	for (int i = 0; i < WORKERS; i++)
		put(-1);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld items, sum %016lx\n", items, (unsigned long)sum);
	return time(NULL) < begin;
}

static unsigned line_counts[2];

static void *count_lines(void *argument)
{
	int *descriptors = argument;
	FILE *in = fdopen(descriptors[0], "r");
	char text[256];
	while (in && fgets(text, sizeof text, in)) {
		pthread_mutex_lock(&lock);
		line_counts[descriptors[1]]++;
		sum = sum * 31 + strlen(text);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static int run_wait(void)
{
	int ends[2][2], arguments[2][2];
	pthread_t threads[2];
	char text[256];
	for (int i = 0; i < 2; i++) {
		if (pipe(ends[i]))
			return 1;
		arguments[i][0] = ends[i][0];
		arguments[i][1] = i;
		if (pthread_create(&threads[i], NULL, count_lines, arguments[i]))
			return 1;
	}
	for (int i = 0; fgets(text, sizeof text, stdin); i++) {
		if (write(ends[i % 2][1], text, strlen(text)) < 0)
			return 1;
		printf("%s", text);
		fflush(stdout);
	}
	for (int i = 0; i < 2; i++) {
		close(ends[i][1]);
		pthread_join(threads[i], NULL);
	}
	printf("%u and %u lines\n", line_counts[0], line_counts[1]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "work") == 0)
		return run_work(atol(argv[2]));
	if (argc == 2 && strcmp(argv[1], "wait") == 0)
		return run_wait();
	fputs("usage: long work ITEMS | long wait\n", stderr);
	return 2;
}
