/*
 * run.c: heddle run: a program with the runtime loaded: one run under control, many of them, or one that is free. The
 * program keeps its streams, its signals and its exit status; Heddle speaks on standard error only, and after the
 * program.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opt.h"
#include "cmd/run_priv.h"

struct run_asked run_asked = {
	.top = RUN_NUMBER_NONE,
	.seed = RUN_NUMBER_NONE,
	.depth = RUN_NUMBER_NONE,
	.length = RUN_NUMBER_NONE,
	.budget = RUN_NUMBER_NONE,
	.hang = RUN_NUMBER_NONE,
	.runs = RUN_NUMBER_NONE,
	.jobs = RUN_NUMBER_NONE,
	.repeat = RUN_NUMBER_NONE,
};

/* An option of one kind of run that was given with one of another kind; null when there is none. */
static const char *wrong_option(void)
{
	const struct run_asked *asked = &run_asked;
	const struct {
		const char *name;
		bool is_given, is_wrong;
	} options[] = {
		{ "strategy", asked->strategy, asked->is_free },
		{ "seed", asked->seed != RUN_NUMBER_NONE, asked->is_free },
		{ "depth", asked->depth != RUN_NUMBER_NONE, asked->is_free },
		{ "length", asked->length != RUN_NUMBER_NONE, asked->is_free },
		{ "budget", asked->budget != RUN_NUMBER_NONE, asked->is_free },
		{ "hang", asked->hang != RUN_NUMBER_NONE, asked->is_free },
		{ "date", asked->date, asked->is_free },
		{ "stats", asked->is_stats, asked->is_free },
		{ "detect", asked->is_detecting, asked->is_free },
		{ "brief", asked->is_brief, asked->is_free || asked->runs != RUN_NUMBER_NONE },
		{ "audit", asked->is_audit, !asked->is_detecting },
		{ "suppressions", asked->suppressions.count, !asked->is_detecting },
		{ "runs", asked->runs != RUN_NUMBER_NONE, asked->is_free },
		{ "jobs", asked->jobs != RUN_NUMBER_NONE, asked->runs == RUN_NUMBER_NONE },
		{ "repeat", asked->repeat != RUN_NUMBER_NONE, asked->runs == RUN_NUMBER_NONE },
		{ "trace", asked->trace, asked->is_free || asked->runs != RUN_NUMBER_NONE },
	};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].is_given && options[i].is_wrong)
			return options[i].name;
	return NULL;
}

static int usage(const char *option)
{
	struct err err = ERR_INIT;
	const char *reason = strcmp(option, "suppressions") == 0 ? "is for what is detected: give --detect too"
			     : run_asked.is_free
				     ? "is for a run under control; --free, --count, --top and --json are not"
			     : run_asked.runs != RUN_NUMBER_NONE ? "is for one run; leave --runs out"
								 : "is for many runs: give --runs too";
	err_set(&err, EINVAL, "--%s %s", option, reason);
	err_hint(&err, "heddle run --help");
	err_print(&err, "heddle");
	return EXIT_USAGE;
}

static int run_main(char **operands, size_t count)
{
	struct run_asked *asked = &run_asked;
	(void)count;
	asked->is_count = asked->is_count || asked->json || asked->top != RUN_NUMBER_NONE;
	asked->is_free = asked->is_free || asked->is_count;
	asked->is_detecting = asked->is_detecting || asked->is_brief;
	const char *wrong = wrong_option();
	if (wrong)
		return usage(wrong);
	if (asked->is_free)
		return run_free(operands);
	return asked->runs == RUN_NUMBER_NONE ? run_control(operands) : run_campaign(operands);
}

static const struct opt options[] = {
	{ "strategy", "NAME",
	  "who runs next: random, pct, pos, surw, period, round-robin, priority, reverse, complement (default: random)",
	  OPT_TEXT, &run_asked.strategy },
	{ "seed", "N", "the schedule: the same seed gives the same run (default: 1)", OPT_NUMBER, &run_asked.seed },
	{ "trace", "FILE", "keep the run in a file, for heddle replay", OPT_TEXT, &run_asked.trace },
	{ "stats", NULL, "say how it ended, and how many events, switches and threads it had", OPT_FLAG,
	  &run_asked.is_stats },
	{ "depth", "N",
	  "pct: how many switches a bug needs, plus one (default: 3); period: periods (3); round-robin: events in a "
	  "turn (20); complement: 1 is the opposite order",
	  OPT_NUMBER, &run_asked.depth },
	{ "length", "N", "pct: how many events a run has, about (default: 2000)", OPT_NUMBER, &run_asked.length },
	{ "hang", "SECONDS", "end the run as a hang after so many seconds of processor time without an event",
	  OPT_NUMBER, &run_asked.hang },
	{ "budget", "EVENTS", "end the run as a livelock after so many events", OPT_NUMBER, &run_asked.budget },
	{ "timing", "HOW",
	  "when sleeps and time-outs end: early (also while others can run, as on a busy machine) or strict (when "
	  "nobody "
	  "else can run) (default: early)",
	  OPT_TEXT, &run_asked.timing },
	{ "date", "WHICH", "the date when the run begins: fixed (the same each time) or real (default: fixed)",
	  OPT_TEXT, &run_asked.date },
	{ "runs", "N", "run N schedules, from --seed on, and print a table of how they ended", OPT_NUMBER,
	  &run_asked.runs },
	{ "jobs", "N", "with --runs: so many at a time (default: 1)", OPT_NUMBER, &run_asked.jobs },
	{ "repeat", "N", "with --runs: each schedule N times; they must not differ", OPT_NUMBER, &run_asked.repeat },
	{ "detect", NULL,
	  "look for data races and memory errors in woven functions and for lock orders, and say what was found",
	  OPT_FLAG, &run_asked.is_detecting },
	{ "audit", NULL, "with --detect: look also at accesses that heddle-cc has proved not to race", OPT_FLAG,
	  &run_asked.is_audit },
	{ "brief", NULL,
	  "look for the same, and say only what was found and where: the run is not replayed to tell more", OPT_FLAG,
	  &run_asked.is_brief },
	{ "suppressions", "FILE",
	  "with --detect: what is not wanted, as for ThreadSanitizer; several times for several files (default: "
	  "HEDDLE_SUPPRESSIONS)",
	  OPT_TEXTS, &run_asked.suppressions },
	{ "free", NULL, "run without control", OPT_FLAG, &run_asked.is_free },
	{ "count", NULL, "count every access and print the sites that ran most; implies --free", OPT_FLAG,
	  &run_asked.is_count },
	{ "top", "N", "how many sites to print (default: 20); implies --count", OPT_NUMBER, &run_asked.top },
	{ "json", "FILE",
	  "write all sites with their counts as JSON (without FILE, or -: to the standard output, after the "
	  "program's); "
	  "implies --count",
	  OPT_OUTPUT, &run_asked.json },
	{ "switch", "SET", "functions that run woven (default: all; with --free: none unless counted)", OPT_TEXT,
	  &run_asked.switched },
	{ "verbose", NULL, "say what was switched in each woven object", OPT_FLAG, &run_asked.is_verbose },
	{ NULL, NULL, NULL, OPT_FLAG, NULL },
};

static const struct opt_values values[] = {
	{ "strategy", run_strategies },
	{ "date", run_dates },
	{ "timing", run_timings },
	{ NULL, NULL },
};

const struct command command_run = {
	.name = "run",
	.operands = "-- PROG ARGS...",
	.summary = "run a program under a schedule that can be had again",
	.details =
		"All threads of the program run by turns; the strategy and the seed decide whose turn it is at each\n"
		"event: at synchronisation, at system calls and, in woven functions, at accesses to memory. Programs\n"
		"that are not woven work too.\n\n"
		"SET is all, none, atomics (functions with an atomic access: enough where threads wait for each other "
		"without\n"
		"the threads library), @FILE with one pattern a line, or patterns with * and ? separated by commas. "
		"Patterns are\n"
		"matched with linkage names (heddle sites --json shows them); after a - they exclude; the last one "
		"that\n"
		"matches decides. A function that was inlined is switched with the one it was inlined into.\n\n"
		"The exit status is the program's own; 1 after a deadlock, a livelock or a hang; 3 when it could not "
		"be run,\n"
		"did what cannot be controlled, or (with --free) has nothing woven in it. With --runs: 0 when every "
		"run\n"
		"ended with 0 and nothing was detected, 1 when not, 3 when one could not be had or could not be had "
		"again,\n"
		"or when it was interrupted and those before ended well; the table is of what has ended then.",
	.options = options,
	.values = values,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = run_main,
};
