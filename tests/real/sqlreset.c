/*
 * sqlreset.c: a commit while another thread makes a checkpoint, in WAL mode, after a checkpoint that was complete. All rows
 * must be there at the end. Up to SQLite 3.51.2 one can be lost (https://sqlite.org/wal.html#walresetbug): the thread that
 * makes the checkpoint reads how long the log is, the other one begins the log anew, the first one does not notice and
 * writes down that more of the new log is in the database than is.
 *   sqlreset DATABASE
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

#define INSERT "INSERT INTO t(b) VALUES(randomblob(3000))"

static const char *path;

static void execute(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return;
	fprintf(stderr, "sqlreset: %s: %s\n", sql, sqlite3_errmsg(db));
	exit(1);
}

static sqlite3 *open_database(void)
{
	sqlite3 *db;
	if (sqlite3_open(path, &db) != SQLITE_OK)
		exit(1);
	sqlite3_busy_timeout(db, 60000);
	execute(db, "PRAGMA synchronous=OFF; PRAGMA wal_autocheckpoint=0");
	return db;
}

static void checkpoint(sqlite3 *db)
{
	sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

static void *writer(void *argument)
{
	sqlite3 *db = open_database();
	execute(db, INSERT);
	sqlite3_close(db);
	return argument;
}

static void *checkpointer(void *argument)
{
	sqlite3 *db = open_database();
	execute(db, "SELECT count(*) FROM t");
	checkpoint(db);
	sqlite3_close(db);
	return argument;
}

static int print_row(void *argument, int count, char **values, char **names)
{
	(void)argument;
	(void)count;
	(void)names;
	printf("%s\n", values[0]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: sqlreset DATABASE\n", stderr);
		return 2;
	}
	path = argv[1];
	sqlite3 *db = open_database();
	execute(db, "PRAGMA journal_mode=WAL; CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)");
	execute(db, "BEGIN; INSERT INTO t(b) VALUES(randomblob(90000)); INSERT INTO t(b) VALUES(randomblob(90000)); COMMIT");
	checkpoint(db);
	pthread_t threads[2];
	if (pthread_create(&threads[0], NULL, writer, NULL) || pthread_create(&threads[1], NULL, checkpointer, NULL))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	/* Goes to the log, at a place that is taken for copied. The last one to close copies what is left, and removes the log. */
	execute(db, INSERT);
	sqlite3_close(db);
	db = open_database();
	sqlite3_exec(db, "SELECT count(*) || ' rows' FROM t; PRAGMA integrity_check", print_row, NULL, NULL);
	sqlite3_close(db);
	return 0;
}
