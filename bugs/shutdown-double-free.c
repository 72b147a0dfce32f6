/*
 * Two threads shut the same thing down.
 *
 * A connection is closed by its reader when the peer has gone, and by the server when it ends. Each looks whether the
 * buffer is still there, frees it and clears the pointer. When both look before one has cleared, it is freed twice. A
 * general mechanism.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct connection {
	pthread_mutex_t lock; /* guards closings, and in the fixed one buffer */
	char *buffer;
	int closings;
};

static struct connection connection = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void connection_close(struct connection *of)
{
#ifdef FIXED
	pthread_mutex_lock(&of->lock);
	char *buffer = of->buffer;
	of->buffer = NULL;
	pthread_mutex_unlock(&of->lock);
	free(buffer);
#else
	if (of->buffer) { /*A*/
		free(of->buffer);
		of->buffer = NULL; /*B*/
	}
#endif
	pthread_mutex_lock(&of->lock);
	of->closings++;
	pthread_mutex_unlock(&of->lock);
}

static void *reader(void *argument)
{
	struct connection *of = argument;
	connection_close(of);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	connection.buffer = malloc(32);
	strcpy(connection.buffer, "half a request");
	pthread_create(&thread, NULL, reader, &connection);
	connection_close(&connection);
	pthread_join(thread, NULL);
	printf("closed %d times\n", connection.closings);
	return 0;
}
/*
 * pattern: RWW
 * finds: memory-error data-race crash
 * race: A B
 * source: general
 */
