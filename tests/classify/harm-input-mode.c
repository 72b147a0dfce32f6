/*
 * A tool with two modes. In the quick mode a stale reading of the limit only means another round; in the strict mode,
 * an argument, the same reading is asserted.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { START_LIMIT = 10, FINAL_LIMIT = 20 };

static volatile int limit = START_LIMIT;
static int is_strict;

static void *raise_limit(void *unused)
{
	limit = FINAL_LIMIT; /*A*/
	return unused;
}

static void *measure(void *argument)
{
	int *rounds = argument;
	int seen = limit; /*B*/
	assert(!is_strict || seen == FINAL_LIMIT);
	for (int done = 0; done < FINAL_LIMIT; done += seen)
		*rounds += 1;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t raiser, measurer;
	int rounds = 0;
	is_strict = argc > 1 && strcmp(argv[1], "--strict") == 0;
	pthread_create(&raiser, NULL, raise_limit, NULL);
	pthread_create(&measurer, NULL, measure, &rounds);
	pthread_join(raiser, NULL);
	pthread_join(measurer, NULL);
	printf("measured %s\n", rounds > 0 ? "all" : "nothing");
	return 0;
}
/*
 * arguments: --quick
 * inputs: --strict
 * expect: race A B class spec-violated
 * why: with --strict the assertion fails if the limit is read before it is raised; with --quick nothing depends on it.
 */
