/*
 * Apache 25520: two requests write into the same place of the buffered access log.
 *
 * With BufferedLogs on, a request copies its record to the end of a buffer that the threads of a process share, and
 * then moves the end. Nothing makes the two one step: records overwrite each other, leave holes of the size of a lost
 * one, and the log on disk is garbled. Frost (SOSP 2011), section 4.1.2 and Table 2.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { REQUESTS = 3, CLIENTS = 2, LOG_BUFFER = 32, LOG_FILE = 256 };

struct buffered_log {
	char file[LOG_FILE];
	size_t file_size;
	char buffer[LOG_BUFFER];
	size_t used;
	pthread_mutex_t lock;
};

static struct buffered_log access_log = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void flush_log(struct buffered_log *log)
{
	if (log->file_size + log->used <= LOG_FILE) {
		memcpy(log->file + log->file_size, log->buffer, log->used);
		log->file_size += log->used;
	}
	log->used = 0;
}

static void write_record(struct buffered_log *log, const char *record, size_t size)
{
#ifdef FIXED
	pthread_mutex_lock(&log->lock);
#endif
	if (size + log->used > LOG_BUFFER) /*C*/
		flush_log(log);
	size_t end = log->used;
	if (end + size <= LOG_BUFFER)
		memcpy(log->buffer + end, record, size); /*A*/
	log->used += size;                               /*B*/
#ifdef FIXED
	pthread_mutex_unlock(&log->lock);
#endif
}

static void *handle_requests(void *argument)
{
	const char *record = argument;
	for (int i = 0; i < REQUESTS; i++)
		write_record(&access_log, record, strlen(record));
	return NULL;
}

/* How often a whole record is at the place in the log where a record begins. */
static int count_records(const struct buffered_log *log, const char *const *records)
{
	int good = 0;
	for (size_t at = 0; at < log->file_size;) {
		size_t size = 0;
		for (int i = 0; i < CLIENTS; i++) {
			size_t length = strlen(records[i]);
			if (at + length <= log->file_size && memcmp(log->file + at, records[i], length) == 0)
				size = length;
		}
		good += size > 0;
		at += size > 0 ? size : 1;
	}
	return good;
}

int main(void)
{
	static const char *const records[CLIENTS] = { "GET /a 200\n", "POST /b 404\n" };
	pthread_t clients[CLIENTS];
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, handle_requests, (void *)records[i]);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	flush_log(&access_log);
	int good = count_records(&access_log, records);
	printf("records %d, bytes %zu\n", good, access_log.file_size);
	return good == REQUESTS * CLIENTS && access_log.file_size == 69 ? 0 : 1;
}
/*
 * pattern: RWW
 * finds: bad-exit output-differs data-race
 * race: B C
 * race: B B
 * race: A A
 * source: Frost table 2; Apache 25520
 */
