/*
 * run.c: heddle run: one run of a program with the runtime loaded. The program keeps its streams, its signals and its
 * exit status; Heddle speaks on standard error only, and after the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"
#include "cmd/counts.h"
#include "cmd/hottest.h"
#include "cmd/launch.h"
#include "cmd/opt.h"
#include "cmd/text.h"
#include "cmd/woven.h"

static struct {
	bool is_count, is_verbose;
	const char *switched, *json;
	uint64_t top;
} asked = { .top = UINT64_MAX };

enum { TOP_DEFAULT = 20 };

/* Appends text as a value of HEDDLE_OPTIONS, where a colon would end it. In a list, commas and what is escaped already
 * stay as they are. */
static void add_escaped(struct buf *out, const char *text, bool is_list)
{
	for (; *text; text++) {
		if (is_list && *text == '\\' && text[1]) {
			buf_add(out, text++, 2);
			continue;
		}
		if (*text == ':' || (!is_list && (*text == ',' || *text == '\\')))
			buf_add_string(out, "\\");
		buf_add(out, text, 1);
	}
}

/* The runtime knows linkage names only: adds those of the program's functions that the pattern is of by the name that
 * people write. woven: the program, or null. */
static void add_written(struct buf *out, const char *item, const struct woven *woven)
{
	bool is_excluded = item[0] == '-';
	const char *pattern = item + is_excluded;
	struct names names = { 0 };
	struct woven_function function;
	for (uint32_t i = 0; woven && i < woven_function_count(woven); i++)
		if (woven_function(woven, i, &function) && fnmatch(pattern, function.name, 0) != 0 &&
		    names_match(&names, pattern, function.name)) {
			buf_add_string(out, is_excluded ? ",-" : ",");
			add_escaped(out, function.name, false);
		}
	names_release(&names);
}

/* One element of --switch. A file of patterns is named by its full path: programs change folders. */
static int add_switch_item(struct buf *out, const char *item, const struct woven *woven, struct err *err)
{
	if (item[0] != '@') {
		add_escaped(out, item, true);
		add_written(out, item, woven);
		return 0;
	}
	char path[PATH_MAX];
	if (!realpath(item + 1, path) || access(path, R_OK) < 0) {
		err_hint(err, "--switch @FILE wants a file with one pattern a line");
		return err_set(err, errno, "cannot read \"%s\": %s", item + 1, strerror(errno));
	}
	buf_add_string(out, "@");
	add_escaped(out, path, false);
	return 0;
}

static int add_switch(struct buf *out, const char *set, const struct woven *woven, struct err *err)
{
	struct buf item = { 0 };
	int code = 0;
	buf_add_string(out, "switch=");
	for (bool is_first = true; code == 0; is_first = false) {
		item.size = 0;
		buf_add_string(&item, "");
		while (*set && *set != ',') {
			if (*set == '\\' && set[1] == ',')
				buf_add(&item, set++, 1);
			buf_add(&item, set++, 1);
		}
		buf_add_string(out, is_first ? "" : ",");
		code = add_switch_item(out, item.data, woven, err);
		if (!*set++)
			break;
	}
	buf_release(&item);
	return code;
}

/* A colon or a blank would end a name in LD_PRELOAD. Then the library goes by its descriptor, which stays open in this
 * process for as long as the program runs. */
static char *runtime_path(struct err *err)
{
	char *own = proc_own_file("libheddle.so"), *path = realpath(own, NULL);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0) {
		err_set(err, errno, "cannot open the runtime \"%s\": %s", own, strerror(errno));
		err_hint(err, "install Heddle again; libheddle.so belongs into lib/heddle beside bin");
	} else if (strpbrk(path, ": \t\n")) {
		free(path);
		path = mem_format("/proc/%d/fd/%d", (int)getpid(), fd);
	} else {
		close(fd);
	}
	free(own);
	return fd < 0 ? NULL : path;
}

/* What is ours comes last in HEDDLE_OPTIONS, where it wins, and first in LD_PRELOAD. */
static int set_environment(const struct counts *counts, const char *program, struct err *err)
{
	const char *old_options = getenv("HEDDLE_OPTIONS"), *old_preload = getenv("LD_PRELOAD");
	struct buf options = { 0 }, preload = { 0 };
	char *runtime = runtime_path(err);
	if (!runtime)
		return -ENOENT;
	buf_add_string(&preload, runtime);
	if (old_preload && *old_preload)
		buf_format(&preload, ":%s", old_preload);
	if (old_options && *old_options)
		buf_format(&options, "%s:", old_options);
	const char *set = asked.switched ? asked.switched : asked.is_count ? "all" : "none";
	struct woven *woven = NULL;
	struct err ignored = ERR_INIT;
	if (woven_open(program, &woven, &ignored) < 0)
		woven = NULL; /* it may load woven libraries all the same */
	int code = add_switch(&options, set, woven, err);
	if (woven)
		woven_free(woven);
	buf_format(&options, ":%s=%s", asked.is_count ? "count" : "note", counts->path);
	if (asked.is_verbose)
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
	err_set(err, ENOENT, "\"%s\" ran, but nothing in it is woven, so nothing was observed", shown);
	err_hint(err,
		 "build it with CC=heddle-cc CXX=heddle-c++; programs that change user (setuid) cannot be observed");
	free(shown);
	return -ENOENT;
}

/* What was asked for matched nothing. The program ran all the same, so this is no error. */
static void say_unswitched(const struct counts *counts)
{
	if (counts->switched_count || !asked.switched || strcmp(asked.switched, "none") == 0 ||
	    strcmp(asked.switched, "all") == 0)
		return;
	char *shown = text_terminal_copy(asked.switched);
	fprintf(stderr,
		"heddle: warning: no function was switched: no name matches \"%s\" (heddle sites --json has "
		"the "
		"names; an inlined function is switched with the one it is inlined into)\n",
		shown);
	free(shown);
}

static int report(const struct counts *counts, FILE *json, char **program, struct err *err)
{
	struct hottest hottest;
	struct buf out = { 0 };
	int code = 0;
	hottest_init(&hottest, counts);
	hottest_text(&out, &hottest, asked.top == UINT64_MAX ? TOP_DEFAULT : asked.top);
	fwrite(out.data, 1, out.size, stderr);
	out.size = 0;
	if (json) {
		hottest_json(&out, &hottest, program);
		if (fwrite(out.data, 1, out.size, json) != out.size || fflush(json) != 0)
			code = err_set(err, errno, "cannot write \"%s\": %s", asked.json, strerror(errno));
	}
	buf_release(&out);
	hottest_release(&hottest);
	return code;
}

/* Everything before the program and after it; *status is how it ended. */
static int run(char **program, struct counts *counts, int *status, struct err *err)
{
	char *path = NULL;
	FILE *json = NULL;
	int code = launch_find(program[0], &path, err);
	if (code == 0)
		code = counts_make(counts, err);
	if (code == 0)
		code = set_environment(counts, path, err);
	bool is_stdout = asked.json && strcmp(asked.json, "-") == 0;
	if (code == 0 && asked.json && !(json = is_stdout ? fdopen(dup(1), "w") : fopen(asked.json, "we")))
		code = err_set(err, errno, "cannot write \"%s\": %s", asked.json, strerror(errno));
	if (code == 0)
		code = launch_run(path, program, status, err);
	free(path);
	if (code == 0)
		code = counts_read(counts, err);
	if (code == 0 && counts->process_count == 0)
		code = not_registered(program[0], err);
	else if (code == 0)
		say_unswitched(counts);
	if (code == 0 && asked.is_count)
		code = report(counts, json, program, err);
	if (json && fclose(json) != 0 && code == 0)
		code = err_set(err, errno, "cannot write \"%s\": %s", asked.json, strerror(errno));
	return code;
}

static int run_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct counts counts = { .fd = -1 };
	int status = 0;
	(void)count;
	asked.is_count = asked.is_count || asked.json || asked.top != UINT64_MAX;
	int code = run(operands, &counts, &status, &err);
	counts_release(&counts);
	if (code < 0)
		err_print(&err, "heddle");
	/* How the program failed says more than how we did. */
	if (code < 0 && status == 0)
		return EXIT_CANNOT;
	launch_end(status);
}

static const struct opt options[] = {
	{ "count", NULL, "count every access and print the sites that ran most", OPT_FLAG, &asked.is_count },
	{ "switch", "SET", "functions that run woven (default: all with --count, else none)", OPT_TEXT,
	  &asked.switched },
	{ "top", "N", "how many sites to print (default: 20); implies --count", OPT_NUMBER, &asked.top },
	{ "json", "FILE", "write all sites with their counts as JSON (- is standard output); implies --count", OPT_TEXT,
	  &asked.json },
	{ "verbose", NULL, "say what was switched in each woven object", OPT_FLAG, &asked.is_verbose },
	{ NULL, NULL, NULL, OPT_FLAG, NULL },
};

const struct command command_run = {
	.name = "run",
	.operands = "-- PROG ARGS...",
	.summary = "run a program with the runtime loaded",
	.details = "SET is all, none, @FILE with one pattern a line, or patterns with * and ? separated by commas. "
		   "Patterns\n"
		   "are matched with linkage names (heddle sites --json shows them); after a - they exclude; the last "
		   "one that\n"
		   "matches decides. A function that was inlined is switched with the one it was inlined into.\n\n"
		   "The exit status is the program's own, or 3 when it could not be run or nothing in it is woven.",
	.options = options,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = run_main,
};
