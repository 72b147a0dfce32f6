/*
 * run_free.c: a run without control (mode pass): the program runs as it is, with the accesses of its clones counted if
 * requested.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/run_priv.h"
#include "narrate/hottest.h"
#include "trace/counts.h"

struct free_run {
	const struct run_options *settings;
	struct counts counts;
};

static int make(void *context, struct buf *options, struct err *err)
{
	struct free_run *self = context;
	int code = counts_make(&self->counts, err);
	if (code == 0)
		buf_format(options, ":%s=%s", self->settings->is_count ? "count" : "note", self->counts.path);
	return code;
}

/* Nothing of the program was woven: whatever was asked for did not happen. */
static int not_registered(const char *program, struct err *err)
{
	char *shown = text_terminal_copy(program);
	err_set(err, ENOENT, "\"%s\" ran, but contains no woven code, so nothing was observed", shown);
	err_hint(err, "build it with CC=heddle-cc CXX=heddle-c++; programs that change their user (setuid) cannot be "
		      "observed");
	free(shown);
	return -ENOENT;
}

/* What was asked for matched nothing. The program ran all the same, so this is not an error. */
static void print_unswitched(const struct run_options *settings, const struct counts *counts)
{
	if (counts->switched_count || !settings->request.switched || strcmp(settings->request.switched, "none") == 0 ||
	    strcmp(settings->request.switched, "all") == 0)
		return;
	char *shown = text_terminal_copy(settings->request.switched);
	fprintf(stderr,
		"heddle: warning: no function was switched: no name matches \"%s\" (heddle sites --json prints the "
		"names; an inlined function is switched together with the function that it was inlined into)\n",
		shown);
	free(shown);
}

static int describe(void *context, struct buf *text, struct buf *json, struct err *err)
{
	struct free_run *self = context;
	const struct run_options *settings = self->settings;
	struct hottest hottest;
	int code = counts_read(&self->counts, err);
	if (code < 0)
		return code;
	if (self->counts.process_count == 0)
		return not_registered(settings->request.program[0], err);
	print_unswitched(settings, &self->counts);
	if (!settings->is_count)
		return 0;
	hottest_init(&hottest, &self->counts);
	hottest_text(text, &hottest, settings->top == UINT64_MAX ? RUN_TOP : settings->top);
	if (json)
		hottest_json(json, &hottest, settings->request.program);
	hottest_release(&hottest);
	return 0;
}

static void release(void *context)
{
	struct free_run *self = context;
	counts_release(&self->counts);
}

int run_free(const struct run_options *settings)
{
	struct free_run self = { .settings = settings, .counts = { .fd = -1 } };
	const struct run_mode mode = { .name = "pass",
				       .switched = settings->is_count ? "all" : "none",
				       .make = make,
				       .describe = describe,
				       .release = release };
	return run_uncontrolled(settings, &mode, &self);
}
