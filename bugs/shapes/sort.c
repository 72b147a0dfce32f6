/*
 * A parallel quicksort with SIZE workers and one lock: a worker that has split its part leaves one half in a list for
 * others, and all end when the list is empty and nobody works. A worker takes its part and says that it works in two steps,
 * so between them all others may end, and then so does the caller, with a part that was not sorted yet.
 */
#include <pthread.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 3
#endif

enum { NUMBERS = 4 * SIZE + 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Under the lock. */
static struct part {
	int from, to;
} parts[NUMBERS];
static int part_count, working_count;
static int is_over;

static int numbers[NUMBERS];

static int split(struct part part)
{
	int pivot = numbers[part.to - 1], at = part.from;
	for (int i = part.from; i < part.to; i++)
		if (numbers[i] < pivot || i == part.to - 1) {
			int other = numbers[at];
			numbers[at++] = numbers[i];
			numbers[i] = other;
		}
	return at - 1;
}

static void leave_part(int from, int to)
{
	pthread_mutex_lock(&lock);
	parts[part_count++] = (struct part){ from, to };
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void sort(struct part part)
{
	while (part.to - part.from > 1) {
		int middle = split(part);
		if (part.to - middle > 2)
			leave_part(middle + 1, part.to);
		part.to = middle;
	}
}

/* Returns 0 when all is done. */
static int take_part(struct part *part)
{
	pthread_mutex_lock(&lock);
	while (part_count == 0 && working_count > 0)
		pthread_cond_wait(&changed, &lock);
	int is_taken = part_count > 0;
	if (is_taken) {
		*part = parts[--part_count];
#ifndef FIXED
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
#endif
		working_count++;
	} else {
		is_over = 1;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	return is_taken;
}

static void *work(void *argument)
{
	struct part part;
	while (take_part(&part)) {
		sort(part);
		pthread_mutex_lock(&lock);
		working_count--;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[SIZE];
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = i * 7 % NUMBERS;
	parts[part_count++] = (struct part){ 0, NUMBERS };
	for (int i = 0; i < SIZE; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	pthread_mutex_lock(&lock);
	while (!is_over)
		pthread_cond_wait(&changed, &lock);
	int is_right = part_count == 0 && working_count == 0;
	pthread_mutex_unlock(&lock);
	if (!is_right)
		abort();
	for (int i = 0; i < SIZE; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < NUMBERS; i++)
		if (numbers[i - 1] > numbers[i])
			abort();
	return 0;
}
/*
 * pattern: multi-variable
 * finds: assertion
 * sizes: 2 5 10
 */
