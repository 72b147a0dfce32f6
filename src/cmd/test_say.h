/*
 * test_say.h: what heddle test prints, and the reports that it writes. Progress and unused suppressions go to standard
 * error, everything else to standard output. A finding is reported once, unless it is suppressed.
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

void test_say_summary(struct test_say *self, struct test *test);

/* Writes what was found in the formats that were asked for. Returns 0, or a negative errno with err set. */
int test_say_reports(struct test_say *self, struct test *test, struct err *err);

#endif
