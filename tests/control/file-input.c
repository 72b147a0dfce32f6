/* Reads an input file that is gone when the trace is replayed, in two threads, by stdio and by read. */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>

static const char *path;

static void *lines(void *argument)
{
	FILE *file = fopen(path, "r");
	char line[100];
	long count = 0;
	(void)argument;
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		count++;
	fclose(file);
	return (void *)count;
}

static void *bytes(void *argument)
{
	int file = open(path, O_RDONLY);
	long sum = 0;
	char block[7];
	ssize_t got;
	struct stat about;
	(void)argument;
	CHECK(file >= 0 && fstat(file, &about) == 0);
	while ((got = read(file, block, sizeof(block))) > 0)
		sum += got;
	CHECK(sum == about.st_size);
	close(file);
	return (void *)sum;
}

int main(int count, char **arguments)
{
	CHECK(count == 2);
	path = arguments[1];
	pthread_t a = start(lines, NULL), b = start(bytes, NULL);
	long of_a = (long)finish(a), of_b = (long)finish(b);
	printf("lines %ld bytes %ld\n", of_a, of_b);
	return 0;
}
/*
 * arguments: INPUT
 * input: one line
 * input: another line
 * input: and a third
 * expect: lines 3 bytes 34
 */
