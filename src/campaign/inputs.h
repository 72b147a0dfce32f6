/*
 * inputs.h: other inputs of the program (--inputs DIR), for judging its data races: a race may be harmless with one
 * input and harmful with another. Each line of a file *.args is a list of arguments. Every other file is used as
 * standard input or, if the program has an argument @@, as the file that @@ stands for.
 */
#ifndef CAMPAIGN_INPUTS_H
#define CAMPAIGN_INPUTS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

#define INPUTS_MARK "@@" /* in an argument: the path of a file */

/* An input that differs from that of the test in its arguments or in its standard input. */
struct test_input {
	char *text;               /* for people, not escaped: "the arguments --fast", "standard input from DIR/a" */
	struct strings arguments; /* all of them, including the name of the program */
	char *path;               /* of the file used as standard input; null: that of the test */
};

struct test_inputs {
	struct test_input *items; /* sorted by the names of the files, then by lines */
	size_t count;
};

/* Reads the folder. Start with { 0 }, and call inputs_release in any case. arguments: those of the program, including
 * its name; in one that contains @@, the first file takes its place. If arguments is null, only checks the folder. Adds
 * a note for each file that is left out. Returns 0, or -EINVAL with err set when the folder or something in it cannot
 * be used. */
int inputs_read(struct test_inputs *self, const char *folder, struct strings *arguments, struct strings *notes,
		struct err *err);
/* Whether an argument of the program, but not its name, contains @@. */
bool inputs_has_mark(const struct strings *arguments);
void inputs_release(struct test_inputs *self);

#endif
