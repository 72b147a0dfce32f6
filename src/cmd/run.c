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

static struct run_options settings = {
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
		{ "strategy", settings.request.strategy, settings.is_free },
		{ "seed", settings.request.seed != RUN_NUMBER_NONE, settings.is_free },
		{ "depth", settings.request.depth != RUN_NUMBER_NONE, settings.is_free },
		{ "length", settings.request.length != RUN_NUMBER_NONE, settings.is_free },
		{ "budget", settings.request.budget != RUN_NUMBER_NONE, settings.is_free },
		{ "hang", settings.request.hang != RUN_NUMBER_NONE, settings.is_free },
		{ "date", settings.request.date, settings.is_free },
		{ "stats", settings.is_stats, settings.is_free },
		{ "detect", settings.request.is_detecting, settings.is_free },
		{ "brief", settings.is_brief, settings.is_free || settings.runs != RUN_NUMBER_NONE },
		{ "audit", settings.request.is_audit, !settings.request.is_detecting },
		{ "suppressions", settings.suppressions.count, !settings.request.is_detecting },
		{ "runs", settings.runs != RUN_NUMBER_NONE, settings.is_free },
		{ "jobs", settings.jobs != RUN_NUMBER_NONE, settings.runs == RUN_NUMBER_NONE },
		{ "repeat", settings.repeat != RUN_NUMBER_NONE, settings.runs == RUN_NUMBER_NONE },
		{ "count", settings.is_count, settings.is_operations },
		{ "trace", settings.trace, settings.is_free || settings.runs != RUN_NUMBER_NONE },
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
		strcmp(option, "count") == 0          ? "and --operations cannot be combined"
		: strcmp(option, "suppressions") == 0 ? "requires --detect"
		: settings.is_free ? "requires control; it cannot be combined with --free, --count, --operations, "
				     "--top or --json"
		: settings.runs != RUN_NUMBER_NONE ? "applies to a single run and cannot be combined with --runs"
						   : "requires --runs";
	err_set(&err, EINVAL, "--%s %s", option, reason);
	err_hint(&err, "heddle run --help");
	err_print(&err, "heddle");
	return EXIT_USAGE;
}

static int run_main(char **operands, size_t count)
{
	(void)count;
	settings.request.program = operands;
	settings.is_count =
		settings.is_count || (!settings.is_operations && (settings.json || settings.top != RUN_NUMBER_NONE));
	settings.is_free = settings.is_free || settings.is_count || settings.is_operations;
	settings.request.is_detecting = settings.request.is_detecting || settings.is_brief;
	const char *wrong = wrong_option();
	if (wrong)
		return usage(wrong);
	if (settings.is_free)
		return settings.is_operations ? run_operations(&settings) : run_free(&settings);
	return settings.runs == RUN_NUMBER_NONE ? run_control(&settings) : run_campaign(&settings);
}

static const struct opt options[] = {
	{ "strategy", "NAME", "strategy that chooses the next thread: " STRATEGIES_BY_SEED " (default: random)",
	  OPT_TEXT, &settings.request.strategy },
	{ "seed", "N", "seed of the schedule: the same seed gives the same run (default: 1)", OPT_NUMBER,
	  &settings.request.seed },
	{ "trace", "FILE", "record the run to FILE, for heddle replay", OPT_TEXT, &settings.trace },
	{ "stats", NULL, "print the outcome and the number of events, switches and threads", OPT_FLAG,
	  &settings.is_stats },
	{ "depth", "N", STRATEGIES_DEPTHS, OPT_NUMBER, &settings.request.depth },
	{ "length", "N", "pct: approximate number of events of a run (default: 2000)", OPT_NUMBER,
	  &settings.request.length },
	{ "hang", "SECONDS", "report a hang after SECONDS of processor time without an event", OPT_NUMBER,
	  &settings.request.hang },
	{ "budget", "EVENTS", "report a livelock after EVENTS events", OPT_NUMBER, &settings.request.budget },
	OPT_ROW_TIMING(&settings.request.timing),
	{ "date", "WHICH", "date at the start of the run: fixed (the same in each run) or real (default: fixed)",
	  OPT_TEXT, &settings.request.date },
	{ "runs", "N", "run N schedules, starting at --seed, and print a table of their outcomes", OPT_NUMBER,
	  &settings.runs },
	{ "jobs", "N", "with --runs: run N schedules in parallel (default: 1)", OPT_NUMBER, &settings.jobs },
	{ "repeat", "N", "with --runs: run each schedule N times and require identical runs", OPT_NUMBER,
	  &settings.repeat },
	{ "detect", NULL, "detect data races and memory errors in woven functions, and lock orders, and report them",
	  OPT_FLAG, &settings.request.is_detecting },
	{ "audit", NULL, "with --detect: also check accesses that heddle-cc proved free of races", OPT_FLAG,
	  &settings.request.is_audit },
	{ "brief", NULL,
	  "like --detect, but report only what was found and where, without replaying the run for details", OPT_FLAG,
	  &settings.is_brief },
	{ "suppressions", "FILE",
	  "with --detect: read suppressions from FILE, in the format of ThreadSanitizer; may be repeated (default: "
	  "HEDDLE_SUPPRESSIONS)",
	  OPT_TEXTS, &settings.suppressions },
	{ "free", NULL, "run without control", OPT_FLAG, &settings.is_free },
	{ "count", NULL, "count every access and print the most frequent sites; implies --free", OPT_FLAG,
	  &settings.is_count },
	{ "operations", NULL,
	  "run the threads in parallel and count the operations of each: locks, waits, threads, system calls; "
	  "implies --free",
	  OPT_FLAG, &settings.is_operations },
	{ "top", "N",
	  "print N sites, or with --operations N system calls and threads (default: 20); implies --count without "
	  "--operations",
	  OPT_NUMBER, &settings.top },
	{ "json", "FILE",
	  "write the counts of all sites, or with --operations of all threads, as JSON (without FILE, or -: to "
	  "standard output, after the program's output); implies --count without --operations",
	  OPT_OUTPUT, &settings.json },
	{ "switch", "SET", "functions that run woven (default: all; with --free: none unless counting)", OPT_TEXT,
	  &settings.request.switched },
	{ "verbose", NULL, "report what was switched in each woven object", OPT_FLAG, &settings.request.is_verbose },
	OPT_END,
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
	.details = "The threads of the program take turns; the strategy and the seed decide which thread runs next at "
		   "each event:\n"
		   "synchronisation, system calls and, in woven functions, accesses to memory. Programs that are not "
		   "woven work, too.\n\n"
		   "SET is all, none, atomics (functions with an atomic access: enough for threads that wait for each "
		   "other without\n"
		   "the threads library), @FILE with one pattern per line, or patterns with * and ? separated by "
		   "commas. Patterns match\n"
		   "linkage names (heddle sites --json prints them); a leading - excludes; the last pattern that "
		   "matches decides. An\n"
		   "inlined function is switched together with the function that it was inlined into.\n\n"
		   "The exit status is that of the program; 1 after a deadlock, a livelock or a hang; 3 if the "
		   "program could not be run,\n"
		   "did something that cannot be controlled, or (with --free and without --operations) contains no "
		   "woven code. With\n"
		   "--runs: 0 if every run ended with 0 and nothing was detected; 1 if not; 3 if a run aborted, could "
		   "not be repeated,\n"
		   "or the command was interrupted and the runs before that ended well. The table then contains the "
		   "runs that ended.",
	.options = options,
	.values = values,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = run_main,
};
