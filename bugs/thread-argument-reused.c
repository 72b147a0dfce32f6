/*
 * A thread is given the address of a variable that its creator changes.
 *
 * The creator passes the address of its loop variable to each new thread and goes on counting. A thread that is slow to
 * read it sees the number of the next one, or of none: its read was meant to come before the write. Perhaps the most
 * frequent mistake with pthread_create(); R-W order in the terms of Anticipating Invariants.
 */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 2 };

struct part {
	int first, last;
	int sum;
	int is_started;
	const char *name;
};

static struct part parts[WORKERS + 1];
static const int values[3 * WORKERS] = { 1, 2, 3, 4, 5, 6 };

static void *add_up(void *argument)
{
	int number = *(int *)argument; /*A*/
	struct part *part = &parts[number];
	for (int i = part->first; i < part->last; i++)
		part->sum += values[i];
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];
	int total = 0;
#ifdef FIXED
	int numbers[WORKERS];
#endif
	for (int i = 0; i < WORKERS; i++) {
		parts[i].first = 3 * i;
		parts[i].last = 3 * i + 3;
	}
	int i;
	for (i = 0; i < WORKERS; i++) { /*B*/
#ifdef FIXED
		numbers[i] = i;
		pthread_create(&threads[i], NULL, add_up, &numbers[i]);
#else
		pthread_create(&threads[i], NULL, add_up, &i);
#endif
		parts[i].is_started = 1;
		parts[i].name = i ? "second" : "first";
		printf("%s started\n", parts[i].name);
	}
	for (int j = 0; j < WORKERS; j++)
		pthread_join(threads[j], NULL);
	for (int j = 0; j < WORKERS; j++)
		total += parts[j].sum;
	printf("total %d\n", total);
	return total != 21;
}
/*
 * pattern: order
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: general
 */
