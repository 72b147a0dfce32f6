/*
 * MySQL bug 169: the log tells another story than the table.
 *
 * Deleting all rows changes the table under one lock and writes the log under another one, after the first was let go.
 * A row that is inserted in between gets into the table after the deletion and into the log before it; whoever replays
 * the log loses the row. Both variables are locked well; only together they are not. Described in the bug report and in
 * the collection of Yu and Narayanasamy (mysql-169).
 */
#include <pthread.h>
#include <stdio.h>

enum event { DELETE_ALL, INSERT };
enum { EVENTS = 4 };

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER; /* guards table_rows; log_lock nests in it */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;  /* guards update_log */
static int table_rows = 3;
static struct {
	enum event events[EVENTS];
	int count;
} update_log;

static void log_write(enum event event)
{
	pthread_mutex_lock(&log_lock);
	update_log.events[update_log.count++] = event;
	pthread_mutex_unlock(&log_lock);
}

static void *generate_table(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&open_lock);
	table_rows = 0;
#ifdef FIXED
	log_write(DELETE_ALL);
	pthread_mutex_unlock(&open_lock);
#else
	pthread_mutex_unlock(&open_lock);
	log_write(DELETE_ALL);
#endif
	return NULL;
}

static void *insert_row(void *argument)
{
	(void)argument;
	pthread_mutex_lock(&open_lock);
	table_rows++;
	log_write(INSERT);
	pthread_mutex_unlock(&open_lock);
	return NULL;
}

static int replay(int rows)
{
	for (int i = 0; i < update_log.count; i++)
		rows = update_log.events[i] == INSERT ? rows + 1 : 0;
	return rows;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, generate_table, NULL);
	pthread_create(&threads[1], NULL, insert_row, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	int same = replay(3) == table_rows;
	printf("the log %s the table\n", same ? "is like" : "is not like");
	return !same;
}
/*
 * pattern: multi-variable
 * finds: bad-exit output-differs
 * source: MySQL 169; Lu and others (ASPLOS 2008)
 */
