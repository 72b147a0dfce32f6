/*
 * narrate.h: writes a finding for people who read it on a terminal or in a log: what it is in plain words, stacks with source
 * lines, the threads side by side, what to try. The same for heddle test, heddle show and heddle replay.
 */
#ifndef NARRATE_NARRATE_H
#define NARRATE_NARRATE_H

#include "judge/finding.h"
#include "narrate/columns.h"
#include "narrate/layout.h"
#include "narrate/quote.h"
#include "narrate/timeline.h"

/* How many rows of the threads are shown: a screenful for a finding of a test, more if the user asked for one finding. */
#define NARRATE_ROWS_FEW 14u
#define NARRATE_ROWS_MANY 40u

struct narrator {
	struct layout layout;
	struct quotes quotes;
};

void narrator_init(struct narrator *self, int fd, const char *color, const char *program);
void narrator_release(struct narrator *self);

/* Appends the first line: "H1 data race on n: ...", and the sentence that says what that means, where there is one. id:
 * null: it has none. state: what else to print there, or null. */
void narrate_head(struct buf *out, const struct narrator *self, const char *id, const struct finding *finding,
		  const char *summary, const char *state);

/* Appends lines of details, which are escaped, with the sources of the sites. */
void narrate_details(struct buf *out, struct narrator *self, const char *details, const struct finding_site *sites,
		     size_t site_count, const struct finding_act *freed);

/* Appends the sources of the sites alone. */
void narrate_sources(struct buf *out, struct narrator *self, const struct finding_site *sites, size_t site_count);

/* The marks of findings in columns. Start with { 0 }; marks for which there is no room are left out. */
#define NARRATE_MAX_MARKS 64u
struct narrate_marks {
	struct columns_mark items[NARRATE_MAX_MARKS];
	struct columns_name names[NARRATE_MAX_MARKS];
	size_t count, name_count;
};
void narrate_add_marks(struct narrate_marks *marks, const struct finding *finding, const struct timeline *timeline);

/* Appends the threads side by side, and what to try. others: the other findings, some of which may be the cause. */
void narrate_threads(struct buf *out, const struct narrator *self, const struct finding *finding,
		     const struct timeline *timeline, size_t max_rows);
void narrate_advice(struct buf *out, const struct narrator *self, const struct finding *finding,
		    const struct timeline *timeline, const struct findings *others);

/* Appends the command that replays it. store: of --store, or null. */
void narrate_replay(struct buf *out, const struct narrator *self, const char *store, const char *trace);

#endif
