/*
 * sql.h: statements of SQLite with our errors. Values are described by a string with one letter each: i an int64_t, s a
 * string or null. Values are always bound, never pasted into the text of a statement.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct sqlite3;
struct sqlite3_stmt;

struct sql {
	struct sqlite3 *handle;
	const char *path; /* for messages */
	unsigned depth;   /* of transactions: see sql_begin */
};

/* The current error of SQLite as -errno with err set: -ENOSPC the disk is full, -EROFS it may not be written, -EBUSY others
 * locked it for too long, -EBADMSG it is damaged or no database, -EIO anything else. */
int sql_fail(const struct sql *self, struct err *err);

/* Runs a statement to its end. Returns 0, or a negative errno with err set. */
int sql_run(const struct sql *self, struct err *err, const char *text, const char *types, ...);

/* The first column of the first row. Returns 1, 0 when there is no row, or a negative errno with err set. */
int sql_number(const struct sql *self, struct err *err, int64_t *number, const char *text, const char *types, ...);

/* Rows one after the other: sql_start, then sql_next while it returns 1, then sql_stop in any case. sql_start returns 0 or a
 * negative errno with err set; sql_next 1 for a row, 0 at the end, or a negative errno with err set. */
int sql_start(const struct sql *self, struct sqlite3_stmt **rows, struct err *err, const char *text, const char *types,
	      ...);
int sql_next(const struct sql *self, struct sqlite3_stmt *rows, struct err *err);
void sql_stop(struct sqlite3_stmt *rows);

/* Columns of the row. A text is valid until the next row; of a null it is "". */
int64_t sql_column(struct sqlite3_stmt *rows, int column);
const char *sql_text(struct sqlite3_stmt *rows, int column);
bool sql_is_null(struct sqlite3_stmt *rows, int column);

/* A transaction that excludes other writers. A limit on the size of files is an error while it lasts, not a signal. A
 * nested transaction is part of the outer one and can be undone on its own; it reaches the disk when the outer one has
 * ended. Returns 0, or a negative errno with err set: then there is none. */
int sql_begin(struct sql *self, struct err *err);

/* Ends it: commits when code is 0, else undoes all of it. Returns code, or the error of the commit. */
int sql_end(struct sql *self, int code, struct err *err);

#endif
