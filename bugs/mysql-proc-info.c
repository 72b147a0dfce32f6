/*
 * MySQL 3596: a text that was there when asked for is NULL when printed.
 *
 * SHOW INNODB STATUS prints for each connection what it does, if there is something to print. The connection's thread
 * sets the text to NULL when its command has ended, which may be between the test and the use. Frost (SOSP 2011),
 * figure 1(b), section 4.1.2 and Table 2; MySQL 4.0.19, innobase_mysql_print_thd.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { CONNECTIONS = 2 };

struct connection {
	int id;
	const char *proc_info; /* what it does now, or NULL */
	pthread_mutex_t lock;
};

struct report {
	char text[128];
	size_t size;
};

static struct connection connections[CONNECTIONS] = {
	{ .id = 1, .lock = PTHREAD_MUTEX_INITIALIZER },
	{ .id = 2, .lock = PTHREAD_MUTEX_INITIALIZER },
};

static struct {
	int rows;
	pthread_mutex_t lock;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void put(struct report *report, const char *text)
{
	size_t size = strlen(text);
	if (report->size + size < sizeof(report->text)) {
		memcpy(report->text + report->size, text, size);
		report->size += size;
	}
}

static void set_proc_info(struct connection *connection, const char *text)
{
#ifdef FIXED
	pthread_mutex_lock(&connection->lock);
#endif
	connection->proc_info = text; /*A*/
#ifdef FIXED
	pthread_mutex_unlock(&connection->lock);
#endif
}

static void *do_command(void *argument)
{
	struct connection *connection = argument;
	set_proc_info(connection, "locking tables");
	pthread_mutex_lock(&table.lock);
	set_proc_info(connection, "updating");
	table.rows += connection->id;
	pthread_mutex_unlock(&table.lock);
	set_proc_info(connection, NULL);
	return NULL;
}

static void print_connection(struct report *report, struct connection *connection)
{
#ifdef FIXED
	pthread_mutex_lock(&connection->lock);
#endif
	if (connection->proc_info) { /*B*/
		put(report, " ");
		put(report, connection->proc_info); /*C*/
	}
#ifdef FIXED
	pthread_mutex_unlock(&connection->lock);
#endif
}

static void *show_status(void *argument)
{
	for (int i = 0; i < CONNECTIONS; i++)
		print_connection(argument, &connections[i]);
	return NULL;
}

int main(void)
{
	pthread_t clients[CONNECTIONS], monitor;
	struct report report = { .size = 0 };
	for (int i = 0; i < CONNECTIONS; i++)
		pthread_create(&clients[i], NULL, do_command, &connections[i]);
	pthread_create(&monitor, NULL, show_status, &report);
	pthread_join(monitor, NULL);
	for (int i = 0; i < CONNECTIONS; i++)
		pthread_join(clients[i], NULL);
	printf("rows %d\n", table.rows);
	return 0;
}
/*
 * pattern: RWR
 * finds: crash data-race
 * race: A B
 * race: A C
 * source: Frost table 2; MySQL 3596
 */
