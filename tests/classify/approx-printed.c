/*
 * A server prints how many requests it has counted when it ends. The counter is not locked, so the number that people
 * see depends on the schedule: harm or not is theirs to say.
 */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 2, REQUESTS = 2 };

static volatile int request_count;

static int answer(int request)
{
	request_count++; /*A*/
	return request * 2;
}

static void *work(void *argument)
{
	int *answers = argument;
	for (int i = 0; i < REQUESTS; i++)
		*answers += answer(i);
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];
	int answers[WORKERS] = { 0 };
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, &answers[i]);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("answers %d\n", answers[0] + answers[1]);
	printf("about %d requests\n", request_count);
	return 0;
}
/*
 * expect: race A A class output-differs
 * why: a lost update changes the number that is printed, and nothing else.
 */
