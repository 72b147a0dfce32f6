/*
 * glewlwyd 103: a signal handler logs, and the log's lock is held by the thread that it has interrupted.
 *
 * The handler of SIGTERM writes a message with the program's log function, which takes the lock of the heap. If the
 * signal reaches a thread that has that lock, the handler waits for the code below it on the same stack: for ever.
 * babelouest/glewlwyd, issue 103; the same in ArcticaProject/nx-libs 854 and facebook/hhvm 4533; CERT C rule SIG30-C.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 2, QUERIES = 2, LOG_SIZE = 256 };

static struct {
	pthread_mutex_t lock;
	char text[LOG_SIZE];
	size_t size;
} log_buffer = { .lock = PTHREAD_MUTEX_INITIALIZER };

static volatile sig_atomic_t is_exiting;

static void log_message(const char *text)
{
	size_t size = strlen(text);
	pthread_mutex_lock(&log_buffer.lock);
	if (log_buffer.size + size < LOG_SIZE) {
		memcpy(log_buffer.text + log_buffer.size, text, size);
		log_buffer.size += size;
	}
	pthread_mutex_unlock(&log_buffer.lock);
}

static void handle_exit(int number)
{
	(void)number;
	is_exiting = 1;
#ifndef FIXED
	log_message("exit requested\n");
#endif
}

static void *serve(void *argument)
{
	int *served = argument;
	for (int i = 0; i < QUERIES; i++) {
		log_message("query\n");
		(*served)++;
	}
	return NULL;
}

int main(void)
{
	pthread_t workers[WORKERS];
	int served[WORKERS] = { 0 };
	struct sigaction action = { .sa_handler = handle_exit };
	sigaction(SIGTERM, &action, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, serve, &served[i]);
	pthread_kill(workers[0], SIGTERM);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
#ifdef FIXED
	if (is_exiting)
		log_message("exit requested\n");
#endif
	printf("served %d queries\n", served[0] + served[1]);
	return 0;
}
/*
 * pattern: deadlock
 * finds: deadlock
 * source: babelouest/glewlwyd issue 103
 */
