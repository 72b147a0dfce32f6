/* sql.c: see sql.h. */
#include "store/sql.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/text.h"

/* What is wrong, and the system's reason if it had one. */
static int code_of(const struct sql *self, int problem)
{
	switch (problem & 255) {
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return EROFS;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return EBUSY;
	case SQLITE_ERROR: /* the statements are ours, so the tables are not */
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return EBADMSG;
	case SQLITE_CANTOPEN:
		return sqlite3_system_errno(self->handle) ? sqlite3_system_errno(self->handle) : EIO;
	default:
		return EIO;
	}
}

int sql_fail(const struct sql *self, struct err *err)
{
	int problem = sqlite3_extended_errcode(self->handle), code = code_of(self, problem);
	int reason = sqlite3_system_errno(self->handle);
	char *shown = text_terminal_copy(self->path), *words = text_terminal_copy(sqlite3_errmsg(self->handle));
	if (code == ENOSPC || reason == ENOSPC || reason == EFBIG || reason == EDQUOT) {
		code = ENOSPC;
		err_hint(err, "free some disk space; everything stored before is intact");
		err_set(err, code, "cannot write \"%s\": %s", shown, strerror(reason ? reason : ENOSPC));
	} else if (code == EROFS) {
		err_hint(err, "--store DIR, or HEDDLE_STORE, selects another directory; it must be writable");
		err_set(err, code, "cannot write \"%s\": %s", shown, words);
	} else if (code == EBUSY) {
		err_set(err, code, "cannot use \"%s\": another process has locked it for too long", shown);
	} else if (code == EBADMSG) {
		err_hint(err, "rename it, and the next heddle test creates a new one; or select another directory with "
			      "--store DIR");
		err_set(err, code, "the database \"%s\" is damaged: %s", shown, words);
	} else {
		err_set(err, code, "cannot use \"%s\": %s%s%s%s", shown, words, reason ? " (" : "",
			reason ? strerror(reason) : "", reason ? ")" : "");
	}
	free(shown);
	free(words);
	return -code;
}

static int bind(sqlite3_stmt *rows, const char *types, va_list values)
{
	int problem = SQLITE_OK;
	for (int i = 1; *types && problem == SQLITE_OK; i++, types++) {
		if (*types == 'i') {
			problem = sqlite3_bind_int64(rows, i, va_arg(values, int64_t));
		} else {
			const char *text = va_arg(values, const char *);
			problem = text ? sqlite3_bind_text(rows, i, text, -1, SQLITE_TRANSIENT)
				       : sqlite3_bind_null(rows, i);
		}
	}
	return problem;
}

static int start(const struct sql *self, sqlite3_stmt **rows, struct err *err, const char *text, const char *types,
		 va_list values)
{
	*rows = NULL;
	if (sqlite3_prepare_v2(self->handle, text, -1, rows, NULL) != SQLITE_OK)
		return sql_fail(self, err);
	if (*types && (size_t)sqlite3_bind_parameter_count(*rows) != strlen(types))
		BUG("%zu values for \"%s\"", strlen(types), text);
	if (bind(*rows, types, values) != SQLITE_OK)
		return sql_fail(self, err);
	return 0;
}

int sql_start(const struct sql *self, sqlite3_stmt **rows, struct err *err, const char *text, const char *types, ...)
{
	va_list values;
	va_start(values, types);
	int code = start(self, rows, err, text, types, values);
	va_end(values);
	return code;
}

int sql_next(const struct sql *self, sqlite3_stmt *rows, struct err *err)
{
	int problem = sqlite3_step(rows);
	if (problem == SQLITE_ROW)
		return 1;
	return problem == SQLITE_DONE ? 0 : sql_fail(self, err);
}

void sql_stop(sqlite3_stmt *rows)
{
	sqlite3_finalize(rows);
}

/* Starts, and moves to the first row. */
static int start_first(const struct sql *self, sqlite3_stmt **rows, struct err *err, const char *text,
		       const char *types, va_list values)
{
	int code = start(self, rows, err, text, types, values);
	return code == 0 ? sql_next(self, *rows, err) : code;
}

int sql_run(const struct sql *self, struct err *err, const char *text, const char *types, ...)
{
	sqlite3_stmt *rows;
	va_list values;
	va_start(values, types);
	int code = start_first(self, &rows, err, text, types, values);
	va_end(values);
	while (code > 0)
		code = sql_next(self, rows, err);
	sql_stop(rows);
	return code;
}

int sql_number(const struct sql *self, struct err *err, int64_t *number, const char *text, const char *types, ...)
{
	sqlite3_stmt *rows;
	va_list values;
	va_start(values, types);
	int code = start_first(self, &rows, err, text, types, values);
	va_end(values);
	if (code > 0)
		*number = sql_column(rows, 0);
	sql_stop(rows);
	return code;
}

int64_t sql_column(sqlite3_stmt *rows, int column)
{
	return sqlite3_column_int64(rows, column);
}

const char *sql_text(sqlite3_stmt *rows, int column)
{
	const unsigned char *text = sqlite3_column_text(rows, column);
	return text ? (const char *)text : "";
}

bool sql_is_null(sqlite3_stmt *rows, int column)
{
	return sqlite3_column_type(rows, column) == SQLITE_NULL;
}

/* One transaction at a time in a process. */
static struct sigaction file_limit_action;

static void mind_file_limit(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigaction(SIGXFSZ, &ignore, &file_limit_action);
}

static void forget_file_limit(void)
{
	sigaction(SIGXFSZ, &file_limit_action, NULL);
}

int sql_begin(struct sql *self, struct err *err)
{
	int code;
	if (self->depth) {
		code = sql_run(self, err, "SAVEPOINT inner", "");
		self->depth += code == 0;
		return code;
	}
	mind_file_limit();
	code = sql_run(self, err, "BEGIN IMMEDIATE", "");
	if (code < 0)
		forget_file_limit();
	self->depth += code == 0;
	return code;
}

static int end_inner(struct sql *self, int code, struct err *err)
{
	if (code < 0)
		sqlite3_exec(self->handle, "ROLLBACK TO inner", NULL, NULL, NULL);
	struct err ignored = ERR_INIT;
	int released = sql_run(self, code < 0 ? &ignored : err, "RELEASE inner", "");
	return code < 0 ? code : released;
}

int sql_end(struct sql *self, int code, struct err *err)
{
	if (!self->depth)
		BUG("a transaction ends that did not begin");
	if (--self->depth)
		return end_inner(self, code, err);
	if (code == 0)
		code = sql_run(self, err, "COMMIT", "");
	/* SQLite undoes some by itself. */
	if (code < 0 && !sqlite3_get_autocommit(self->handle))
		sqlite3_exec(self->handle, "ROLLBACK", NULL, NULL, NULL);
	forget_file_limit();
	return code;
}
