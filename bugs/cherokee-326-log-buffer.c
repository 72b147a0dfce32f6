/*
 * Cherokee: the lock of the log is held round the wrong thing.
 *
 * cherokee_logger_write_string() locked the logger while it formatted the message into a buffer of its own and unlocked
 * it before it appended that to the shared one. Appending reads the length to copy behind it, reads it again and writes
 * it back larger, so two messages land at the same place or leave a hole. Described for version 0.9.2 in the collection
 * of Yu and Narayanasamy (cherokee-bug1); Anticipating Invariants has Cherokee issue 326 under the same pattern,
 * R-R-W|R-R-W, in table 1.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 128, WRITERS = 3 };

struct buffer {
	char text[ROOM];
	size_t length;
};

struct logger {
	pthread_mutex_t lock; /* meant to guard buffer */
	struct buffer buffer;
};

static struct logger logger = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void buffer_add(struct buffer *buffer, const char *text)
{
	char *end = buffer->text + buffer->length; /*A*/
	size_t size = 0;
	for (; text[size]; size++)
		end[size] = text[size];
	buffer->length += size; /*B*/
	buffer->text[buffer->length] = 0;
}

static void logger_write_string(struct logger *to, const char *header)
{
	struct buffer message = { .length = 0 };
	pthread_mutex_lock(&to->lock);
	buffer_add(&message, "bad time ");
	buffer_add(&message, header);
	buffer_add(&message, "\n");
#ifndef FIXED
	pthread_mutex_unlock(&to->lock);
#endif
	buffer_add(&to->buffer, message.text);
#ifdef FIXED
	pthread_mutex_unlock(&to->lock);
#endif
}

static void *serve(void *argument)
{
	logger_write_string(&logger, argument);
	return NULL;
}

int main(void)
{
	static char headers[WRITERS][4] = { "yes", "no", "?" };
	pthread_t threads[WRITERS];
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, serve, headers[i]);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	int found = 0;
	for (int i = 0; i < WRITERS; i++) {
		char line[32];
		snprintf(line, sizeof(line), "bad time %s\n", headers[i]);
		found += strstr(logger.buffer.text, line) != NULL;
	}
	printf("%zu bytes, %d of %d lines\n", logger.buffer.length, found, WRITERS);
	return found != WRITERS;
}
/*
 * pattern: RWW
 * finds: bad-exit data-race output-differs
 * race: A B
 * source: Anticipating Invariants table 1, R-R-W|R-R-W; Cherokee 326, 0.9.2
 */
