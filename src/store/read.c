/* read.c: see read.h. */
#include "store/read.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/store_priv.h"

#define PREFIX_LEAST 4u

const char *const store_states[] = { "new", "known", "fixed", "suppressed", NULL };

/* Sights (s, of the test t) by their evidence: those of the build that was seen last first, of each build the best. */
#define EVIDENCE_FIRST                                                                                                 \
	"t.build = (SELECT n.build FROM sighting k JOIN test n ON n.id = k.test WHERE k.finding = s.finding"           \
	" ORDER BY k.test DESC LIMIT 1) DESC, t.build DESC, " BEST_FIRST

/* Whether a test (t) could see findings of a kind. Tests before version 3 of the schema do not record this: they are
 * assumed to have been able to see all kinds. */
#define COULD_SEE(kind) "(t.kinds IS NULL OR instr(' ' || t.kinds || ' ', ' ' || " kind " || ' '))"

#define LAST_SIGHT(column) "(SELECT s." column " FROM sighting s WHERE s.finding = f.id ORDER BY s.test DESC LIMIT 1)"

static const char list_text[] =
	"SELECT f.id, f.kind, f.state, f.summary, f.details, f.needs, f.fingerprint, f.context, f.first_seen, "
	"f.last_seen,"
	" f.unseen, (SELECT total(s.seen) FROM sighting s WHERE s.finding = f.id),"
	" (SELECT count(*) FROM sighting s WHERE s.finding = f.id), f.first_build, a.identity, a.program, b.id,"
	" b.identity, b.program, (SELECT s.trace FROM sighting s JOIN test t ON t.id = s.test"
	"  WHERE s.finding = f.id AND s.trace IS NOT NULL ORDER BY " EVIDENCE_FIRST
	" LIMIT 1), " LAST_SIGHT("strategy") ", " LAST_SIGHT("schedule") ", " LAST_SIGHT(
		"seed") ", f.variants, f.preemptions, f.is_fewest, f.came_back AND f.state = 'new',"
			" (SELECT total(t.schedules) FROM test t WHERE " COULD_SEE(
				"f.kind") " AND t.subject IN (SELECT u.subject FROM sighting s JOIN test u ON u.id = "
					  "s.test"
					  "  WHERE s.finding = f.id)), f.early, (SELECT h.id FROM finding h WHERE h.id "
					  "= f.head), f.rules, coalesce(f.place, '')"
					  " FROM finding f LEFT JOIN build a ON a.id = f.first_build"
					  /* The newest build, which describes it, need not be the last that was tested. */
					  " LEFT JOIN build b ON b.id = coalesce((SELECT t.build FROM sighting s JOIN "
					  "test t"
					  "  ON t.id = s.test WHERE s.finding = f.id ORDER BY s.test DESC LIMIT 1), "
					  "f.last_build)"
					  " WHERE (?1 = 0 OR f.id = ?1) AND (?2 IS NULL OR f.kind = ?2) AND (?3 IS "
					  "NULL OR f.state = ?3)"
					  " AND (?4 = 0 OR f.state IN ('new', 'known')) AND (?5 = 0 OR EXISTS(SELECT 1 "
					  "FROM sighting s"
					  "  JOIN test t ON t.id = s.test WHERE s.finding = f.id AND t.build = ?5)) "
					  "ORDER BY f.id";

static void read_finding(sqlite3_stmt *rows, struct store_finding *finding)
{
	*finding = (struct store_finding){
		.id = sql_column(rows, 0),
		.kind = sql_text(rows, 1),
		.state = sql_text(rows, 2),
		.summary = sql_text(rows, 3),
		.details = sql_text(rows, 4),
		.needs = sql_text(rows, 5),
		.fingerprint = sql_text(rows, 6),
		.context = sql_text(rows, 7),
		.first_seen = sql_column(rows, 8),
		.last_seen = sql_column(rows, 9),
		.unseen = (uint64_t)sql_column(rows, 10),
		.seen = (uint64_t)sql_column(rows, 11),
		.tests = (uint64_t)sql_column(rows, 12),
		.first = { sql_column(rows, 13), sql_text(rows, 14), sql_text(rows, 15) },
		.last = { sql_column(rows, 16), sql_text(rows, 17), sql_text(rows, 18) },
		.trace = sql_text(rows, 19),
		.strategy = sql_text(rows, 20),
		.schedule = (uint64_t)sql_column(rows, 21),
		.seed = (uint64_t)sql_column(rows, 22),
		.variants = (uint64_t)sql_column(rows, 23),
		.is_reduced = !sql_is_null(rows, 24),
		.preemptions = (uint32_t)sql_column(rows, 24),
		.is_fewest = sql_column(rows, 25) != 0,
		.came_back = sql_column(rows, 26) != 0,
		.schedules = (uint64_t)sql_column(rows, 27),
		.early = (uint32_t)sql_column(rows, 28),
		.head = sql_column(rows, 29),
		.rules = sql_text(rows, 30),
		.place = sql_text(rows, 31),
	};
	if (!store_is_evidence(finding->trace))
		finding->trace = "";
}

int store_list(struct store *store, const struct store_filter *filter,
	       int (*each)(void *context, const struct store_finding *finding), void *context, struct err *err)
{
	sqlite3_stmt *rows;
	int code = sql_start(&store->sql, &rows, err, list_text, "issii", filter->id, filter->kind, filter->state,
			     (int64_t)filter->is_open, filter->build);
	while (code >= 0 && (code = sql_next(&store->sql, rows, err)) > 0) {
		struct store_finding finding;
		read_finding(rows, &finding);
		code = each(context, &finding);
	}
	sql_stop(rows);
	return code;
}

int store_count_states(struct store *store, uint64_t counts[], struct err *err)
{
	int code = 0;
	for (size_t i = 0; store_states[i] && code >= 0; i++) {
		int64_t count = 0;
		code = sql_number(&store->sql, err, &count, "SELECT count(*) FROM finding WHERE state = ?", "s",
				  store_states[i]);
		counts[i] = (uint64_t)count;
	}
	return code < 0 ? code : 0;
}

static const char *text_or_null(sqlite3_stmt *rows, int column)
{
	return sql_is_null(rows, column) ? NULL : sql_text(rows, column);
}

int store_places(struct store *store, int64_t id, void (*each)(void *context, const struct store_place *place),
		 void *context, struct err *err)
{
	sqlite3_stmt *rows;
	int code = sql_start(
		&store->sql, &rows, err,
		"SELECT file, function, variable, access, line, column, thread, event, thread_name, before,"
		" after, is_beside, is_near, code, proof, proof_locks FROM site WHERE finding = ? ORDER BY position",
		"i", id);
	while (code >= 0 && (code = sql_next(&store->sql, rows, err)) > 0) {
		const struct store_place place = {
			.file = text_or_null(rows, 0),
			.function = text_or_null(rows, 1),
			.variable = text_or_null(rows, 2),
			.access = text_or_null(rows, 3),
			.line = sql_column(rows, 4),
			.column = sql_column(rows, 5),
			.thread = sql_column(rows, 6),
			.event = sql_column(rows, 7),
			.thread_name = text_or_null(rows, 8),
			.before = text_or_null(rows, 9),
			.after = text_or_null(rows, 10),
			.is_beside = sql_column(rows, 11) != 0,
			.is_near = sql_column(rows, 12) != 0,
			.code = text_or_null(rows, 13),
			.proof = text_or_null(rows, 14),
			.proof_locks = text_or_null(rows, 15),
		};
		each(context, &place);
	}
	sql_stop(rows);
	return code;
}

int store_last_sight(struct store *store, int64_t id, void (*each)(void *context, const struct store_sight *sight),
		     void *context, struct err *err)
{
	int code = 0;
	if (!store->last_sight)
		code = sql_start(&store->sql, &store->last_sight, err,
				 "SELECT o.program, o.arguments, s.trace FROM sighting s JOIN test t ON t.id = s.test"
				 " JOIN finding f ON f.id = s.finding JOIN subject o ON o.id = t.subject"
				 " WHERE s.finding = ? AND t.build = f.last_build"
				 " ORDER BY s.trace IS NULL, " BEST_FIRST " LIMIT 1",
				 "");
	sqlite3_stmt *rows = store->last_sight;
	if (code == 0 && sqlite3_bind_int64(rows, 1, id) != SQLITE_OK)
		code = sql_fail(&store->sql, err);
	if (code == 0)
		code = sql_next(&store->sql, rows, err);
	if (code > 0) {
		const struct store_sight sight = { sql_text(rows, 0), sql_text(rows, 1), sql_text(rows, 2) };
		each(context, &sight);
	}
	sqlite3_reset(rows);
	return code < 0 ? code : 0;
}

int store_programs(struct store *store, void (*each)(void *context, const struct store_program *program), void *context,
		   struct err *err)
{
	sqlite3_stmt *rows;
	int code = sql_start(&store->sql, &rows, err,
			     "SELECT o.program, b.identity, b.weave, total(t.schedules), count(*), max(t.id)"
			     " FROM test t JOIN subject o ON o.id = t.subject JOIN build b ON b.id ="
			     "  (SELECT max(u.build) FROM test u WHERE u.subject IN"
			     "   (SELECT p.id FROM subject p WHERE p.program = o.program))"
			     " GROUP BY o.program ORDER BY max(t.id) DESC",
			     "");
	while (code >= 0 && (code = sql_next(&store->sql, rows, err)) > 0) {
		const struct store_program program = {
			.path = sql_text(rows, 0),
			.identity = sql_text(rows, 1),
			.weave = text_or_null(rows, 2),
			.schedules = (uint64_t)sql_column(rows, 3),
			.tests = (uint64_t)sql_column(rows, 4),
		};
		each(context, &program);
	}
	sql_stop(rows);
	return code;
}

bool store_is_evidence(const char *trace)
{
	static const char folder[] = "evidence/";
	return strncmp(trace, folder, sizeof folder - 1) == 0 && trace[sizeof folder - 1] != '.' &&
	       trace[sizeof folder - 1] && !strchr(trace + sizeof folder - 1, '/');
}

bool store_has_trace(struct store *store, const char *trace)
{
	struct err ignored = ERR_INIT;
	int64_t found;
	return sql_number(&store->sql, &ignored, &found,
			  "SELECT 1 FROM sighting WHERE trace = ?1 UNION ALL"
			  " SELECT 1 FROM verdict WHERE shown_trace = ?1 OR other_trace = ?1 LIMIT 1",
			  "s", trace) != 0;
}

/* Texts of one column that name evidence, each once. */
static int list_evidence(struct store *store, struct strings *traces, struct err *err, const char *text, int64_t id)
{
	sqlite3_stmt *rows;
	int code = sql_start(&store->sql, &rows, err, text, "i", id);
	while (code >= 0 && (code = sql_next(&store->sql, rows, err)) > 0)
		if (store_is_evidence(sql_text(rows, 0)) && !strings_has(traces, sql_text(rows, 0)))
			strings_add(traces, sql_text(rows, 0));
	sql_stop(rows);
	return code;
}

int64_t store_event(struct store *store, int64_t id, const char *trace)
{
	struct err ignored = ERR_INIT;
	int64_t event = 0;
	int code = sql_number(&store->sql, &ignored, &event,
			      "SELECT event FROM sighting WHERE finding = ? AND trace = ? ORDER BY test DESC LIMIT 1",
			      "is", id, trace);
	return code > 0 && event > 0 ? event : 0;
}

int store_traces(struct store *store, int64_t id, struct strings *traces, struct err *err)
{
	return list_evidence(store, traces, err,
			     "SELECT s.trace FROM sighting s JOIN test t ON t.id = s.test"
			     " WHERE s.finding = ? AND s.trace IS NOT NULL ORDER BY " EVIDENCE_FIRST,
			     id);
}

static int take_build(struct store *store, sqlite3_stmt *rows, struct store_chosen *chosen, struct err *err)
{
	chosen->row = sql_column(rows, 0);
	chosen->identity = mem_copy_string(sql_text(rows, 1));
	chosen->program = mem_copy_string(sql_text(rows, 2));
	int64_t schedules = 0;
	int code = sql_number(&store->sql, err, &schedules, "SELECT total(schedules) FROM test WHERE build = ?", "i",
			      chosen->row);
	chosen->schedules = (uint64_t)schedules;
	return code < 0 ? code : 0;
}

static bool is_prefix(const char *text)
{
	size_t size = strlen(text);
	return size >= PREFIX_LEAST && strspn(text, "0123456789abcdef") == size;
}

int store_choose_build(struct store *store, const char *text, struct store_chosen *chosen, struct err *err)
{
	sqlite3_stmt *rows;
	*chosen = (struct store_chosen){ 0 };
	char *shown = text_terminal_copy(text);
	/* A prefix has no characters that GLOB or LIKE would interpret as patterns. */
	int code =
		sql_start(&store->sql, &rows, err,
			  is_prefix(text) ? "SELECT id, identity, program FROM build WHERE"
					    " substr(identity, 1, length(?1)) = ?1 OR substr(weave, 1, length(?1)) = ?1"
					  : "SELECT id, identity, program FROM build WHERE program = ?1"
					    " ORDER BY id DESC LIMIT 1",
			  "s", text);
	if (code == 0)
		code = sql_next(&store->sql, rows, err);
	if (code > 0)
		code = take_build(store, rows, chosen, err);
	else if (code == 0)
		code = err_set(err, ENOENT, "no build matching \"%s\" was tested", shown);
	if (code == 0 && (code = sql_next(&store->sql, rows, err)) > 0)
		code = err_set(err, EEXIST, "several builds match \"%s\"", shown);
	sql_stop(rows);
	free(shown);
	return code;
}

static int count_tests(const struct store_part *new, const char *name, const char *arguments, const char *kind,
		       uint64_t *count, struct err *err)
{
	struct store *store = new->store;
	int code = 0;
	if (!store->could_see)
		code = sql_start(&store->sql, &store->could_see, err,
				 "SELECT total(t.schedules) FROM test t JOIN subject o ON o.id = t.subject"
				 " WHERE o.arguments = ?1 AND (?2 = 0 OR t.build = ?2)"
				 " AND " COULD_SEE("?3") " AND (?4 IS NULL OR o.program = ?4 OR substr(o.program, "
							 "-length(?4) - 1) = '/' || ?4)",
				 "");
	sqlite3_stmt *rows = store->could_see;
	if (code == 0 && (sqlite3_bind_text(rows, 1, arguments, -1, SQLITE_TRANSIENT) != SQLITE_OK ||
			  sqlite3_bind_int64(rows, 2, new->build) != SQLITE_OK ||
			  sqlite3_bind_text(rows, 3, kind, -1, SQLITE_TRANSIENT) != SQLITE_OK ||
			  sqlite3_bind_text(rows, 4, name, -1, SQLITE_TRANSIENT) != SQLITE_OK))
		code = sql_fail(&store->sql, err);
	if (code == 0)
		code = sql_next(&store->sql, rows, err);
	if (code > 0)
		*count += (uint64_t)sql_column(rows, 0);
	sqlite3_reset(rows);
	return code < 0 ? code : 0;
}

/* If that fails, each read is its own transaction. */
void store_read_begin(struct store *store)
{
	sqlite3_exec(store->sql.handle, "BEGIN", NULL, NULL, NULL);
}

void store_read_end(struct store *store)
{
	sqlite3_exec(store->sql.handle, "ROLLBACK", NULL, NULL, NULL);
}

int store_count_schedules(const struct store_part *old, int64_t id, const char *kind, const struct store_part *new,
			  uint64_t *count, struct err *err)
{
	struct store *store = old->store;
	bool is_named = !old->build && !new->build;
	int code = 0;
	*count = 0;
	if (!store->seen_with)
		code = sql_start(&store->sql, &store->seen_with, err,
				 "SELECT DISTINCT o.arguments, CASE WHEN ?3 THEN o.program ELSE '' END FROM sighting s"
				 " JOIN test t ON t.id = s.test JOIN subject o ON o.id = t.subject"
				 " WHERE s.finding = ?1 AND (?2 = 0 OR t.build = ?2)",
				 "");
	sqlite3_stmt *rows = store->seen_with;
	if (code == 0 &&
	    (sqlite3_bind_int64(rows, 1, id) != SQLITE_OK || sqlite3_bind_int64(rows, 2, old->build) != SQLITE_OK ||
	     sqlite3_bind_int64(rows, 3, is_named) != SQLITE_OK))
		code = sql_fail(&store->sql, err);
	while (code >= 0 && (code = sql_next(&old->store->sql, rows, err)) > 0) {
		const char *program = sql_text(rows, 1), *slash = strrchr(program, '/');
		const char *name = slash ? slash + 1 : program;
		code = count_tests(new, is_named ? name : NULL, sql_text(rows, 0), kind, count, err);
	}
	sqlite3_reset(rows);
	return code;
}

/* Within a transaction. */
static int forget(struct store *store, int64_t id, struct strings *traces, struct err *err)
{
	int code = list_evidence(
		store, traces, err,
		"SELECT s.trace FROM sighting s WHERE s.finding = ?1 AND s.trace IS NOT NULL AND NOT EXISTS("
		"SELECT 1 FROM sighting o WHERE o.trace = s.trace AND o.finding <> ?1)",
		id);
	if (code == 0)
		code = sql_run(&store->sql, err, "DELETE FROM finding WHERE id = ?", "i", id);
	if (code == 0 && sqlite3_changes(store->sql.handle) == 0)
		code = err_set(err, ENOENT, "there is no finding H%" PRId64, id);
	return code;
}

int store_forget(struct store *store, int64_t id, struct strings *traces, struct err *err)
{
	int code = store_begin(store, err);
	if (code == -ESTALE)
		code = sql_begin(&store->sql, err);
	return code < 0 ? code : sql_end(&store->sql, forget(store, id, traces, err), err);
}
