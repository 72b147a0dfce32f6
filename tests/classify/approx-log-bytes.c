/*
 * A logger counts the bytes that it has written, for the operator. Lines are written under a lock, the count is
 * updated after it.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WRITERS = 3, SIZE = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char buffer[SIZE];
static size_t used;
static volatile size_t total_bytes; /* not exact */

static void log_line(const char *line)
{
	size_t length = strlen(line);
	pthread_mutex_lock(&lock);
	memcpy(buffer + used, line, length);
	used += length;
	pthread_mutex_unlock(&lock);
	total_bytes += length; /*A*/
}

static void *write_log(void *argument)
{
	log_line(argument);
	return NULL;
}

int main(void)
{
	pthread_t threads[WRITERS];
	char *lines[WRITERS] = { "start\n", "read\n", "end\n" };
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, write_log, lines[i]);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	int is_near = total_bytes >= 4 && total_bytes <= used;
	printf("logged %zu bytes, statistic %s\n", used, is_near ? "plausible" : "wrong");
	return is_near ? 0 : 1;
}
/*
 * expect: race A A class harmless reason approximate
 * why: the count is a statistic, and losing updates keeps it within the bounds that are tested.
 */
