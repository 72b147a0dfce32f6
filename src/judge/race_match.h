/*
 * race_match.h: finds the sites of a woven program for the accesses in another tool's report (race_log.h). That tool
 * saw another build of the same source, so only places in the source can be compared: file, line, column if the log has
 * one, function, and the calls that were inlined. A file is matched with the file of the program whose path has the
 * longest common end.
 *
 * The innermost frame counts. Frames of libraries and of system headers are skipped if they are not in the program:
 * then the access is at the call, as for memcpy. If a line has no access of the kind in this build, an access of the
 * same function within RACE_MATCH_LINES lines is used, because compilers differ in the lines of a statement, and the
 * match is inexact. This is not done if the log has columns: such a log is of clang, too, so it is more likely that
 * lines have moved. Sites that heddle-cc proved free of races are used only if there are no others. A line in another
 * function than the log names is no match: lines have moved.
 */
#ifndef JUDGE_RACE_MATCH_H
#define JUDGE_RACE_MATCH_H

#include "judge/race_log.h"
#include "symbols/describe.h"
#include "symbols/site_pair.h"

#define RACE_MATCH_LINES 3u

enum race_match_how {
	RACE_MATCH_NONE,
	RACE_MATCH_EXACT,
	RACE_MATCH_INEXACT, /* of a line nearby, or with other calls around it */
	RACE_MATCH_GUESSED, /* the log lacks the place: accesses to a variable with the name of the other side's */
};

struct race_match {
	struct site_pair pair;
	enum race_match_how how[2];
	/* The program has such accesses in the line, but in another function: the log is of another source. */
	bool is_moved[2];
	bool is_near[2];   /* the access is in a line nearby */
	bool is_proved[2]; /* heddle-cc proved that none of the sites can race, and they are no events */
	char *reasons[2];  /* why a side has no site, or why it is inexact, in words, not escaped; null: exact */
};

struct race_matcher;

/* programs: the woven program, and the woven libraries that it uses. They must stay until race_matcher_free. */
struct race_matcher *race_matcher_new(struct description *programs, size_t program_count);
void race_matcher_free(struct race_matcher *matcher);

/* Fills *match, which the caller releases. Cannot fail. */
void race_match(struct race_matcher *matcher, const struct race_log_pair *pair, struct race_match *match);
void race_match_release(struct race_match *match);

/* Whether both sides have sites. */
bool race_match_is_found(const struct race_match *match);

#endif
