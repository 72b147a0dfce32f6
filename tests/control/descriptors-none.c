/* A program that closes its standard output and error after its last word, and starts threads after that. */
#include "check.h"

static void *work(void *argument)
{
	usleep(100);
	return argument;
}

int main(void)
{
	printf("last word\n");
	fclose(stdout);
	close(0);
	close(1);
	close(2);
	return (int)(long)finish(start(work, (void *)3));
}
/*
 * expect: last word
 * ends: exit 3
 */
