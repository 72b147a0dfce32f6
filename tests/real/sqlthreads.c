/*
 * sqlthreads.c: four threads, one database, a connection each. They write tables of their own and move amounts between
 * the rows of one shared table, in transactions that wait for each other. The contents at the end do not depend on the
 * interleaving, and are printed; any error of SQLite ends the program with 1.
 *   sqlthreads DATABASE
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

#define THREADS 4
#define ROUNDS 150

static const char *path;

static void check(sqlite3 *db, int code, const char *what)
{
	if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
		return;
	fprintf(stderr, "sqlthreads: %s: %s\n", what, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
	exit(1);
}

static void execute(sqlite3 *db, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	char *sql = sqlite3_vmprintf(format, list);
	va_end(list);
	check(db, sqlite3_exec(db, sql, NULL, NULL, NULL), sql);
	sqlite3_free(sql);
}

static sqlite3 *open_database(void)
{
	sqlite3 *db;
	check(NULL, sqlite3_open(path, &db), path);
	check(db, sqlite3_busy_timeout(db, 60000), "busy timeout");
	execute(db, "PRAGMA synchronous=OFF");
	return db;
}

static void *work(void *argument)
{
	int number = *(int *)argument;
	sqlite3 *db = open_database();
	for (int round = 0; round < ROUNDS; round++) {
		execute(db, "BEGIN IMMEDIATE");
		for (int i = 0; i < 20; i++) {
			int key = round * 20 + i;
			execute(db, "INSERT INTO own%d VALUES(%d, %d, printf('%%08x-%d', %d * 2654435761))", number, key,
				(key * 7919) % 1009, number, key);
		}
		execute(db, "UPDATE account SET amount = amount - %d WHERE id = %d", number + 1, round % 16);
		execute(db, "UPDATE account SET amount = amount + %d WHERE id = %d", number + 1, (round + 5) % 16);
		if (round % 10 == 3)
			execute(db, "DELETE FROM own%d WHERE b %% 7 = %d", number, round % 7);
		execute(db, "COMMIT");
		/* What a reader sees is always a whole number of transactions. */
		sqlite3_stmt *statement;
		check(db, sqlite3_prepare_v2(db, "SELECT sum(amount) FROM account", -1, &statement, NULL), "prepare");
		check(db, sqlite3_step(statement), "step");
		if (sqlite3_column_int(statement, 0) != 16000) {
			fprintf(stderr, "sqlthreads: the sum is %d\n", sqlite3_column_int(statement, 0));
			exit(1);
		}
		sqlite3_finalize(statement);
	}
	check(db, sqlite3_close(db), "close");
	return NULL;
}

static int print_row(void *argument, int count, char **values, char **names)
{
	(void)argument;
	(void)names;
	for (int i = 0; i < count; i++)
		printf("%s%s", i ? "|" : "", values[i] ? values[i] : "");
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: sqlthreads DATABASE\n", stderr);
		return 2;
	}
	path = argv[1];
	sqlite3 *db = open_database();
	execute(db, "PRAGMA journal_mode=WAL");
	execute(db, "CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER)");
	execute(db, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 15) "
		    "INSERT INTO account SELECT i, 1000 FROM n");
	pthread_t threads[THREADS];
	int numbers[THREADS];
	for (int i = 0; i < THREADS; i++)
		execute(db, "CREATE TABLE own%d(a INTEGER PRIMARY KEY, b INTEGER, c TEXT); CREATE INDEX own%db ON own%d(b)",
			i, i, i);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, work, &numbers[i]))
			return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	const char *sql = "SELECT id, amount FROM account ORDER BY id;"
			  "SELECT count(*), sum(a), sum(b), max(c) FROM own0; SELECT count(*), sum(a), sum(b), max(c) FROM own1;"
			  "SELECT count(*), sum(a), sum(b), max(c) FROM own2; SELECT count(*), sum(a), sum(b), max(c) FROM own3;"
			  "PRAGMA integrity_check";
	check(db, sqlite3_exec(db, sql, print_row, NULL, NULL), "results");
	check(db, sqlite3_close(db), "close");
	return 0;
}
