/* sweep.c: see sweep.h. */
#include "store/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "store/read.h"
#include "store/store_priv.h"

/* What a write that was killed leaves where files need names (trace/place.c). A write takes seconds at most. */
#define SCRATCH_PREFIX ".heddle-"
#define SCRATCH_SECONDS 3600

/* A trace that another one is better than. */
struct worse {
	int64_t finding, test;
	char *trace;
};

struct worse_list {
	struct worse *items;
	size_t count;
};

static void release(struct worse_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].trace);
	free(list->items);
}

bool store_has_file(const struct store *store, const char *trace)
{
	char *path = store_file(store, trace);
	bool is_present = store_is_evidence(trace) && access(path, F_OK) == 0;
	free(path);
	return is_present;
}

char *store_file(const struct store *store, const char *name)
{
	const char *slash = strrchr(store->path, '/');
	return mem_format("%.*s%s", slash ? (int)(slash - store->path + 1) : 0, store->path, name);
}

int store_best(const struct store *store, int64_t id, int64_t build, int64_t own, int64_t *test, struct err *err)
{
	sqlite3_stmt *rows;
	bool is_found = false;
	int code = sql_start(&store->sql, &rows, err,
			     "SELECT s.test, s.trace FROM sighting s JOIN test t ON t.id = s.test"
			     " WHERE s.finding = ? AND t.build = ? AND s.trace IS NOT NULL ORDER BY " BEST_FIRST,
			     "ii", id, build);
	while (code >= 0 && !is_found && (code = sql_next(&store->sql, rows, err)) > 0) {
		*test = sql_column(rows, 0);
		is_found = *test == own || store_has_file(store, sql_text(rows, 1));
	}
	sql_stop(rows);
	return code < 0 ? code : is_found;
}

int store_find_reduced(const struct store_test *test, int64_t id, struct store_reduced *reduced, struct err *err)
{
	const struct store *store = test->store;
	sqlite3_stmt *rows;
	*reduced = (struct store_reduced){ .trace = NULL };
	int code = sql_start(&store->sql, &rows, err,
			     "SELECT s.trace, s.needs, s.preemptions, s.is_fewest, s.early FROM sighting s"
			     " JOIN test t ON t.id = s.test JOIN subject o ON o.id = t.subject"
			     " WHERE s.finding = ? AND s.test <> ? AND t.build = ? AND o.arguments = ?"
			     " AND s.trace IS NOT NULL AND s.preemptions IS NOT NULL ORDER BY " BEST_FIRST,
			     "iiis", id, test->id, test->build, test->subject.arguments);
	while (code >= 0 && !reduced->trace && (code = sql_next(&store->sql, rows, err)) > 0) {
		if (!store_has_file(store, sql_text(rows, 0)))
			continue;
		reduced->trace = mem_copy_string(sql_text(rows, 0));
		reduced->needs = mem_copy_string(sql_text(rows, 1));
		reduced->preemptions = (uint32_t)sql_column(rows, 2);
		reduced->is_fewest = sql_column(rows, 3) != 0;
		reduced->early = (uint32_t)sql_column(rows, 4);
	}
	sql_stop(rows);
	return code < 0 ? code : reduced->trace != NULL;
}

void store_reduced_release(struct store_reduced *self)
{
	free(self->trace);
	free(self->needs);
	*self = (struct store_reduced){ .trace = NULL };
}

/* Whether there was one with these parts. The parts of a trace of an older version are not known: any trace that is as
 * good replaces it, and it replaces none. */
static bool is_kept(const struct strings *had, const char *parts)
{
	return *parts ? strings_has(had, parts) : had->count > 0;
}

/* Within a transaction. Without the file of a better one, a worse one is all that there is. */
static int list_worse(const struct store *store, const struct running *running, struct worse_list *list,
		      struct err *err)
{
	sqlite3_stmt *rows;
	int64_t finding = 0, build = 0;
	char *arguments = mem_copy_string("");
	struct strings had = { 0 };
	int code = sql_start(&store->sql, &rows, err,
			     "SELECT s.finding, t.build, s.test, s.trace, t.mark, o.arguments, s.parts FROM sighting s"
			     " JOIN test t ON t.id = s.test JOIN subject o ON o.id = t.subject"
			     " WHERE s.trace IS NOT NULL AND (s.finding, t.build) IN"
			     "  (SELECT k.finding, u.build FROM sighting k JOIN test u ON u.id = k.test"
			     "   WHERE k.trace IS NOT NULL GROUP BY k.finding, u.build HAVING count(*) > 1)"
			     " ORDER BY s.finding, t.build, o.arguments, " FEWEST_FIRST,
			     "");
	while (code >= 0 && (code = sql_next(&store->sql, rows, err)) > 0) {
		if (sql_column(rows, 0) != finding || sql_column(rows, 1) != build ||
		    strcmp(sql_text(rows, 5), arguments) != 0)
			strings_release(&had);
		finding = sql_column(rows, 0);
		build = sql_column(rows, 1);
		free(arguments);
		arguments = mem_copy_string(sql_text(rows, 5));
		/* Tests without a mark are of older versions. */
		if (is_kept(&had, sql_text(rows, 6)) &&
		    (sql_is_null(rows, 4) || !running_is(running, sql_column(rows, 4)))) {
			list->items = mem_resize(list->items, (list->count + 1) * sizeof *list->items);
			list->items[list->count++] = (struct worse){ .finding = finding,
								     .test = sql_column(rows, 2),
								     .trace = mem_copy_string(sql_text(rows, 3)) };
		}
		if (store_has_file(store, sql_text(rows, 3)))
			strings_add(&had, sql_text(rows, 6));
	}
	sql_stop(rows);
	free(arguments);
	strings_release(&had);
	return code;
}

static int forget_worse(struct store *store, const struct worse_list *list, struct err *err)
{
	int code = 0;
	for (size_t i = 0; i < list->count && code == 0; i++)
		code = sql_run(&store->sql, err,
			       "UPDATE sighting SET trace = NULL, event = 0 WHERE finding = ? AND test = ?", "ii",
			       list->items[i].finding, list->items[i].test);
	return code;
}

/* A store from elsewhere may have a link where its evidence should be: what that leads to is not ours. */
static bool has_own_folder(const struct store *store)
{
	struct stat status;
	char *folder = store_file(store, "evidence");
	bool is_own = lstat(folder, &status) == 0 && S_ISDIR(status.st_mode);
	free(folder);
	return is_own;
}

void store_remove(struct store *store, const struct running *running, const struct strings *traces)
{
	bool is_own = has_own_folder(store);
	if (store->sql.depth || !sqlite3_get_autocommit(store->sql.handle))
		BUG("files are removed before what they are known by is");
	for (size_t i = 0; i < traces->count && is_own; i++) {
		const char *trace = traces->items[i];
		int64_t mark = running_mark_of(trace);
		/* In this order: a test may store it and end in between. */
		if ((mark && running_is(running, mark)) || !store_is_evidence(trace) || store_has_trace(store, trace))
			continue;
		char *path = store_file(store, trace);
		unlink(path);
		free(path);
	}
}

/* The largest mark, or number of a test, that there was so far. */
static int largest_mark(struct store *store, int64_t *largest, struct err *err)
{
	char *folder = store_file(store, "evidence");
	*largest = 0;
	int code = sql_number(&store->sql, err, largest,
			      "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'test'), 0),"
			      " coalesce((SELECT max(mark) FROM test), 0))",
			      "");
	DIR *opened = opendir(folder);
	for (struct dirent *entry; opened && (entry = readdir(opened));)
		if (running_mark_of(entry->d_name) > *largest)
			*largest = running_mark_of(entry->d_name);
	if (opened)
		closedir(opened);
	free(folder);
	return code < 0 ? code : 0;
}

/* No store has that many tests: the number was not written by Heddle. */
static int no_mark_left(const struct store *store, struct err *err)
{
	char *shown = text_terminal_copy(store->path);
	err_hint(err, "rename its directory, and the next heddle test creates a new one; or select another directory "
		      "with --store DIR");
	err_set(err, EBADMSG, "the store of \"%s\" is damaged: numbers of its tests or its evidence are too large",
		shown);
	free(shown);
	return -EBADMSG;
}

int store_begin_mark(struct store *store, struct running *running, struct err *err)
{
	int64_t largest;
	int code = largest_mark(store, &largest, err);
	/* Another test may have had it and ended before we got it. */
	while (code == 0 && running->mark <= largest) {
		if (largest < RUNNING_MAX_MARK)
			running_begin(running, largest + 1);
		if (largest >= RUNNING_MAX_MARK || running->mark > RUNNING_MAX_MARK)
			return no_mark_left(store, err);
		code = largest_mark(store, &largest, err);
	}
	return code;
}

static int sweep_worse(struct store *store, const struct running *running, struct err *err)
{
	struct worse_list list = { 0 };
	struct strings traces = { 0 };
	int code = store_begin(store, err);
	if (code < 0)
		return code == -ESTALE ? 0 : code;
	code = list_worse(store, running, &list, err);
	if (code == 0)
		code = forget_worse(store, &list, err);
	code = sql_end(&store->sql, code, err);
	for (size_t i = 0; i < list.count && code == 0; i++)
		strings_add(&traces, list.items[i].trace);
	store_remove(store, running, &traces);
	strings_release(&traces);
	release(&list);
	return code;
}

/* Files of other databases are not ours to judge: this one may have been begun because another was damaged. */
static bool is_of_test(struct store *store, int64_t mark)
{
	struct err ignored = ERR_INIT;
	int64_t found;
	return sql_number(&store->sql, &ignored, &found, "SELECT 1 FROM test WHERE mark = ?", "i", mark) > 0;
}

static bool is_old(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       (int64_t)status.st_mtime + SCRATCH_SECONDS < (int64_t)time(NULL);
}

static void sweep_left(struct store *store, const struct running *running)
{
	struct strings traces = { 0 };
	char *folder = store_file(store, "evidence");
	bool is_alone = !running_others(running);
	DIR *opened = has_own_folder(store) ? opendir(folder) : NULL;
	for (struct dirent *entry; opened && (entry = readdir(opened));) {
		char *path = mem_format("%s/%s", folder, entry->d_name),
		     *trace = mem_format("evidence/%s", entry->d_name);
		int64_t mark = running_mark_of(trace);
		if (mark && !running_is(running, mark) && is_of_test(store, mark))
			strings_add(&traces, trace);
		else if (is_alone && strncmp(entry->d_name, SCRATCH_PREFIX, strlen(SCRATCH_PREFIX)) == 0 &&
			 is_old(path))
			unlink(path);
		free(path);
		free(trace);
	}
	if (opened)
		closedir(opened);
	store_remove(store, running, &traces);
	strings_release(&traces);
	free(folder);
}

int store_sweep(struct store *store, const struct running *running, enum sweep which, struct err *err)
{
	if (!running_clean(running))
		return 0;
	int code = sweep_worse(store, running, err);
	if (code == 0 && which == SWEEP_ALL)
		sweep_left(store, running);
	running_clean_end(running);
	return code;
}
