/*
 * check.c: heddle check: data races and deadlocks that can be, found without running the program. The analysis is done by
 * heddle-analyse (src/analysis), since it needs LLVM; this is its face: which program, which candidates, in which form.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "candidates/candidates.h"
#include "cmd/opt.h"
#include "cmd/outputs.h"

#define TOP_DEFAULT 20u

static struct {
	const char *json, *sarif, *html;
	struct static_options options;
} settings = { .options = { .top = TOP_DEFAULT } };

static int cannot(const struct err *err)
{
	err_print(err, "heddle");
	return EXIT_CANNOT;
}

static int check_usage(struct err *err)
{
	if (settings.options.least_score > 100)
		return err_set(err, EINVAL, "--min-score must be a number from 0 to 100");
	if (settings.options.explain.count && (settings.sarif || settings.html))
		return err_set(err, EINVAL,
			       "--explain takes two places and cannot be combined with --sarif or "
			       "--html");
	return 0;
}

/* Sites are given by their numbers. Invalid places are a usage error. */
static int make_places(const struct analysis *self, char *places[2], struct err *err)
{
	const struct strings *explain = &settings.options.explain;
	places[0] = places[1] = NULL;
	for (size_t i = 0; i < 2 && explain->count; i++) {
		const char *text = explain->items[i], *colon = strrchr(text, ':');
		bool is_number = *text && !text[strspn(text, "0123456789")];
		if (!is_number &&
		    (!colon || colon == text || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])) {
			err_hint(err, "a place is FILE:LINE, FILE:LINE:COLUMN or a site number");
			return err_set(err, EINVAL, "\"%s\" is not a place", text);
		}
		places[i] = static_place(self, text, err);
		if (!places[i])
			return -EINVAL;
	}
	return 0;
}

static int write_outputs(struct analysis *self, struct outputs *outputs, struct err *err)
{
	struct buf json = { 0 };
	if (settings.options.explain.count)
		static_explain_json(&json, self);
	else
		static_json(&json, self, &settings.options);
	int code = outputs_write_own(outputs, &json, err);
	buf_release(&json);
	return code;
}

/* What to report when the analysis ended early: finding nothing is not a result then. */
static int report_stopped(const struct analysis *self)
{
	const char *stopped = json_string(self->tree, "stopped");
	struct err err = ERR_INIT;
	if (!stopped)
		return 0;
	char *clean = text_terminal_copy(stopped);
	err_set(&err, ENOMEM, "the analysis did not complete: %s", clean);
	err_hint(&err, "--memory MB raises the limit, if more memory is available");
	err_print(&err, "heddle");
	free(clean);
	return EXIT_CANNOT;
}

static int report_all(struct analysis *self, struct outputs *outputs, struct err *err)
{
	bool is_explaining = settings.options.explain.count > 0;
	if (is_explaining && static_explain_check(self, err) < 0) {
		err_print(err, "heddle");
		return EXIT_USAGE;
	}
	if (outputs_is_any(outputs) && write_outputs(self, outputs, err) < 0)
		return cannot(err);
	if (!outputs_has_stdout(outputs) && is_explaining)
		static_explain_text(self);
	else if (!outputs_has_stdout(outputs)) {
		static_text(self, &settings.options);
		static_summary(self, &settings.options);
	}
	fflush(stdout);
	if (report_stopped(self))
		return EXIT_CANNOT;
	if (is_explaining) {
		uint64_t score;
		return static_explain_count(self, &score) ? EXIT_FINDINGS : EXIT_FOUND_NOTHING;
	}
	return static_count(self, &settings.options) ? EXIT_FINDINGS : EXIT_FOUND_NOTHING;
}

/* heddle-analyse printed the reason: nothing is added, unless it printed what it knows. */
static int run(struct analysis *self, char *const places[2], struct outputs *outputs)
{
	struct err err = ERR_INIT;
	struct buf text = { 0 }, messages = { 0 };
	int code = static_run(self, &settings.options, places[0] ? places : NULL, &text, &messages, &err);
	int status = EXIT_CANNOT;
	if (messages.size)
		fputs(messages.data, stderr);
	if (code < 0)
		cannot(&err);
	else if (code == EXIT_CANNOT && !text.size)
		;
	else if (static_read(self, &text, &err) < 0)
		cannot(&err);
	else
		status = report_all(self, outputs, &err);
	if (code == EXIT_CANNOT)
		status = EXIT_CANNOT;
	buf_release(&text);
	buf_release(&messages);
	return status;
}

static int check_main(char **operands, size_t count)
{
	struct outputs outputs = { .paths = { [OUTPUT_JSON] = settings.json,
					      [OUTPUT_SARIF] = settings.sarif,
					      [OUTPUT_HTML] = settings.html } };
	struct analysis self = { .paths = operands, .program_count = count, .option_before = opt_before };
	struct err err = ERR_INIT;
	char *places[2] = { NULL, NULL };
	int status;
	if (check_usage(&err) < 0 || outputs_agree(&outputs, &err) < 0) {
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	if (static_open(&self, &err) < 0) {
		status = cannot(&err);
	} else if (make_places(&self, places, &err) < 0) {
		err_print(&err, "heddle");
		status = EXIT_USAGE;
	} else if (outputs_open(&outputs, &err) < 0) {
		status = cannot(&err);
	} else {
		status = run(&self, places, &outputs);
	}
	free(places[0]);
	free(places[1]);
	outputs_release(&outputs);
	static_release(&self);
	strings_release(&settings.options.explain);
	strings_release(&settings.options.allocators);
	return status;
}

static const struct opt options[] = {
	{ "top", "N", "show N variables (default: 20)", OPT_NUMBER, &settings.options.top },
	{ "all", NULL, "show all variables and all candidates of each, also in JSON and in reports", OPT_FLAG,
	  &settings.options.is_all },
	{ "min-score", "N", "omit data races with a score below N, from 0 to 100; lock orders are always shown",
	  OPT_NUMBER, &settings.options.least_score },
	{ "explain", "A B", "explain why two places (FILE:LINE, or site numbers) are a candidate or not", OPT_PAIR,
	  &settings.options.explain },
	{ "allocator", "NAME",
	  "the program's function NAME returns fresh blocks, like malloc; NAME,N: argument N is the size; may be "
	  "repeated",
	  OPT_TEXTS, &settings.options.allocators },
	{ "json", "FILE", "print JSON instead of text, or write it to FILE in addition to the text", OPT_OUTPUT,
	  &settings.json },
	{ "sarif", "FILE", "write SARIF 2.1.0, for code hosts and editors (-: standard output)", OPT_OUTPUT,
	  &settings.sarif },
	{ "html", "FILE", "write a single HTML page (-: standard output)", OPT_OUTPUT, &settings.html },
	{ "memory", "MB", "memory limit (default: nine tenths of the free memory)", OPT_NUMBER,
	  &settings.options.memory_mb },
	{ "quiet", NULL, "do not show progress", OPT_FLAG, &settings.options.is_quiet },
	OPT_END,
};

const struct command command_check = {
	.name = "check",
	.operands = "PROG [LIB...]",
	.summary = "find possible data races and deadlocks without running the program",
	.details = "PROG must be built with heddle-cc; woven libraries that it uses can be listed after it and are "
		   "analysed together\n"
		   "with it.\n\n"
		   "A candidate is a pair of accesses that may touch the same bytes at the same time, where at "
		   "least one writes, not\n"
		   "both are atomic, and no lock is certain to be held at both. Reasons against a candidate lower "
		   "its score and are\n"
		   "shown as doubts, but never remove it. A candidate does not prove a race; but, as far as the "
		   "program was\n"
		   "analysed, a pair that is not a candidate cannot race. The summary lists what was not analysed "
		   "and what was\n"
		   "assumed instead.\n\n"
		   "Use heddle test to find the races that actually happen.\n\n"
		   "Exit status: 0 no candidates, 1 candidates found, 2 usage error, 3 the analysis failed or did "
		   "not complete.",
	.options = options,
	.operands_min = 1,
	.operands_max = 64,
	.run = check_main,
};
