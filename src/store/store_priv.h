/* store_priv.h: what the parts of the store share. */
#ifndef STORE_STORE_PRIV_H
#define STORE_STORE_PRIV_H

#include <sys/types.h>

#include "store/sql.h"
#include "store/store.h"

struct store {
	struct sql sql; /* its path is ours */
	char *path;
	enum store_use use;
	dev_t device; /* which file was opened */
	ino_t inode;
	sqlite3_stmt *seen_with,
		*could_see,  /* store_count_schedules is called for each finding of a comparison, and ... */
		*last_sight; /* store_last_sight is called for each finding of a report: prepared once; null: not yet */
};

/* A transaction, as sql_begin and sql_end have it. If the file was moved aside or removed, the one that is
 * there now is used from then on, and earlier ids are invalid: returns -ESTALE, with nothing begun and err not set. */
int store_begin(struct store *store, struct err *err);

/* The path of a file that is named relative to the store's folder; caller frees. */
char *store_file(const struct store *store, const char *name);

/* Whether a trace that the database names exists. */
bool store_has_file(const struct store *store, const char *trace);

/* The order of sights (s) of one finding, build and parts by their traces, the best first: see sweep.h. */
#define FEWEST_FIRST "s.preemptions IS NULL, s.early, s.preemptions, s.test DESC"

/* Of one finding and build: those of the parts that were used last come first, and those of which that is not known. The program is one of
 * the parts, so builds need not be looked at. */
#define BEST_FIRST                                                                                                     \
	"s.parts IN ('', (SELECT n.parts FROM sighting n WHERE n.finding = s.finding AND n.parts <> ''"                \
	" ORDER BY n.test DESC LIMIT 1)) DESC, " FEWEST_FIRST

/* The test whose trace of the finding is the best of that build. That of the test own (0: none) is assumed to exist. Returns 1, 0
 * when there is none, or a negative errno with err set. */
int store_best(const struct store *store, int64_t id, int64_t build, int64_t own, int64_t *test, struct err *err);

#endif
