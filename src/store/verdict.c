/* verdict.c: see verdict.h. */
#include "store/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/read.h"
#include "store/store_priv.h"

static int write_verdict(struct store_test *self, int64_t id, const struct store_verdict *verdict, struct err *err)
{
	const struct sql *sql = &self->store->sql;
	int code = sql_run(
		sql, err,
		"INSERT OR REPLACE INTO verdict(finding, build, class, text, reason, witnesses, instances,"
		" consequence, shown_trace, other_trace, is_other_shown, inputs, why, states, difference, parts, "
		"analyzer, seen_instances, input)"
		" SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19 WHERE "
		"EXISTS"
		" (SELECT 1 FROM finding WHERE id = ?1)",
		"iisssiiissiisssssis", id, self->build, verdict->class, verdict->text, verdict->reason,
		(int64_t)verdict->witnesses, (int64_t)verdict->instances, verdict->consequence, verdict->shown_trace,
		verdict->other_trace, (int64_t)verdict->is_other_shown, (int64_t)verdict->inputs, verdict->why,
		verdict->states, verdict->difference, verdict->parts ? verdict->parts : "", verdict->analyzer,
		(int64_t)verdict->seen_instances, verdict->input);
	if (code == 0)
		code = sql_run(sql, err,
			       "UPDATE verdict SET is_from_log = ?2, unanswered = ?3, shown_marks = ?4, other_marks = "
			       "?5 WHERE finding = ?1",
			       "iiiss", id, (int64_t)verdict->is_from_log, (int64_t)verdict->unanswered,
			       verdict->shown_marks, verdict->other_marks);
	if (code == 0 && strcmp(verdict->class, "spec-violated") == 0)
		code = sql_run(
			sql, err,
			"UPDATE mark SET revoked = ?2 WHERE finding = ?1 AND word = 'benign' AND revoked IS NULL", "is",
			id, verdict->text);
	return code;
}

int store_set_verdict(struct store_test *self, int64_t id, const struct store_verdict *verdict, struct err *err)
{
	int code = store_begin(self->store, err);
	/* The file is another one now, in which the id means something else. */
	if (code == -ESTALE)
		return 0;
	if (code < 0)
		return code;
	code = write_verdict(self, id, verdict, err);
	return sql_end(&self->store->sql, code, err);
}

static char *copy(sqlite3_stmt *rows, int column)
{
	return sql_is_null(rows, column) ? NULL : mem_copy_string(sql_text(rows, column));
}

/* Only what is in the folder of evidence. */
static char *copy_trace(sqlite3_stmt *rows, int column)
{
	return !sql_is_null(rows, column) && store_is_evidence(sql_text(rows, column)) ? copy(rows, column) : NULL;
}

static int read_source(struct store *store, int64_t id, struct store_verdict *verdict, struct err *err)
{
	int64_t is_from_log = 0, unanswered = 0;
	int code = sql_number(&store->sql, err, &is_from_log, "SELECT is_from_log FROM verdict WHERE finding = ?", "i",
			      id);
	if (code >= 0)
		code = sql_number(&store->sql, err, &unanswered, "SELECT unanswered FROM verdict WHERE finding = ?",
				  "i", id);
	verdict->is_from_log = is_from_log != 0;
	verdict->unanswered = unanswered > 0 ? (uint64_t)unanswered : 0;
	return code < 0 ? code : 0;
}

int store_get_verdict(struct store *store, int64_t id, struct store_verdict *verdict, struct err *err)
{
	sqlite3_stmt *rows;
	*verdict = (struct store_verdict){ .class = NULL };
	int code = sql_start(&store->sql, &rows, err,
			     "SELECT v.class, v.text, v.reason, v.witnesses, v.instances, v.consequence, v.shown_trace,"
			     " v.other_trace, v.is_other_shown, b.identity, v.inputs, v.why, v.states, v.difference, "
			     "v.parts, v.analyzer, v.seen_instances, v.input, v.shown_marks, "
			     "v.other_marks FROM verdict v"
			     " LEFT JOIN build b ON b.id = v.build WHERE v.finding = ?",
			     "i", id);
	if (code == 0 && (code = sql_next(&store->sql, rows, err)) > 0)
		*verdict = (struct store_verdict){
			.class = mem_copy_string(sql_text(rows, 0)),
			.text = mem_copy_string(sql_text(rows, 1)),
			.reason = copy(rows, 2),
			.witnesses = (uint64_t)sql_column(rows, 3),
			.instances = (uint64_t)sql_column(rows, 4),
			.consequence = sql_column(rows, 5),
			.shown_trace = copy_trace(rows, 6),
			.other_trace = copy_trace(rows, 7),
			.is_other_shown = sql_column(rows, 8) != 0,
			.build = copy(rows, 9),
			.inputs = (uint64_t)sql_column(rows, 10),
			.why = copy(rows, 11),
			.states = copy(rows, 12),
			.difference = copy(rows, 13),
			.parts = copy(rows, 14),
			.analyzer = copy(rows, 15),
			.seen_instances = (uint64_t)sql_column(rows, 16),
			.input = copy(rows, 17),
			.shown_marks = copy(rows, 18),
			.other_marks = copy(rows, 19),
		};
	sql_stop(rows);
	return code > 0 ? read_source(store, id, verdict, err) : code;
}

bool store_is_made_with(struct store *store, int64_t id, const char *trace, const char *parts)
{
	struct err ignored = ERR_INIT;
	int64_t is_other = 0;
	sql_number(&store->sql, &ignored, &is_other,
		   "SELECT 1 FROM sighting WHERE finding = ? AND trace = ? AND parts <> '' AND parts <> ?", "iss", id,
		   trace, parts);
	return !*parts || !is_other;
}

int store_get_mark(struct store *store, int64_t id, struct store_mark *mark, struct err *err)
{
	sqlite3_stmt *rows;
	*mark = (struct store_mark){ .word = NULL };
	int code = sql_start(&store->sql, &rows, err, "SELECT word, why, made, revoked FROM mark WHERE finding = ?",
			     "i", id);
	if (code == 0 && (code = sql_next(&store->sql, rows, err)) > 0)
		*mark = (struct store_mark){ .word = mem_copy_string(sql_text(rows, 0)),
					     .why = mem_copy_string(sql_text(rows, 1)),
					     .made = sql_column(rows, 2),
					     .revoked = copy(rows, 3) };
	sql_stop(rows);
	return code < 0 ? code : 0;
}

void store_verdict_release(struct store_verdict *self)
{
	free(self->class);
	free(self->text);
	free(self->reason);
	free(self->why);
	free(self->states);
	free(self->analyzer);
	free(self->difference);
	free(self->parts);
	free(self->input);
	free(self->build);
	free(self->shown_trace);
	free(self->other_trace);
	free(self->shown_marks);
	free(self->other_marks);
	*self = (struct store_verdict){ .class = NULL };
}

void store_mark_release(struct store_mark *self)
{
	free(self->word);
	free(self->why);
	free(self->revoked);
	*self = (struct store_mark){ .word = NULL };
}

static int write_mark(struct store *store, int64_t id, const char *word, const char *why, struct err *err)
{
	int64_t found;
	int code = sql_number(&store->sql, err, &found, "SELECT 1 FROM finding WHERE id = ?", "i", id);
	if (code == 0) {
		err_hint(err, "heddle list --all lists all findings");
		return err_set(err, ENOENT, "there is no finding H%" PRId64, id);
	}
	if (code > 0)
		code = sql_run(&store->sql, err, "DELETE FROM mark WHERE finding = ?", "i", id);
	if (code == 0 && word)
		code = sql_run(&store->sql, err, "INSERT INTO mark(finding, word, why, made) VALUES(?, ?, ?, ?)",
			       "issi", id, word, why, (int64_t)time(NULL));
	return code;
}

int store_set_mark(struct store *store, int64_t id, const char *word, const char *why, struct err *err)
{
	int code = store_begin(store, err);
	if (code == -ESTALE)
		return err_set(err, ESTALE, "the store was replaced while it was in use");
	if (code < 0)
		return code;
	code = write_mark(store, id, word, why, err);
	return sql_end(&store->sql, code, err);
}
