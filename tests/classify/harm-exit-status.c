/*
 * A test runner counts failures without a lock and exits with 1 if the number is not what its list says.
 */
#include <pthread.h>
#include <stdio.h>

enum { RUNNERS = 2, CASES = 2 };

static volatile int failures;

static int case_fails(int number)
{
	return number % 2;
}

static void *run_cases(void *argument)
{
	int first = *(int *)argument;
	for (int i = first; i < first + CASES; i++)
		if (case_fails(i))
			failures++; /*A*/
	return NULL;
}

int main(void)
{
	pthread_t threads[RUNNERS];
	int firsts[RUNNERS] = { 0, 2 };
	for (int i = 0; i < RUNNERS; i++)
		pthread_create(&threads[i], NULL, run_cases, &firsts[i]);
	for (int i = 0; i < RUNNERS; i++)
		pthread_join(threads[i], NULL);
	printf("cases %d\n", RUNNERS * CASES);
	return failures == 2 ? 0 : 1;
}
/*
 * expect: race A A class spec-violated
 * why: a lost update changes the exit status, which people rely on.
 */
