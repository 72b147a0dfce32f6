/* printf to standard output from many threads: run.t sorts nothing, so each line is the same. */
#include "check.h"

static void *work(void *argument)
{
	for (int i = 0; i < 4; i++) {
		printf("the same line from every thread, longer than a word\n");
		if (i == 2)
			fflush(stdout);
	}
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 3; i++)
		finish(threads[i]);
	fprintf(stderr, "an error line\n");
	puts("end");
	return 0;
}
/*
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: the same line from every thread, longer than a word
 * expect: end
 */
