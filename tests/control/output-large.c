/* Ten megabytes of output from four threads, in lines that are all the same. */
#include "check.h"

static void *work(void *argument)
{
	char line[101];
	memset(line, 'x', 99);
	line[99] = '\n';
	line[100] = 0;
	for (int i = 0; i < 26214; i++)
		fputs(line, stdout);
	return argument;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		threads[i] = start(work, NULL);
	for (int i = 0; i < 4; i++)
		finish(threads[i]);
	return 0;
}
/*
 * checksum: 1396488937 10485600
 */
