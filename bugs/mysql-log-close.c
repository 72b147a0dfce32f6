/*
 * MySQL 791: a statement is missing in the binary log.
 *
 * To start a new log file the log is closed and opened again, and between the two its type says that it is closed. A
 * statement that asks just then whether the log is open believes that there is none to write to. Frost (SOSP 2011),
 * section 4.1.2 and Table 2; MySQL 4.0.12, MYSQL_LOG::new_file.
 */
#include <pthread.h>
#include <stdio.h>

enum log_type { LOG_CLOSED, LOG_NORMAL, LOG_BIN };
enum { INSERTS = 2, CLIENTS = 2 };

struct log {
	enum log_type type;
	int file_number;
	int events; /* in all files */
	pthread_mutex_t lock;
};

static struct log binlog = { .type = LOG_BIN, .file_number = 1, .lock = PTHREAD_MUTEX_INITIALIZER };

static void log_close(struct log *log)
{
	log->type = LOG_CLOSED; /*A*/
}

static void log_open(struct log *log, enum log_type type)
{
	log->file_number++;
	log->type = type; /*B*/
}

static void log_new_file(struct log *log)
{
	pthread_mutex_lock(&log->lock);
	enum log_type type = log->type;
	log_close(log);
	log_open(log, type);
	pthread_mutex_unlock(&log->lock);
}

#ifdef FIXED
static void log_write(struct log *log)
{
	pthread_mutex_lock(&log->lock);
	if (log->type != LOG_CLOSED)
		log->events++;
	pthread_mutex_unlock(&log->lock);
}
#else
static void log_write(struct log *log)
{
	if (log->type == LOG_CLOSED) /*C*/
		return;
	pthread_mutex_lock(&log->lock);
	log->events++;
	pthread_mutex_unlock(&log->lock);
}
#endif

static void *insert(void *argument)
{
	int *rows = argument;
	for (int i = 0; i < INSERTS; i++) {
		(*rows)++;
		log_write(&binlog);
	}
	return NULL;
}

static void *flush_logs(void *argument)
{
	(void)argument;
	log_new_file(&binlog);
	return NULL;
}

int main(void)
{
	pthread_t clients[CLIENTS], administrator;
	int rows[CLIENTS] = { 0 };
	pthread_create(&administrator, NULL, flush_logs, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, insert, &rows[i]);
	pthread_join(administrator, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	printf("inserted %d, logged %d\n", rows[0] + rows[1], binlog.events);
	return binlog.events == rows[0] + rows[1] ? 0 : 1;
}
/*
 * pattern: WRW
 * finds: bad-exit output-differs data-race
 * race: A C
 * race: B C
 * source: Frost table 2; MySQL 791
 */
