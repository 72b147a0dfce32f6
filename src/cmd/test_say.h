/*
 * test_say.h: what heddle test prints, and the reports that it writes. Progress, a line for each new finding and unused suppressions go to
 * standard error, everything else to standard output. Reports are printed at the end, when it is known which findings have one
 * cause and what races lead to: groups, the worst first. A finding is reported once, unless it is suppressed.
 */
#ifndef CMD_TEST_SAY_H
#define CMD_TEST_SAY_H

#include "campaign/test.h"
#include "cmd/outputs.h"
#include "narrate/narrate.h"
#include "narrate/progress.h"

/* Start with { 0 }, or with what was asked for. */
struct test_say {
	struct outputs outputs;
	const char *color;
	bool is_quiet;
	struct narrator narrator; /* the caller's to initialise, once the program is known, and to release */
	struct progress_line line;
};

/* A listener that prints. */
void test_say_init(struct test_say *self, struct test_listener *listener);

/* Whether the threads of findings are printed or reported. */
bool test_say_wants_threads(const struct test_say *self);

/* Prints the reports of all groups, and then the summary. */
void test_say_summary(struct test_say *self, struct test *test);

/* Prints the reports of all groups: each head in full, the others of its group as a line, failures with the schedule that they need. */
void test_say_groups(struct test_say *self, struct test *test);

/* Appends the report of a finding in full. */
void test_say_finding(struct buf *out, struct test_say *self, const struct finding *finding);

/* Appends when a finding was found: ", found in schedule 3 (known)". */
void test_say_state(struct buf *out, const struct finding *finding);

/* Appends the line about a race that was classified: "H1 is harmless in 40 runs: ...", and lines that show how outputs differ. */
void test_say_verdict(struct buf *out, struct test_say *self, const struct finding *race);

/* Writes what was found in the formats that were asked for. Returns 0, or a negative errno with err set. */
int test_say_reports(struct test_say *self, struct test *test, struct err *err);

#endif
