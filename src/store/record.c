/* record.c: see record.h. */
#include "store/record.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/store_priv.h"
#include "store/sweep.h"

static int64_t now(void)
{
	return (int64_t)time(NULL);
}

/* Within a transaction. */
static int add_test(struct store_test *self, struct err *err)
{
	const struct sql *sql = &self->store->sql;
	const struct store_subject *subject = &self->subject;
	int64_t time = now();
	int code =
		sql_run(sql, err,
			"INSERT INTO build(identity, weave, program, first_used, last_used) VALUES(?1, ?2, ?3, ?4, ?4)"
			" ON CONFLICT(identity) DO UPDATE SET last_used = ?4, program = ?3",
			"sssi", subject->identity, subject->weave, subject->program, time);
	if (code == 0)
		code = sql_run(sql, err, "INSERT INTO subject(program, arguments) VALUES(?, ?) ON CONFLICT DO NOTHING",
			       "ss", subject->program, subject->arguments);
	if (code == 0)
		code = sql_number(sql, err, &self->build, "SELECT id FROM build WHERE identity = ?", "s",
				  subject->identity);
	if (code >= 0)
		code = sql_number(sql, err, &self->group, "SELECT id FROM subject WHERE program = ? AND arguments = ?",
				  "ss", subject->program, subject->arguments);
	if (code >= 0)
		code = sql_run(sql, err,
			       "INSERT INTO test(build, subject, strategy, seed, began, mark) VALUES(?, ?, ?, ?, ?, ?)",
			       "iisiii", self->build, self->group, subject->strategy, (int64_t)subject->seed, time,
			       self->mark);
	if (code == 0)
		self->id = sqlite3_last_insert_rowid(sql->handle);
	return code;
}

/* Begins a transaction in a database that knows the test. */
static int begin(struct store_test *self, struct err *err)
{
	int code = store_begin(self->store, err);
	if (code != -ESTALE)
		return code;
	code = sql_begin(&self->store->sql, err);
	if (code < 0)
		return code;
	code = add_test(self, err);
	return code < 0 ? sql_end(&self->store->sql, code, err) : 0;
}

int store_begin_test(struct store_test *self, struct store *store, struct running *running,
		     const struct store_subject *subject, struct err *err)
{
	*self = (struct store_test){ .store = store, .subject = *subject };
	int code = store_begin(store, err);
	if (code == -ESTALE)
		code = sql_begin(&store->sql, err);
	if (code < 0)
		return code;
	/* In the transaction that adds it: no other one can take the same meanwhile. */
	code = store_begin_mark(store, running, err);
	self->mark = running->mark;
	return sql_end(&store->sql, code < 0 ? code : add_test(self, err), err);
}

#define NOT_IN_TEST " AND NOT EXISTS(SELECT 1 FROM sighting s WHERE s.finding = f.id AND s.test = ?1)"

/* A failure that a version of Heddle stored which knew failures by their places alone: the first that is seen there is that one. */
static int find_old(struct store_test *self, const struct store_seen *seen, int64_t *id, struct err *err)
{
	const struct sql *sql = &self->store->sql;
	int code =
		sql_number(sql, err, id,
			   "SELECT f.id FROM sighting k JOIN test t ON t.id = k.test JOIN finding f ON f.id = k.finding"
			   " WHERE k.key = ?2 AND f.kind = ?3 AND t.build = ?4 AND f.place IS NULL" NOT_IN_TEST
			   " ORDER BY f.id LIMIT 1",
			   "issi", self->id, seen->old_key, seen->kind, self->build);
	if (code == 0)
		code = sql_number(sql, err, id,
				  "SELECT f.id FROM finding f WHERE f.fingerprint = ?2 AND f.place IS NULL" NOT_IN_TEST
				  " ORDER BY f.last_seen DESC, f.id LIMIT 1",
				  "is", self->id, seen->old_fingerprint);
	return code;
}

/* Which finding it is: what had the same key in the same build; what is alike, with the code around it; in another
 * build also what is alike in changed surroundings. One that this test has seen already is a different one, since a
 * test distinguishes its own findings. Returns 1, 0 when it is new, or a negative errno with err set. */
static int find(struct store_test *self, const struct store_seen *seen, int64_t *id, struct err *err)
{
	const struct sql *sql = &self->store->sql;
	int code =
		sql_number(sql, err, id,
			   "SELECT f.id FROM sighting k JOIN test t ON t.id = k.test JOIN finding f ON f.id = k.finding"
			   " WHERE k.key = ?2 AND f.kind = ?3 AND t.build = ?4" NOT_IN_TEST " ORDER BY f.id LIMIT 1",
			   "issi", self->id, seen->key, seen->kind, self->build);
	if (code == 0)
		code = sql_number(sql, err, id,
				  "SELECT f.id FROM finding f WHERE f.fingerprint = ?2 AND f.context = ?3" NOT_IN_TEST
				  " ORDER BY f.id LIMIT 1",
				  "iss", self->id, seen->fingerprint, seen->context);
	if (code == 0)
		code = sql_number(sql, err, id,
				  "SELECT f.id FROM finding f WHERE f.fingerprint = ?2" NOT_IN_TEST
				  " AND NOT EXISTS(SELECT 1 FROM sighting s JOIN test t ON t.id = s.test"
				  "  WHERE s.finding = f.id AND t.build = ?3) ORDER BY f.last_seen DESC, f.id LIMIT 1",
				  "isi", self->id, seen->fingerprint, self->build);
	return code == 0 && seen->old_fingerprint ? find_old(self, seen, id, err) : code;
}

static int add_finding(struct store_test *self, const struct store_seen *seen, int64_t *id, struct err *err)
{
	int code = sql_run(&self->store->sql, err,
			   "INSERT INTO finding(kind, fingerprint, context, state, summary, details, first_build,"
			   " last_build, first_seen, last_seen, place)"
			   " VALUES(?1, ?2, ?3, 'new', ?4, ?5, ?6, ?6, ?7, ?7, ?8)",
			   "sssssiis", seen->kind, seen->fingerprint, seen->context, seen->summary, seen->details,
			   self->build, now(), seen->old_fingerprint);
	if (code == 0)
		*id = sqlite3_last_insert_rowid(self->store->sql.handle);
	return code;
}

/* What a sighting means. A revert recreates a build that was tested before: what is seen exists, whatever the build's
 * age. */
static int find_standing(struct store_test *self, int64_t id, int64_t *last, enum store_standing *standing,
			 struct err *err)
{
	sqlite3_stmt *rows;
	int code =
		sql_start(&self->store->sql, &rows, err, "SELECT state, last_build FROM finding WHERE id = ?", "i", id);
	if (code == 0)
		code = sql_next(&self->store->sql, rows, err);
	if (code > 0) {
		const char *state = sql_text(rows, 0);
		*last = sql_column(rows, 1);
		*standing = STORE_AGAIN;
		if (strcmp(state, "suppressed") == 0)
			*standing = STORE_SUPPRESSED;
		else if (strcmp(state, "fixed") == 0)
			*standing = self->build > *last ? STORE_CAME_BACK : STORE_REVERTED;
	}
	sql_stop(rows);
	return code < 0 ? code : 0;
}

/* last: the build that it was described by before. */
static int see_again(struct store_test *self, const struct store_seen *seen, int64_t id, int64_t *last,
		     enum store_standing *standing, struct err *err)
{
	static const char *const states[] = {
		[STORE_AGAIN] = "known",
		[STORE_CAME_BACK] = "new",
		[STORE_REVERTED] = "new",
		[STORE_SUPPRESSED] = "suppressed",
	};
	const struct sql *sql = &self->store->sql;
	int code = find_standing(self, id, last, standing, err);
	if (code == 0)
		code = sql_run(
			sql, err,
			"UPDATE finding SET state = ?2, last_seen = ?3, unseen = 0, fixed_in = NULL, came_back = ?4"
			" WHERE id = ?1",
			"isii", id, states[*standing], now(),
			(int64_t)(*standing == STORE_CAME_BACK || *standing == STORE_REVERTED));
	/* Schedules of those between count for it again. */
	if (code == 0 && *standing == STORE_REVERTED)
		code = sql_run(sql, err, "UPDATE finding SET last_build = ?2 WHERE id = ?1", "ii", id, self->build);
	/* What older versions stored gets the identity that it has now. */
	if (code == 0 && seen->old_fingerprint)
		code = sql_run(sql, err,
			       "UPDATE finding SET place = ?2, fingerprint = ?3, context = ?4"
			       " WHERE id = ?1 AND place IS NULL",
			       "isss", id, seen->old_fingerprint, seen->fingerprint, seen->context);
	/* The sources may have changed since an older build was made: its fingerprint stays. */
	if (code == 0 && self->build > *last)
		code = sql_run(sql, err,
			       "UPDATE finding SET last_build = ?2, fingerprint = ?3, context = ?4, place = ?5"
			       " WHERE id = ?1",
			       "iisss", id, self->build, seen->fingerprint, seen->context, seen->old_fingerprint);
	return code;
}

/* is_own: they come from the best trace, so events and values are those of its run. */
static int set_sites(struct store_test *self, const struct store_site *sites, size_t count, bool is_own, int64_t id,
		     struct err *err)
{
	const struct sql *sql = &self->store->sql;
	int code = sql_run(sql, err, "DELETE FROM site WHERE finding = ?", "i", id);
	for (size_t i = 0; i < count && code == 0; i++) {
		const struct store_site *site = &sites[i];
		code = sql_run(
			sql, err,
			"INSERT INTO site(finding, position, file, line, column, function, variable, access, thread,"
			" thread_name, event, before, after, is_beside, is_near, code, proof,"
			" proof_locks)"
			" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			"iisiisssisissiisss", id, (int64_t)i, site->file, (int64_t)site->line, (int64_t)site->column,
			site->function, site->variable, site->access, (int64_t)site->thread, site->thread_name,
			is_own ? (int64_t)site->event : 0, is_own ? site->before : NULL, is_own ? site->after : NULL,
			(int64_t)site->is_beside, (int64_t)site->is_near, site->code, site->proof, site->proof_locks);
	}
	return code;
}

/* What is shown is what the newest build has: whether that is this test's, and *best, whose trace of the finding is the best of that
 * build. Returns 1, 0 when this build is not the newest, or a negative errno with err set. */
static int is_shown(struct store_test *self, int64_t id, int64_t *best, struct err *err)
{
	int64_t last = 0;
	int code = sql_number(&self->store->sql, err, &last, "SELECT last_build FROM finding WHERE id = ?", "i", id);
	if (code <= 0 || last != self->build)
		return code < 0 ? code : 0;
	*best = self->id;
	code = store_best(self->store, id, self->build, self->id, best, err);
	return code < 0 ? code : 1;
}

/* last: the build that it is described by. */
static int describe(struct store_test *self, const struct store_seen *seen, int64_t id, int64_t last, struct err *err)
{
	const struct sql *sql = &self->store->sql;
	int64_t best;
	int code = is_shown(self, id, &best, err);
	if (code <= 0 || (best != self->id && last == self->build))
		return code < 0 ? code : 0;
	code = sql_run(sql, err,
		       "UPDATE finding SET summary = ?2, details = ?3, needs = '', preemptions = NULL, early = 0, "
		       "is_fewest = 0"
		       " WHERE id = ?1",
		       "iss", id, seen->summary, seen->details);
	/* A revert: the build was tested before, and what was known then is still stored. */
	if (code == 0 && best != self->id)
		code = sql_run(
			sql, err,
			"UPDATE finding SET (needs, preemptions, early, is_fewest) = (SELECT s.needs, s.preemptions,"
			" s.early, s.is_fewest FROM sighting s WHERE s.finding = ?1 AND s.test = ?2) WHERE id = ?1",
			"ii", id, best);
	return code < 0 ? code : set_sites(self, seen->sites, seen->site_count, best == self->id, id, err);
}

/* Whether there is a trace of this build and of the same parts. Returns 1, 0, or a negative errno with err set. */
static int has_trace(const struct store_test *self, const struct store_seen *seen, int64_t id, struct err *err)
{
	sqlite3_stmt *rows;
	bool is_there = false;
	int code = sql_start(&self->store->sql, &rows, err,
			     "SELECT s.trace FROM sighting s JOIN test t ON t.id = s.test"
			     " WHERE s.finding = ? AND t.build = ? AND s.parts = ? AND s.trace IS NOT NULL",
			     "iis", id, self->build, seen->parts);
	while (code >= 0 && !is_there && (code = sql_next(&self->store->sql, rows, err)) > 0)
		is_there = store_has_file(self->store, sql_text(rows, 0));
	sql_stop(rows);
	return code < 0 ? code : is_there;
}

static int see(struct store_test *self, const struct store_seen *seen, int64_t *id, enum store_standing *standing,
	       struct err *err)
{
	int64_t last = 0;
	bool is_kept = true;
	int code = find(self, seen, id, err);
	*standing = STORE_FIRST;
	if (code > 0 && seen->is_spare) {
		code = has_trace(self, seen, *id, err);
		is_kept = code == 0;
		code = code < 0 ? code : 1;
	}
	if (code > 0)
		code = see_again(self, seen, *id, &last, standing, err);
	else if (code == 0)
		code = add_finding(self, seen, id, err);
	if (code == 0)
		code = sql_run(&self->store->sql, err,
			       "INSERT INTO sighting(finding, test, key, schedule, strategy, seed, trace, event, parts)"
			       " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
			       "iisisisis", *id, self->id, seen->key, (int64_t)seen->schedule, seen->strategy,
			       (int64_t)seen->seed, is_kept ? seen->trace : NULL, (int64_t)seen->event, seen->parts);
	return code < 0 ? code : describe(self, seen, *id, last, err);
}

int store_group_begin(struct store_test *self, struct err *err)
{
	return begin(self, err);
}

int store_group_end(struct store_test *self, struct err *err)
{
	return sql_end(&self->store->sql, 0, err);
}

int store_see(struct store_test *self, const struct store_seen *seen, int64_t *id, enum store_standing *standing,
	      struct err *err)
{
	int code = begin(self, err);
	return code < 0 ? code : sql_end(&self->store->sql, see(self, seen, id, standing, err), err);
}

int store_set_suppressed(struct store_test *self, int64_t id, const char *suppression, struct err *err)
{
	int code = begin(self, err);
	if (code < 0)
		return code;
	code = sql_run(&self->store->sql, err,
		       "UPDATE finding SET state = ?2, suppression = ?3, came_back = 0 WHERE id = ?1", "iss", id,
		       suppression ? "suppressed" : "known", suppression);
	return sql_end(&self->store->sql, code, err);
}

static int set_needs(struct store_test *self, int64_t id, const struct store_needs *needs, struct err *err)
{
	const struct sql *sql = &self->store->sql;
	int64_t best;
	int code = sql_run(sql, err,
			   "UPDATE sighting SET trace = ?3, event = ?4, needs = ?5, preemptions = ?6, is_fewest = ?7,"
			   " parts = ?8, early = ?9 WHERE finding = ?1 AND test = ?2",
			   "iisisiisi", id, self->id, needs->trace, (int64_t)needs->event, needs->text,
			   (int64_t)needs->preemptions, (int64_t)needs->is_fewest, needs->parts, (int64_t)needs->early);
	/* It was forgotten since, or the database is another one: the id means nothing, or something else. */
	if (code == 0 && sqlite3_changes(sql->handle) == 0)
		return 0;
	if (code == 0)
		code = is_shown(self, id, &best, err);
	if (code <= 0 || best != self->id)
		return code < 0 ? code : 0;
	code = sql_run(sql, err,
		       "UPDATE finding SET needs = ?2, preemptions = ?3, is_fewest = ?4, details = ?5, summary = ?6,"
		       " early = ?7 WHERE id = ?1",
		       "isiissi", id, needs->text, (int64_t)needs->preemptions, (int64_t)needs->is_fewest,
		       needs->details, needs->summary, (int64_t)needs->early);
	return code < 0 ? code : set_sites(self, needs->sites, needs->site_count, true, id, err);
}

int store_set_needs(struct store_test *self, int64_t id, const struct store_needs *needs, struct err *err)
{
	int code = begin(self, err);
	return code < 0 ? code : sql_end(&self->store->sql, set_needs(self, id, needs, err), err);
}

#define SEEN_OF_SUBJECT(subject)                                                                                       \
	" AND EXISTS(SELECT 1 FROM sighting s JOIN test t ON t.id = s.test"                                            \
	"  WHERE s.finding = f.id AND t.subject = " subject ")"

/* Findings of one kind that this test could have seen, did not, and would not have suppressed: they are no longer
 * suppressed. A finding that a store of an older version has suppressed counts as matched by any suppression. */
static int open_suppressed(struct store_test *self, const struct store_end *end, const char *kind, struct err *err)
{
	return sql_run(&self->store->sql, err,
		       "UPDATE finding AS f SET state = 'known', suppression = NULL"
		       " WHERE f.kind = ?2 AND f.state = 'suppressed' AND CASE WHEN f.suppression IS NULL THEN ?3 = ''"
		       "  ELSE NOT instr(?3, char(10) || f.suppression || char(10)) END" SEEN_OF_SUBJECT("?4")
			       NOT_IN_TEST,
		       "issi", self->id, kind, end->suppressions, self->group);
}

/* A failure that occurs in one of N schedules is missed by 3 N others with a probability of 5 %: after 3 N schedules
 * without it, it is considered fixed. N is computed over all tests that could see it, of builds that have it. */
#define ENOUGH_SCHEDULES                                                                                               \
	"(SELECT 3 * coalesce(sum(t.schedules), 0) / max(1, coalesce(sum(s.seen), 0))"                                 \
	"  FROM test t LEFT JOIN sighting s ON s.finding = f.id AND s.test = t.id"                                     \
	"  WHERE (t.kinds IS NULL OR instr(' ' || t.kinds || ' ', ' ' || f.kind || ' '))"                              \
	"  AND t.build IN (SELECT u.build FROM sighting v JOIN test u ON u.id = v.test WHERE v.finding = f.id)"        \
	"  AND t.subject IN (SELECT u.subject FROM sighting v JOIN test u ON u.id = v.test WHERE v.finding = f.id))"

/* Findings of one kind that this test could have seen and did not. A suppressed one would have been seen all the
 * same. */
static int count_unseen(struct store_test *self, const struct store_end *end, const char *kind, struct err *err)
{
	return sql_run(&self->store->sql, err,
		       "UPDATE finding AS f SET unseen = unseen + ?3, fixed_in = NULL"
		       " WHERE f.kind = ?2 AND f.state <> 'fixed' AND f.last_build < ?5" SEEN_OF_SUBJECT("?4")
			       NOT_IN_TEST,
		       "isiii", self->id, kind, (int64_t)end->schedules, self->group, self->build);
}

/* Of these, the findings that have not been seen for long enough. */
static int mark_fixed(struct store_test *self, const struct store_end *end, const char *kind, struct err *err)
{
	return sql_run(
		&self->store->sql, err,
		"UPDATE finding AS f SET state = 'fixed', fixed_in = ?1"
		" WHERE f.kind = ?2 AND f.state <> 'fixed' AND f.last_build < ?5 AND f.unseen >= ?3" SEEN_OF_SUBJECT(
			"?4") NOT_IN_TEST " AND f.unseen >= " ENOUGH_SCHEDULES,
		"isiii", self->id, kind, (int64_t)end->fixed_after, self->group, self->build);
}

static int list_fixed(struct store_test *self, struct store_fixed **fixed, size_t *count, struct err *err)
{
	sqlite3_stmt *rows;
	int code = sql_start(&self->store->sql, &rows, err,
			     "SELECT id, unseen FROM finding WHERE fixed_in = ? AND state = 'fixed' ORDER BY id", "i",
			     self->id);
	while (code >= 0 && (code = sql_next(&self->store->sql, rows, err)) > 0) {
		*fixed = mem_resize(*fixed, (*count + 1) * sizeof **fixed);
		(*fixed)[(*count)++] =
			(struct store_fixed){ .id = sql_column(rows, 0), .unseen = (uint64_t)sql_column(rows, 1) };
	}
	sql_stop(rows);
	return code;
}

static int count_seen(struct store_test *self, const struct store_count *count, struct err *err)
{
	const struct sql *sql = &self->store->sql;
	int code = sql_run(
		sql, err,
		"UPDATE sighting SET seen = ?3, schedule = iif(?4, ?4, schedule) WHERE finding = ?1 AND test = ?2",
		"iiii", count->id, self->id, (int64_t)count->seen, (int64_t)count->soonest);
	if (code == 0)
		code = sql_run(sql, err, "UPDATE finding SET variants = ?2 WHERE id = ?1 AND last_build = ?3", "iii",
			       count->id, (int64_t)count->variants, self->build);
	if (code == 0)
		code = sql_run(sql, err, "UPDATE finding SET head = ?2, rules = ?3 WHERE id = ?1", "iis", count->id,
			       count->head, count->rules);
	/* Those behind it that this test has not seen follow it. */
	if (code == 0 && count->head != count->id)
		code = sql_run(sql, err, "UPDATE finding SET head = ?2 WHERE head = ?1", "ii", count->id, count->head);
	return code;
}

static int end_test(struct store_test *self, const struct store_end *end, struct store_fixed **fixed, size_t *count,
		    struct err *err)
{
	const struct sql *sql = &self->store->sql;
	struct buf kinds = { 0 };
	for (const char *const *kind = end->kinds; *kind; kind++)
		buf_format(&kinds, "%s%s", kinds.size ? " " : "", *kind);
	int code = sql_run(sql, err, "UPDATE test SET ended = ?2, schedules = ?3, kinds = ?4 WHERE id = ?1", "iiis",
			   self->id, now(), (int64_t)end->schedules, kinds.data ? kinds.data : "");
	buf_release(&kinds);
	for (size_t i = 0; i < end->count && code == 0; i++)
		code = count_seen(self, &end->counts[i], err);
	for (const char *const *kind = end->kinds; *kind && code == 0 && end->schedules; kind++) {
		code = open_suppressed(self, end, *kind, err);
		if (code == 0)
			code = count_unseen(self, end, *kind, err);
		if (code == 0)
			code = mark_fixed(self, end, *kind, err);
	}
	return code == 0 ? list_fixed(self, fixed, count, err) : code;
}

int store_end_test(struct store_test *self, const struct store_end *end, struct store_fixed **fixed, size_t *count,
		   struct err *err)
{
	*fixed = NULL;
	*count = 0;
	int code = begin(self, err);
	return code < 0 ? code : sql_end(&self->store->sql, end_test(self, end, fixed, count, err), err);
}
