/*
 * run_free.c: a run without control (mode pass): the program runs as it is, with the accesses of its clones counted if
 * that was asked for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/run_priv.h"
#include "launch/environment.h"
#include "launch/launch.h"
#include "narrate/hottest.h"
#include "symbols/switch_set.h"
#include "trace/counts.h"

enum { TOP_DEFAULT = 20 };

/* What is ours comes last in HEDDLE_OPTIONS, where it wins, and first in LD_PRELOAD. */
static int set_environment(const struct run_options *asked, const struct counts *counts, const char *program,
			   struct err *err)
{
	const char *old_options = getenv("HEDDLE_OPTIONS"), *old_preload = getenv("LD_PRELOAD");
	struct buf options = { 0 }, preload = { 0 };
	char *runtime = environment_runtime(err);
	if (!runtime)
		return -ENOENT;
	buf_add_string(&preload, runtime);
	if (old_preload && *old_preload)
		buf_format(&preload, ":%s", old_preload);
	if (old_options && *old_options)
		buf_format(&options, "%s:", old_options);
	const char *set = asked->request.switched ? asked->request.switched : asked->is_count ? "all" : "none";
	int code = switch_set(&options, set, program, true, err);
	buf_format(&options, ":%s=%s", asked->is_count ? "count" : "note", counts->path);
	if (asked->request.is_verbose)
		buf_add_string(&options, ":verbose=1");
	if (code == 0 && (setenv("HEDDLE", "pass", 1) < 0 || setenv("HEDDLE_OPTIONS", options.data, 1) < 0 ||
			  setenv("LD_PRELOAD", preload.data, 1) < 0))
		code = err_set(err, errno, "cannot set the environment: %s", strerror(errno));
	free(runtime);
	buf_release(&options);
	buf_release(&preload);
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

/* What was asked for matched nothing. The program ran all the same, so this is no error. */
static void say_unswitched(const struct run_options *asked, const struct counts *counts)
{
	if (counts->switched_count || !asked->request.switched || strcmp(asked->request.switched, "none") == 0 ||
	    strcmp(asked->request.switched, "all") == 0)
		return;
	char *shown = text_terminal_copy(asked->request.switched);
	fprintf(stderr,
		"heddle: warning: no function was switched: no name matches \"%s\" (heddle sites --json prints the "
		"names; an inlined function is switched together with the function that it was inlined into)\n",
		shown);
	free(shown);
}

static int report(const struct run_options *asked, const struct counts *counts, FILE *json, struct err *err)
{
	struct hottest hottest;
	struct buf out = { 0 };
	int code = 0;
	hottest_init(&hottest, counts);
	hottest_text(&out, &hottest, asked->top == UINT64_MAX ? TOP_DEFAULT : asked->top);
	fwrite(out.data, 1, out.size, stderr);
	out.size = 0;
	if (json) {
		hottest_json(&out, &hottest, asked->request.program);
		if (fwrite(out.data, 1, out.size, json) != out.size || fflush(json) != 0)
			code = err_set(err, errno, "cannot write \"%s\": %s", asked->json, strerror(errno));
	}
	buf_release(&out);
	hottest_release(&hottest);
	return code;
}

/* Everything before the program and after it; *status is how it ended. */
static int run(const struct run_options *asked, struct counts *counts, int *status, struct err *err)
{
	char **program = asked->request.program, *path = NULL;
	FILE *json = NULL;
	int code = launch_find(program[0], &path, err);
	if (code == 0)
		code = counts_make(counts, err);
	if (code == 0)
		code = set_environment(asked, counts, path, err);
	bool is_stdout = asked->json && strcmp(asked->json, "-") == 0;
	if (code == 0 && asked->json && !(json = is_stdout ? fdopen(dup(1), "w") : fopen(asked->json, "we")))
		code = err_set(err, errno, "cannot write \"%s\": %s", asked->json, strerror(errno));
	if (code == 0)
		code = launch_run(path, program, status, err);
	free(path);
	if (code == 0)
		code = counts_read(counts, err);
	if (code == 0 && counts->process_count == 0)
		code = not_registered(program[0], err);
	else if (code == 0)
		say_unswitched(asked, counts);
	if (code == 0 && asked->is_count)
		code = report(asked, counts, json, err);
	if (json && fclose(json) != 0 && code == 0)
		code = err_set(err, errno, "cannot write \"%s\": %s", asked->json, strerror(errno));
	return code;
}

int run_free(const struct run_options *asked)
{
	struct err err = ERR_INIT;
	struct counts counts = { .fd = -1 };
	int status = 0;
	int code = run(asked, &counts, &status, &err);
	counts_release(&counts);
	if (code < 0)
		err_print(&err, "heddle");
	/* How the program failed says more than how we did. */
	if (code < 0 && status == 0)
		return EXIT_CANNOT;
	launch_end(status);
}
