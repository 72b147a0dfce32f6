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
#include "explore/strategies.h"

static struct run_options asked = {
	.request = RUN_REQUEST_INIT,
	.top = RUN_NUMBER_NONE,
	.runs = RUN_NUMBER_NONE,
	.jobs = RUN_NUMBER_NONE,
	.repeat = RUN_NUMBER_NONE,
};

/* An option of one kind of run that was given with one of another kind; null when there is none. */
static const char *wrong_option(void)
{
	const struct {
		const char *name;
		bool is_given, is_wrong;
	} options[] = {
		{ "strategy", asked.request.strategy, asked.is_free },
		{ "seed", asked.request.seed != RUN_NUMBER_NONE, asked.is_free },
		{ "depth", asked.request.depth != RUN_NUMBER_NONE, asked.is_free },
		{ "length", asked.request.length != RUN_NUMBER_NONE, asked.is_free },
		{ "budget", asked.request.budget != RUN_NUMBER_NONE, asked.is_free },
		{ "hang", asked.request.hang != RUN_NUMBER_NONE, asked.is_free },
		{ "date", asked.request.date, asked.is_free },
		{ "stats", asked.is_stats, asked.is_free },
		{ "detect", asked.request.is_detecting, asked.is_free },
		{ "brief", asked.is_brief, asked.is_free || asked.runs != RUN_NUMBER_NONE },
		{ "audit", asked.request.is_audit, !asked.request.is_detecting },
		{ "suppressions", asked.suppressions.count, !asked.request.is_detecting },
		{ "runs", asked.runs != RUN_NUMBER_NONE, asked.is_free },
		{ "jobs", asked.jobs != RUN_NUMBER_NONE, asked.runs == RUN_NUMBER_NONE },
		{ "repeat", asked.repeat != RUN_NUMBER_NONE, asked.runs == RUN_NUMBER_NONE },
		{ "count", asked.is_count, asked.is_operations },
		{ "trace", asked.trace, asked.is_free || asked.runs != RUN_NUMBER_NONE },
	};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].is_given && options[i].is_wrong)
			return options[i].name;
	return NULL;
}

static int usage(const char *option)
{
	struct err err = ERR_INIT;
	const char *reason =
		strcmp(option, "count") == 0          ? "and --operations are two kinds of run: give one of them"
		: strcmp(option, "suppressions") == 0 ? "is for what is detected: give --detect too"
		: asked.is_free ? "is for a run under control; --free, --count, --operations, --top and --json are not"
		: asked.runs != RUN_NUMBER_NONE ? "is for one run; leave --runs out"
						: "is for many runs: give --runs too";
	err_set(&err, EINVAL, "--%s %s", option, reason);
	err_hint(&err, "heddle run --help");
	err_print(&err, "heddle");
	return EXIT_USAGE;
}

static int run_main(char **operands, size_t count)
{
	(void)count;
	asked.request.program = operands;
	asked.is_count = asked.is_count || (!asked.is_operations && (asked.json || asked.top != RUN_NUMBER_NONE));
	asked.is_free = asked.is_free || asked.is_count || asked.is_operations;
	asked.request.is_detecting = asked.request.is_detecting || asked.is_brief;
	const char *wrong = wrong_option();
	if (wrong)
		return usage(wrong);
	if (asked.is_free)
		return asked.is_operations ? run_operations(&asked) : run_free(&asked);
	return asked.runs == RUN_NUMBER_NONE ? run_control(&asked) : run_campaign(&asked);
}

static const struct opt options[] = {
	{ "strategy", "NAME", "who runs next: " STRATEGIES_BY_SEED " (default: random)", OPT_TEXT,
	  &asked.request.strategy },
	{ "seed", "N", "the schedule: the same seed gives the same run (default: 1)", OPT_NUMBER, &asked.request.seed },
	{ "trace", "FILE", "keep the run in a file, for heddle replay", OPT_TEXT, &asked.trace },
	{ "stats", NULL, "say how it ended, and how many events, switches and threads it had", OPT_FLAG,
	  &asked.is_stats },
	{ "depth", "N", STRATEGIES_DEPTHS, OPT_NUMBER, &asked.request.depth },
	{ "length", "N", "pct: how many events a run has, about (default: 2000)", OPT_NUMBER, &asked.request.length },
	{ "hang", "SECONDS", "end the run as a hang after SECONDS of processor time without an event", OPT_NUMBER,
	  &asked.request.hang },
	{ "budget", "EVENTS", "end the run as a livelock after EVENTS events", OPT_NUMBER, &asked.request.budget },
	{ "timing", "HOW",
	  "when sleeps and time-outs end: early (also while others can run, as on a busy machine) or strict (when "
	  "nobody "
	  "else can run) (default: early)",
	  OPT_TEXT, &asked.request.timing },
	{ "date", "WHICH", "the date when the run begins: fixed (the same each time) or real (default: fixed)",
	  OPT_TEXT, &asked.request.date },
	{ "runs", "N", "run N schedules, from --seed on, and print a table of how they ended", OPT_NUMBER,
	  &asked.runs },
	{ "jobs", "N", "with --runs: run N schedules in parallel (default: 1)", OPT_NUMBER, &asked.jobs },
	{ "repeat", "N", "with --runs: each schedule N times; they must not differ", OPT_NUMBER, &asked.repeat },
	{ "detect", NULL,
	  "look for data races and memory errors in woven functions and for lock orders, and say what was found",
	  OPT_FLAG, &asked.request.is_detecting },
	{ "audit", NULL, "with --detect: look also at accesses that heddle-cc has proved not to race", OPT_FLAG,
	  &asked.request.is_audit },
	{ "brief", NULL,
	  "look for the same, and say only what was found and where: the run is not replayed to tell more", OPT_FLAG,
	  &asked.is_brief },
	{ "suppressions", "FILE",
	  "with --detect: what is not wanted, as for ThreadSanitizer; several times for several files (default: "
	  "HEDDLE_SUPPRESSIONS)",
	  OPT_TEXTS, &asked.suppressions },
	{ "free", NULL, "run without control", OPT_FLAG, &asked.is_free },
	{ "count", NULL, "count every access and print the sites that ran most; implies --free", OPT_FLAG,
	  &asked.is_count },
	{ "operations", NULL,
	  "run the threads in parallel and count what each does: locks, waits, threads, system calls; implies --free",
	  OPT_FLAG, &asked.is_operations },
	{ "top", "N",
	  "how many sites to print, or with --operations system calls and threads (default: 20); implies --count "
	  "without --operations",
	  OPT_NUMBER, &asked.top },
	{ "json", "FILE",
	  "write all sites with their counts, or with --operations all threads with theirs, as JSON (without FILE, or "
	  "-: to the standard output, after the program's); implies --count without --operations",
	  OPT_OUTPUT, &asked.json },
	{ "switch", "SET", "functions that run woven (default: all; with --free: none unless counted)", OPT_TEXT,
	  &asked.request.switched },
	{ "verbose", NULL, "say what was switched in each woven object", OPT_FLAG, &asked.request.is_verbose },
	{ NULL, NULL, NULL, OPT_FLAG, NULL },
};

static const struct opt_values values[] = {
	{ "strategy", strategies_by_seed },
	{ "date", run_dates },
	{ "timing", run_timings },
	{ NULL, NULL },
};

const struct command command_run = {
	.name = "run",
	.operands = "-- PROG ARGS...",
	.summary = "run a program under a reproducible schedule",
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
		"did what cannot be controlled, or (with --free and without --operations) has nothing woven in it. "
		"With --runs: 0 when every "
		"run\n"
		"ended with 0 and nothing was detected, 1 when not, 3 when one was aborted or "
		"could not be repeated,\n"
		"or when it was interrupted and those before ended well; the table is of what has ended then.",
	.options = options,
	.values = values,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = run_main,
};
