/*
 * Scanners of files note in a flag that a file of the new format was there. All that write it write 1.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SCANNERS = 3 };

struct file {
	const char *header;
	int size;
};

static volatile int has_new_format;

static void *scan(void *argument)
{
	struct file *file = argument;
	file->size = (int)strlen(file->header);
	if (strncmp(file->header, "v2", 2) == 0)
		has_new_format = 1; /*A*/
	return NULL;
}

int main(void)
{
	pthread_t threads[SCANNERS];
	struct file files[SCANNERS] = { { "v2 index", 0 }, { "v1", 0 }, { "v2 data", 0 } };
	int size = 0;
	for (int i = 0; i < SCANNERS; i++)
		pthread_create(&threads[i], NULL, scan, &files[i]);
	for (int i = 0; i < SCANNERS; i++) {
		pthread_join(threads[i], NULL);
		size += files[i].size;
	}
	printf("%d bytes, new format %d\n", size, has_new_format);
	return 0;
}
/*
 * expect: race A A class harmless reason redundant-write
 * why: both scanners write 1, so the flag is 1 whoever comes last.
 */
