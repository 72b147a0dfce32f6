/*
 * inputs.h: other inputs of the program (--inputs DIR), for judging its data races: a race may do no harm with one input and harm with
 * another. Each line of a file *.args is a list of arguments; every other file is standard input, or the file that the argument @@
 * stands for.
 */
#ifndef CAMPAIGN_INPUTS_H
#define CAMPAIGN_INPUTS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

#define INPUTS_MARK "@@" /* in an argument: the path of a file */

/* One that differs from that of the test in its arguments or in its standard input. */
struct test_input {
	char *text;               /* for people, not escaped: "the arguments --fast", "standard input from DIR/a" */
	struct strings arguments; /* all of them, with the name of the program */
	char *path;               /* of the file that is standard input; null: that of the test */
};

struct test_inputs {
	struct test_input *items; /* by the names of the files, then by lines */
	size_t count;
};

/* Reads the folder; start with { 0 }, and inputs_release in any case. arguments: those of the program, with its name; if one contains @@, the first
 * file takes its place. Null: only the folder is checked. notes: gets what is left out. Returns 0, or -EINVAL with err set when the
 * folder or something in it cannot be used. */
int inputs_read(struct test_inputs *self, const char *folder, struct strings *arguments, struct strings *notes,
		struct err *err);
/* Whether an argument of the program, but not its name, contains @@. */
bool inputs_has_mark(const struct strings *arguments);
void inputs_release(struct test_inputs *self);

#endif
