/* store.c: see store.h. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/schema.h"
#include "store/store_priv.h"

/* How long to wait for other processes: a transaction takes a few milliseconds, unless the disk is slow. */
#define BUSY_MS 60000

const char *store_folder(const char *store_path)
{
	const char *named = getenv("HEDDLE_STORE");
	if (store_path)
		return store_path;
	return named && *named ? named : STORE_FOLDER;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	sql_stop(store->last_sight);
	sql_stop(store->seen_with);
	sql_stop(store->could_see);
	sqlite3_close(store->sql.handle);
	free(store->path);
	free(store);
}

/* Nothing in the file is trusted. */
static int configure(struct store *self, struct err *err)
{
	sqlite3_busy_timeout(self->sql.handle, BUSY_MS);
	sqlite3_extended_result_codes(self->sql.handle, 1);
	sqlite3_db_config(self->sql.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(self->sql.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(self->sql.handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(self->sql.handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	int code = sql_run(&self->sql, err, "PRAGMA foreign_keys = ON", "");
	if (code == 0)
		code = sql_run(&self->sql, err, "PRAGMA synchronous = FULL", "");
	if (code == 0 && self->use == STORE_READ)
		code = sql_run(&self->sql, err, "PRAGMA query_only = ON", "");
	return code;
}

/* Damage that SQLite notices only when it reads the damaged page. */
static int check(struct store *self, struct err *err)
{
	sqlite3_stmt *rows;
	int code = sql_start(&self->sql, &rows, err, "PRAGMA quick_check(1)", "");
	if (code == 0)
		code = sql_next(&self->sql, rows, err);
	if (code > 0 && strcmp(sql_text(rows, 0), "ok") != 0) {
		char *shown = text_terminal_copy(self->path);
		code = err_set(err, EBADMSG, "the database \"%s\" is damaged", shown);
		free(shown);
	}
	sql_stop(rows);
	return code > 0 ? 0 : code;
}

/* Returns the version, or a negative errno with err set. Within a transaction: another process may be making the
 * tables. */
static int find_version(struct store *self, struct err *err)
{
	int64_t application = 0, version = 0, tables = 0;
	int code = sql_number(&self->sql, err, &application, "PRAGMA application_id", "");
	if (code >= 0)
		code = sql_number(&self->sql, err, &version, "PRAGMA user_version", "");
	if (code >= 0)
		code = sql_number(&self->sql, err, &tables, "SELECT count(*) FROM sqlite_schema", "");
	if (code < 0)
		return code;
	char *shown = text_terminal_copy(self->path);
	code = (int)version;
	if (application != STORE_APPLICATION_ID && (application || version || tables)) {
		err_hint(err, "select another directory with --store DIR");
		code = err_set(err, EINVAL, "\"%s\" is a database of another program", shown);
	} else if (version < 0 || (version == 0 && tables)) {
		code = err_set(err, EBADMSG, "the database \"%s\" is damaged: it has no version", shown);
	} else if (version > STORE_VERSION) {
		err_hint(err, "use that version of Heddle, or select another directory with --store DIR");
		code = err_set(err, EPROTO,
			       "\"%s\" was written by a newer Heddle: it has version %lld, this one supports up to "
			       "version %u",
			       shown, (long long)version, STORE_VERSION);
	}
	free(shown);
	return code;
}

/* The same, in a transaction of its own. */
static int look_for_version(struct store *self, struct err *err)
{
	int code = sql_run(&self->sql, err, "BEGIN", "");
	if (code < 0)
		return code;
	int version = find_version(self, err);
	code = sql_run(&self->sql, err, "COMMIT", "");
	return version >= 0 && code < 0 ? code : version;
}

/* Other processes may be doing the same. */
static int migrate(struct store *self, struct err *err)
{
	char mark[64];
	int code = sql_begin(&self->sql, err);
	if (code < 0)
		return code;
	int version = find_version(self, err);
	for (int i = version; version >= 0 && code == 0 && i < (int)STORE_VERSION; i++) {
		if (!schema_steps[i])
			BUG("no step makes version %d of a store", i + 1);
		if (sqlite3_exec(self->sql.handle, schema_steps[i], NULL, NULL, NULL) != SQLITE_OK)
			code = sql_fail(&self->sql, err);
	}
	if (version >= 0 && code == 0 && version < (int)STORE_VERSION) {
		int64_t made = 0;
		snprintf(mark, sizeof mark, "PRAGMA user_version = %u", STORE_VERSION);
		code = sql_run(&self->sql, err, mark, "");
		if (code == 0 && sql_number(&self->sql, err, &made, "PRAGMA user_version", "") > 0 &&
		    made != STORE_VERSION)
			BUG("a store of version %u says that it has %lld", STORE_VERSION, (long long)made);
	}
	if (version == 0 && code == 0) {
		snprintf(mark, sizeof mark, "PRAGMA application_id = %d", STORE_APPLICATION_ID);
		code = sql_run(&self->sql, err, mark, "");
	}
	return sql_end(&self->sql, version < 0 ? version : code, err);
}

/* By its name: to open and close it ourselves would drop the locks that SQLite has on it. */
static void remember_file(struct store *self)
{
	struct stat status;
	if (stat(self->path, &status) == 0) {
		self->device = status.st_dev;
		self->inode = status.st_ino;
	}
}

/* SQLite would wait for a FIFO, and calls a folder something that cannot be opened. */
static int check_kind(const struct store *self, struct err *err)
{
	struct stat status;
	char *shown = text_terminal_copy(self->path);
	int code = 0;
	if (stat(self->path, &status) == 0) {
		if (!S_ISREG(status.st_mode))
			code = err_set(err, EINVAL, "cannot open \"%s\": it is not a file", shown);
	} else if (errno != ENOENT || self->use == STORE_READ) {
		code = err_set(err, errno, "cannot open \"%s\": %s", shown, strerror(errno));
	} else if (lstat(self->path, &status) == 0 &&
		   S_ISLNK(status.st_mode)) { /* else another test has just made it */
		/* SQLite would make the file that it names, anywhere, for all to read. */
		code = err_set(err, EINVAL, "cannot open \"%s\": it is a dangling symbolic link", shown);
	}
	free(shown);
	return code;
}

/* For its owner only, as evidence is: arguments and output of programs are in it. SQLite would leave that to the umask. */
static void make_file(const struct store *self)
{
	int fd = open(self->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

static int open_handle(struct store *self, struct err *err)
{
	/* Also to read: what a process that was killed left half done must be undone first. Where that may not be written,
	 * SQLite opens it to be read. */
	int flags = SQLITE_OPEN_READWRITE | (self->use == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
	self->sql.path = self->path;
	int code = check_kind(self, err);
	if (code < 0)
		return code;
	if (self->use == STORE_WRITE)
		make_file(self);
	if (sqlite3_open_v2(self->path, &self->sql.handle, flags, NULL) != SQLITE_OK)
		return sql_fail(&self->sql, err);
	code = configure(self, err);
	if (code == 0)
		code = check(self, err);
	return code;
}

/* SQLite opens for reading what it was to open for writing, and only fails at the first change. */
static int refuse_read_only(struct store *self, struct err *err)
{
	if (self->use == STORE_READ || !sqlite3_db_readonly(self->sql.handle, "main"))
		return 0;
	char *shown = text_terminal_copy(self->path);
	err_hint(err, "--store DIR, or HEDDLE_STORE, selects another directory; it must be writable");
	err_set(err, EROFS, "cannot write \"%s\": it is read-only", shown);
	free(shown);
	return -EROFS;
}

/* Returns 0; 1 when it must be opened for writing first, to migrate it; or a negative errno with err set. */
static int open_once(const char *path, enum store_use use, struct store **store, struct err *err)
{
	struct store *self = *store = mem_alloc(sizeof *self);
	self->path = mem_copy_string(path);
	self->use = use;
	int code = open_handle(self, err);
	if (code == 0)
		code = refuse_read_only(self, err);
	int version = code == 0 ? look_for_version(self, err) : code;
	code = version < 0 ? version : 0;
	if (code == 0 && version < (int)STORE_VERSION)
		code = use == STORE_READ ? 1 : migrate(self, err);
	remember_file(self);
	if (code != 0) {
		store_close(self);
		*store = NULL;
	}
	return code;
}

static int refuse_old(const char *path, struct err *err)
{
	char *shown = text_terminal_copy(path);
	err_hint(err, "copy the directory, and select the copy with --store DIR");
	err_set(err, EROFS, "\"%s\" has an older version and is read-only, so it cannot be upgraded", shown);
	free(shown);
	return -EROFS;
}

static int open_any(const char *path, enum store_use use, struct store **store, struct err *err)
{
	int code = open_once(path, use, store, err);
	if (code <= 0)
		return code;
	struct err why = ERR_INIT;
	code = open_once(path, STORE_WRITE, store, &why);
	if (code == -EROFS && use == STORE_READ)
		return refuse_old(path, err);
	if (code < 0) {
		*err = why;
		return code;
	}
	store_close(*store);
	return open_once(path, use, store, err);
}

static char *path_in(const char *folder, const char *name, const char *suffix)
{
	return mem_format("%s/%s%s", folder, name, suffix);
}

/* Its journal goes with it: the new one must not be given what belongs to the old one. Returns where it is now, caller
 * frees; null with err set. */
static char *keep_aside(const char *folder, struct err *err)
{
	static const char *const parts[] = { "-journal", "-wal", "-shm", "" };
	for (unsigned i = 1; i < 1000; i++) {
		char *name = mem_format("%s.damaged-%u", STORE_DATABASE, i), *to = path_in(folder, name, "");
		bool is_free = access(to, F_OK) < 0, is_done = false;
		for (size_t part = 0; is_free && part < sizeof parts / sizeof *parts; part++) {
			char *old = path_in(folder, STORE_DATABASE, parts[part]),
			     *new = path_in(folder, name, parts[part]);
			is_done = rename(old, new) == 0;
			free(old);
			free(new);
		}
		int problem = errno;
		free(name);
		if (is_done)
			return to;
		free(to);
		if (is_free) {
			char *shown = text_terminal_copy(folder);
			err_set(err, problem, "the database in \"%s\" is damaged and cannot be renamed: %s", shown,
				strerror(problem));
			free(shown);
			return NULL;
		}
	}
	err_set(err, EEXIST, "too many damaged databases have been kept");
	return NULL;
}

/* The database is damaged. Of several processes that notice, one acts. */
static int renew(const char *folder, const char *path, enum store_use use, struct store **store, char **note,
		 struct err *err)
{
	struct err reason = ERR_INIT;
	int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock < 0 || flock(lock, LOCK_EX) < 0) {
		int code =
			err_set(err, errno, "cannot lock the directory of the damaged database: %s", strerror(errno));
		if (lock >= 0)
			close(lock);
		return code;
	}
	int code = open_any(path, use, store, &reason);
	if (code == -EBADMSG) {
		char *aside = keep_aside(folder, err);
		code = aside ? 0 : -EBADMSG;
		if (aside) {
			/* A new one is created in any case, also for readers. */
			code = open_any(path, STORE_WRITE, store, err);
			char *shown = text_terminal_copy(aside);
			*note = mem_format("%s; it is kept as \"%s\", and a new one is created", reason.message, shown);
			free(shown);
		}
		free(aside);
	} else if (code < 0) {
		*err = reason;
	}
	close(lock);
	return code;
}

int store_open(const char *folder, enum store_use use, struct store **store, char **note, struct err *err)
{
	char *path = path_in(folder, STORE_DATABASE, "");
	struct err first = ERR_INIT;
	*note = NULL;
	*store = NULL;
	int code;
	if (use == STORE_READ && access(path, F_OK) < 0 && errno == ENOENT) {
		char *shown = text_terminal_copy(folder);
		err_hint(err, "heddle test -- PROG creates one; --store DIR selects another directory");
		code = err_set(err, ENOENT, "there is no store in \"%s\"", shown);
		free(shown);
	} else {
		code = open_any(path, use, store, &first);
		if (code == -EBADMSG)
			code = renew(folder, path, use, store, note, err);
		else if (code < 0)
			*err = first;
	}
	free(path);
	return code;
}

int store_open_file(const char *path, struct store **store, struct err *err)
{
	*store = NULL;
	int code = open_once(path, STORE_READ, store, err);
	if (code <= 0)
		return code;
	char *shown = text_terminal_copy(path);
	err_hint(err, "heddle list --store DIR, with its directory, upgrades it");
	err_set(err, EPROTO, "\"%s\" has an older version", shown);
	free(shown);
	return -EPROTO;
}

int store_begin(struct store *self, struct err *err)
{
	struct stat status;
	if (self->sql.depth ||
	    (stat(self->path, &status) == 0 && status.st_dev == self->device && status.st_ino == self->inode))
		return sql_begin(&self->sql, err);
	struct store *other;
	int code = open_any(self->path, self->use, &other, err);
	if (code < 0)
		return code;
	sql_stop(self->last_sight);
	sql_stop(self->seen_with);
	sql_stop(self->could_see);
	self->last_sight = self->seen_with = self->could_see = NULL;
	sqlite3_close(self->sql.handle);
	self->sql.handle = other->sql.handle;
	self->device = other->device;
	self->inode = other->inode;
	free(other->path);
	free(other);
	return -ESTALE;
}
