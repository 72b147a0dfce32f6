/*
 * sqlite3.c: two threads with a connection each on one database, in the shared cache or as a file with a write-ahead log; main reads the
 * library's counters meanwhile. What the tables contain at the end is printed; any error of SQLite ends the program with 1.
 *   sqlite3 shared|wal
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3.h"

#define THREADS 2
#define ROUNDS 2

static const char *name;

static void check(sqlite3 *db, int code, const char *what)
{
	if (code == SQLITE_OK)
		return;
	fprintf(stderr, "sqlite3 driver: %s: %s\n", what, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
	exit(1);
}

/* Tables of the shared cache are locked without waiting. */
static void execute(sqlite3 *db, const char *sql)
{
	int code;
	while ((code = sqlite3_exec(db, sql, NULL, NULL, NULL)) == SQLITE_LOCKED || code == SQLITE_BUSY)
		usleep(1000);
	check(db, code, sql);
}

static sqlite3 *open_database(void)
{
	sqlite3 *db;
	check(NULL, sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL),
	      name);
	check(db, sqlite3_busy_timeout(db, 60000), "busy timeout");
	return db;
}

static void *work(void *argument)
{
	char sql[100];
	sqlite3 *db = open_database();
	for (int i = 0; i < ROUNDS; i++) {
		snprintf(sql, sizeof sql, "INSERT INTO own%d VALUES(%d)", *(int *)argument, i);
		execute(db, sql);
		execute(db, "UPDATE account SET amount = amount + 1");
	}
	check(db, sqlite3_close(db), "close");
	return NULL;
}

static int print_row(void *unused, int count, char **values, char **names)
{
	(void)unused;
	(void)names;
	for (int i = 0; i < count; i++)
		printf("%s%s", i ? "|" : "", values[i] ? values[i] : "");
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	if (argc != 2)
		return 2;
	int is_shared = strcmp(argv[1], "shared") == 0;
	name = is_shared ? "file:memory?mode=memory&cache=shared" : "driver.db";
	if (!is_shared && (unlink("driver.db"), unlink("driver.db-wal"), unlink("driver.db-shm"), 0))
		return 2;
	sqlite3 *db = open_database();
	if (!is_shared)
		execute(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF");
	execute(db, "CREATE TABLE account(amount INTEGER); INSERT INTO account VALUES(0);"
		    "CREATE TABLE own0(a INTEGER); CREATE TABLE own1(a INTEGER)");
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, work, &numbers[i]))
			return 1;
	}
	int is_used = sqlite3_memory_used() > 0;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check(db,
	      sqlite3_exec(db,
			   "SELECT amount FROM account; SELECT count(*), sum(a) FROM own0; SELECT count(*), sum(a) "
			   "FROM own1",
			   print_row, NULL, NULL),
	      "results");
	check(db, sqlite3_close(db), "close");
	printf("memory %s\n", is_used ? "used" : "unused");
	return 0;
}
