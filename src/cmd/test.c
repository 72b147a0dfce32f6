/*
 * test.c: heddle test: runs a program under many schedules, looks for races, deadlocks, crashes and other failures in
 * each, and says what it found. Findings go to standard output; the program's own output goes nowhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/stop.h"
#include "cmd/test_say.h"

#define RUNS_DEFAULT 1000u

/* After this many schedules without it, a finding occurs with 95 % confidence in fewer than 3 of 1000 (1 -
 * 0.05^(1/1000)), and the default test is enough to call it fixed. */
#define FIXED_AFTER_DEFAULT 1000u

static volatile sig_atomic_t is_stopped;

/* The options, as given. */
static struct {
	struct test_request request;
	struct test_say say;
	char *store;          /* of a hypothetical test */
	const char *output;   /* see outputs */
	const char *classify; /* see classify_words */
	bool is_going_on;
} asked = {
	.request = { .run = RUN_REQUEST_INIT,
		     .runs = RUN_NUMBER_NONE,
		     .jobs = RUN_NUMBER_NONE,
		     .seconds = RUN_NUMBER_NONE,
		     .findings = RUN_NUMBER_NONE,
		     .audits = RUN_NUMBER_NONE,
		     .reduce = RUN_NUMBER_NONE,
		     .witnesses = RUN_NUMBER_NONE,
		     .fixed_after = FIXED_AFTER_DEFAULT },
};

static const char *const outputs[] = {
	[JUDGE_OUTPUT_LINES] = "lines",
	[JUDGE_OUTPUT_EXACT] = "exact",
	[JUDGE_OUTPUT_IGNORED] = "ignore",
	NULL,
};

static const char *const classify_words[] = {
	[TEST_CLASSIFY_ONLY_NEW] = "only-new",
	[TEST_CLASSIFY_YES] = "yes",
	[TEST_CLASSIFY_NO] = "no",
	NULL,
};

#define WITNESSES_DEFAULT 20u
#define WITNESSES_MAX 10000u

/* Which races are classified, and how often each order of one is run. A hypothetical test asks what would go wrong, and its races are those
 * that the lines prevent. */
static int set_classify(struct test_request *request, struct err *err)
{
	const bool is_given = request->witnesses != RUN_NUMBER_NONE;
	int word = request->without.count && !asked.classify ? TEST_CLASSIFY_NO : TEST_CLASSIFY_ONLY_NEW;
	while (asked.classify && classify_words[word] && strcmp(asked.classify, classify_words[word]) != 0)
		word++;
	if (!classify_words[word])
		return err_set(err, EINVAL, "--classify expects only-new, yes or no, not \"%s\"", asked.classify);
	request->classify = (enum classify_which)word;
	if (is_given && request->classify == TEST_CLASSIFY_NO)
		return err_set(err, EINVAL, "--witnesses cannot be combined with --classify no");
	if (request->inputs && request->classify == TEST_CLASSIFY_NO)
		return err_set(err, EINVAL,
			       asked.classify ? "--inputs cannot be combined with --classify no"
					      : "--inputs with --without requires --classify yes or only-new");
	if (is_given && (request->witnesses == 0 || request->witnesses > WITNESSES_MAX))
		return err_set(err, EINVAL, "--witnesses must be 1 to %u", WITNESSES_MAX);
	if (!is_given)
		request->witnesses = WITNESSES_DEFAULT;
	return 0;
}

static int set_output(struct test_request *request, struct err *err)
{
	if (!asked.output)
		return 0;
	for (unsigned i = 0; outputs[i]; i++)
		if (strcmp(asked.output, outputs[i]) == 0) {
			request->output = (enum judge_output)i;
			return 0;
		}
	return err_set(err, EINVAL, "--output expects lines, exact or ignore, not \"%s\"", asked.output);
}

/* Checks the options, and fills in what was not given. -EINVAL: one is wrong. */
static int check_options(struct test_request *request, struct err *err)
{
	/* With only a time limit there is no limit on runs. */
	if (request->runs == RUN_NUMBER_NONE)
		request->runs = request->seconds == RUN_NUMBER_NONE ? RUNS_DEFAULT : 0;
	else if (request->runs == 0)
		return err_set(err, EINVAL, "--runs must be at least 1");
	if (request->jobs == RUN_NUMBER_NONE)
		request->jobs = 1;
	if (request->jobs == 0 || request->jobs > CAMPAIGN_MAX_JOBS)
		return err_set(err, EINVAL, "--jobs must be 1 to %u", CAMPAIGN_MAX_JOBS);
	if (request->runs && request->jobs > request->runs)
		request->jobs = request->runs;
	if (request->seconds == 0)
		return err_set(err, EINVAL, "--time must be at least 1 second");
	if (request->findings == 0)
		return err_set(err, EINVAL, "--max must be at least 1");
	if (request->is_stopping && asked.is_going_on)
		return err_set(err, EINVAL, "--stop and --keep-going cannot be combined");
	if (request->fixed_after == 0)
		return err_set(err, EINVAL, "--fixed-after must be at least 1");
	if (request->run.hang == 0)
		return err_set(err, EINVAL, "--hang must be at least 1 second");
	int code = layout_check_color(asked.say.color, err);
	if (code == 0)
		code = outputs_agree(&asked.say.outputs, err);
	if (code == 0)
		code = set_classify(request, err);
	return code < 0 ? code : set_output(request, err);
}

/* An option that has no effect is a mistake. */
static int check_depth(const struct run_request *run, struct err *err)
{
	const char *name = run->strategy ? run->strategy : planner_names[0];
	if (run->depth == 0 && planner_has_depth(name))
		return err_set(err, EINVAL, "--depth must be at least 1");
	if (run->depth == RUN_NUMBER_NONE || planner_has_depth(name))
		return 0;
	err_hint(err, "heddle test --help shows which strategies have one");
	return err_set(err, EINVAL, "the strategy %s has no --depth", name);
}

static int prepare(struct test *test, const struct test_listener *listener, char **program, struct err *err)
{
	struct test_request *request = &asked.request;
	request->run.program = program;
	request->is_threads_wanted = test_say_wants_threads(&asked.say);
	request->is_quiet = asked.say.is_quiet;
	request->is_stopped = &is_stopped;
	int code = check_options(request, err);
	if (request->without.count)
		request->store = asked.store = without_store(&request->without, request->store);
	if (code == 0)
		code = planner_check_name(request->run.strategy, err);
	if (code == 0)
		code = check_depth(&request->run, err);
	if (code == 0)
		code = test_prepare(test, request, listener, err);
	if (code < 0)
		return code;
	narrator_init(&asked.say.narrator, 1, asked.say.color, test->trace.program);
	code = outputs_open(&asked.say.outputs, err);
	if (code == 0)
		code = test_open_input(test, err);
	return code == -EINVAL ? -ENOEXEC : code;
}

static int exit_status(const struct test *test, int code)
{
	if (test_reported_count(test))
		return EXIT_FINDINGS;
	return code == 0 && test_is_complete(test) ? EXIT_FOUND_NOTHING : EXIT_CANNOT;
}

static int test_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	static struct test test; /* large */
	struct test_listener listener;
	int status = EXIT_CANNOT;
	(void)count;
	test_init(&test);
	test_say_init(&asked.say, &listener);
	stop_catch(&is_stopped);
	int code = prepare(&test, &listener, operands, &err);
	if (code == -EINVAL) {
		status = EXIT_USAGE;
		err_hint(&err, "heddle test --help");
	} else if (code == 0) {
		code = test_run(&test, &err);
		test_say_summary(&asked.say, &test);
		if (code < 0)
			judge_miss(&test.judge, err.message);
		int written = test_say_reports(&asked.say, &test, &err);
		status = exit_status(&test, code ? code : written);
		code = code ? code : written;
	}
	if (code < 0)
		err_print(&err, "heddle");
	outputs_release(&asked.say.outputs);
	narrator_release(&asked.say.narrator);
	test_release(&test);
	strings_release(&asked.request.suppressions);
	strings_release(&asked.request.without);
	free(asked.store);
	return status;
}

static const struct opt options[] = {
	{ "runs", "N", "number of schedules to run (default: 1000; with --time: as many as fit)", OPT_NUMBER,
	  &asked.request.runs },
	{ "time", "SECONDS", "stop after SECONDS seconds", OPT_NUMBER, &asked.request.seconds },
	{ "jobs", "N", "run N schedules in parallel (default: 1)", OPT_NUMBER, &asked.request.jobs },
	{ "strategy", "NAME",
	  "strategy that chooses the next thread: portfolio, dfs, dfs-full, reads-from, expose, or one of heddle run "
	  "(default: "
	  "portfolio)",
	  OPT_TEXT, &asked.request.run.strategy },
	{ "seed", "N", "seed: the same seed gives the same schedules (default: 1)", OPT_NUMBER,
	  &asked.request.run.seed },
	OPT_ROW_CHECK(&asked.request.check),
	OPT_ROW_BEFORE(&asked.request.before),
	{ "output", "HOW", "how to compare outputs: lines (in any order), exact, ignore (default: lines)", OPT_TEXT,
	  &asked.output },
	{ "input", "FILE", "standard input of each run (default: standard input of heddle test, from its start)",
	  OPT_TEXT, &asked.request.input },
	OPT_ROW_INPUTS(&asked.request.inputs),
	OPT_ROW_SANDBOX(&asked.request.is_sandboxed),
	{ "suppressions", "FILE",
	  "read suppressions from FILE, in the format of ThreadSanitizer; may be repeated (default: "
	  "HEDDLE_SUPPRESSIONS)",
	  OPT_TEXTS, &asked.request.suppressions },
	{ "without", "PLACE",
	  "what if: skip the synchronisation at PLACE (FILE:LINE), and report what would go wrong; may be repeated",
	  OPT_TEXTS, &asked.request.without },
	{ "audit-runs", "N",
	  "in the first N schedules, also check accesses that heddle-cc proved free of races (default: 8)", OPT_NUMBER,
	  &asked.request.audits },
	{ "reduce", "N",
	  "use at most N runs to reduce failures; 0: do not reduce (default: twice the schedules of the test, at "
	  "least 500)",
	  OPT_NUMBER, &asked.request.reduce },
	{ "classify", "WHICH",
	  "run both orders of data races and report which races matter: only-new (those that no test of this build "
	  "has judged, as long as that takes less than half of the search), yes (all), no (default: only-new)",
	  OPT_TEXT, &asked.classify },
	{ "witnesses", "N",
	  "to classify a race, run each order of its accesses N times (default: 20); -k N is the same", OPT_NUMBER,
	  &asked.request.witnesses },
	{ "max", "N", "stop after N findings", OPT_NUMBER, &asked.request.findings },
	{ "stop", NULL, "stop at the first finding", OPT_FLAG, &asked.request.is_stopping },
	{ "keep-going", NULL, "continue after findings (default)", OPT_FLAG, &asked.is_going_on },
	{ "json", "FILE", "write the findings as JSON (without FILE, or -: to standard output)", OPT_OUTPUT,
	  &asked.say.outputs.paths[OUTPUT_JSON] },
	{ "html", "FILE", "write a single HTML page with sources and interleavings", OPT_OUTPUT,
	  &asked.say.outputs.paths[OUTPUT_HTML] },
	{ "sarif", "FILE", "write SARIF 2.1.0, for GitHub and for editors", OPT_OUTPUT,
	  &asked.say.outputs.paths[OUTPUT_SARIF] },
	{ "junit", "FILE", "write JUnit XML, for continuous integration", OPT_OUTPUT,
	  &asked.say.outputs.paths[OUTPUT_JUNIT] },
	OPT_ROW_COLOR(&asked.say.color),
	{ "quiet", NULL,
	  "print only a line for each finding and each verdict, and what was missed; the summary only if runs aborted",
	  OPT_FLAG, &asked.say.is_quiet },
	{ "budget", "EVENTS",
	  "a run with more than EVENTS events is a livelock (default: 60 times a run that ends, at least 1000000, "
	  "and confirmed by a run with many times as many)",
	  OPT_NUMBER, &asked.request.run.budget },
	{ "hang", "SECONDS",
	  "a run hangs after SECONDS of processor time without an event (default: 10 times a run that ends, at "
	  "least 2; the test then stops after 2 hangs)",
	  OPT_NUMBER, &asked.request.run.hang },
	{ "depth", "N", "dfs, dfs-full: maximum number of preemptions (default: 2); other strategies: see heddle run",
	  OPT_NUMBER, &asked.request.run.depth },
	OPT_ROW_TIMING(&asked.request.run.timing),
	{ "date", "WHICH", "date at the start of a run: fixed or real (default: fixed)", OPT_TEXT,
	  &asked.request.run.date },
	OPT_ROW_STORE(&asked.request.store),
	{ "fixed-after", "N",
	  "consider a finding fixed after N schedules of newer builds without it, or more if it was rare (default: "
	  "1000)",
	  OPT_NUMBER, &asked.request.fixed_after },
	{ "allow-unwoven", NULL, "test a program that contains no woven code, or that only starts other programs",
	  OPT_FLAG, &asked.request.is_unwoven_allowed },
	{ "switch", "SET", "functions that run woven: see heddle run (default: all)", OPT_TEXT,
	  &asked.request.run.switched },
	OPT_END,
};

static const struct opt_values values[] = {
	{ "strategy", planner_names }, { "output", outputs },          { "date", run_dates }, { "timing", run_timings },
	{ "color", layout_colors },    { "classify", classify_words }, { NULL, NULL },
};

const struct command command_test = {
	.name = "test",
	.operands = "-- PROG ARGS...",
	.summary = "run a program under many schedules and report what goes wrong",
	.details = "Finds data races and memory errors in woven functions, deadlocks, lock orders that could "
		   "deadlock, crashes, failed\n"
		   "assertions, livelocks, hangs, a nonzero exit status, and output that differs between "
		   "schedules. With --check, only\n"
		   "the check judges the output and the status of runs that exit.\n\n"
		   "Schedules are steered towards the deadlocks that lock orders could lead to. The schedule of a "
		   "failure is then\n"
		   "reduced to the fewest preemptions that it needs; this takes additional runs (--reduce) and a "
		   "quarter of --time.\n"
		   "Failures that an earlier test of the same build and arguments has reduced are not reduced "
		   "again.\n\n"
		   "Findings are kept in .heddle in the current directory. A finding keeps its id when it is found "
		   "again, by another\n"
		   "test or in another build: heddle list lists the findings, heddle show ID shows one, heddle "
		   "replay ID runs exactly\n"
		   "its schedule again, and with --columns shows it.\n\n"
		   "Exit status: 0 nothing found, 1 something found, 2 usage error, 3 the program could not be "
		   "tested, or not\n"
		   "completely: it contains no woven code, no schedule ended, schedules aborted, or a limit was "
		   "reached. Findings from\n"
		   "before that are reported, and the exit status is then 1.",
	.options = options,
	.values = values,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = test_main,
};
