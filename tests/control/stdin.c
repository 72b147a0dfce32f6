/* Standard input, read to the end by one thread and summed up by another. */
#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long pending = -1, sum;
static int is_over;

static void *sums(void *argument)
{
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (pending < 0 && !is_over)
			pthread_cond_wait(&cond, &mutex);
		if (pending < 0)
			break;
		sum += pending;
		pending = -1;
		pthread_cond_broadcast(&cond);
	}
	pthread_mutex_unlock(&mutex);
	return argument;
}

int main(void)
{
	char line[100];
	int lines = 0;
	pthread_t thread = start(sums, NULL);
	while (fgets(line, sizeof(line), stdin)) {
		lines++;
		pthread_mutex_lock(&mutex);
		while (pending >= 0)
			pthread_cond_wait(&cond, &mutex);
		pending = atol(line);
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	is_over = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	finish(thread);
	CHECK(feof(stdin) && getchar() == EOF);
	printf("lines %d sum %ld\n", lines, sum);
	return 0;
}
/*
 * stdin: 10
 * stdin: 20
 * stdin: 30
 * stdin: 400
 * expect: lines 4 sum 460
 */
