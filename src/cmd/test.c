/*
 * test.c: heddle test: runs a program under many schedules, looks for races, deadlocks, crashes and other failures in
 * each, and says what it found. Findings go to standard output; the program's own output goes nowhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/evidence.h"
#include "cmd/opt.h"
#include "cmd/run_priv.h"
#include "cmd/stop.h"
#include "cmd/test_priv.h"

#define RUNS_DEFAULT 1000u

/* After so many schedules without it, a finding is with a certainty of 95 % in fewer than 3 of 1000 (1 - 0.05^(1/1000)), and the
 * default test is enough to call it fixed. */
#define FIXED_AFTER_DEFAULT 1000u

struct test_asked test_asked = { .seconds = RUN_NUMBER_NONE,
				 .findings = RUN_NUMBER_NONE,
				 .audits = RUN_NUMBER_NONE,
				 .reduce = RUN_NUMBER_NONE,
				 .fixed_after = FIXED_AFTER_DEFAULT };

volatile sig_atomic_t test_is_stopped;

static const char *const outputs[] = {
	[JUDGE_OUTPUT_LINES] = "lines",
	[JUDGE_OUTPUT_EXACT] = "exact",
	[JUDGE_OUTPUT_IGNORED] = "ignore",
	NULL,
};

static int set_output(struct judge *judge, struct err *err)
{
	if (!test_asked.output)
		return 0;
	for (unsigned i = 0; outputs[i]; i++)
		if (strcmp(test_asked.output, outputs[i]) == 0) {
			judge->output = (enum judge_output)i;
			return 0;
		}
	return err_set(err, EINVAL, "--output wants lines, exact or ignore, not \"%s\"", test_asked.output);
}

/* -EINVAL: an option is wrong. */
static int check_options(struct test *self, struct err *err)
{
	/* With a limit of time alone there is none of runs. */
	if (run_asked.runs == RUN_NUMBER_NONE)
		run_asked.runs = test_asked.seconds == RUN_NUMBER_NONE ? RUNS_DEFAULT : 0;
	else if (run_asked.runs == 0)
		return err_set(err, EINVAL, "--runs wants at least 1");
	if (run_asked.jobs == RUN_NUMBER_NONE)
		run_asked.jobs = 1;
	if (run_asked.jobs == 0 || run_asked.jobs > CAMPAIGN_JOBS_MOST)
		return err_set(err, EINVAL, "--jobs wants 1 to %u", CAMPAIGN_JOBS_MOST);
	if (run_asked.runs && run_asked.jobs > run_asked.runs)
		run_asked.jobs = run_asked.runs;
	if (test_asked.seconds == 0)
		return err_set(err, EINVAL, "--time wants at least 1 second");
	if (test_asked.findings == 0)
		return err_set(err, EINVAL, "--max wants at least 1");
	if (test_asked.is_stopping && test_asked.is_going_on)
		return err_set(err, EINVAL, "--stop and --keep-going are opposites");
	if (test_asked.fixed_after == 0)
		return err_set(err, EINVAL, "--fixed-after wants at least 1");
	if (run_asked.hang == 0)
		return err_set(err, EINVAL, "--hang wants at least 1 second");
	int code = paper_check_color(test_asked.color, err);
	if (code < 0)
		return code;
	code = suppressions_read(&self->suppressions, &test_asked.suppressions, err);
	self->judge.suppressions = self->suppressions.count ? &self->suppressions : NULL;
	if (code == 0)
		code = outputs_agree(&test_asked.outputs, err);
	return code < 0 ? code : set_output(&self->judge, err);
}

static int check_strategy(const char *name, struct err *err)
{
	for (size_t i = 0; name && planner_names[i]; i++)
		if (strcmp(name, planner_names[i]) == 0)
			return 0;
	if (!name)
		return 0;
	const char *nearest = opt_nearest(name, planner_names);
	if (nearest)
		err_hint(err, "did you mean %s?", nearest);
	else
		err_hint(err, "heddle test --help names them");
	return err_set(err, EINVAL, "unknown strategy \"%s\"", name);
}

/* An option that would change nothing is a mistake. */
static int check_depth(const char *strategy, struct err *err)
{
	static const char *const deep[] = { "dfs", "pct", "period", "round-robin" };
	if (run_asked.depth == RUN_NUMBER_NONE)
		return 0;
	for (size_t i = 0; strategy && i < sizeof deep / sizeof *deep; i++)
		if (strcmp(strategy, deep[i]) == 0)
			return 0;
	return err_set(err, EINVAL, "--depth is for --strategy dfs, pct, period and round-robin, not for %s",
		       strategy ? strategy : planner_names[0]);
}

/* Everything that can be wrong before the first run. */
static int prepare(struct test *self, char **program, struct err *err)
{
	const char *strategy = run_asked.strategy;
	int code = check_options(self, err);
	if (code == 0)
		code = check_strategy(strategy, err);
	if (code == 0)
		code = check_depth(strategy, err);
	if (code < 0)
		return code;
	run_asked.strategy = NULL; /* a planner's name: the runtime has others */
	run_asked.is_detecting = true;
	uint64_t depth = run_asked.depth;
	run_asked.depth = RUN_NUMBER_NONE; /* the planner's, too */
	code = run_describe(&self->trace, program, err);
	run_asked.strategy = strategy;
	self->trace.ask.flags &= ~(uint32_t)HEDDLE_CONTROL_EARLY; /* and which schedules have this */
	if (depth != RUN_NUMBER_NONE)
		self->trace.ask.depth = depth;
	if (code < 0)
		return code;
	if (test_asked.check && (code = check_init(&self->check, test_asked.check, err)) < 0)
		return code;
	self->judge.is_checked = test_asked.check != NULL;
	self->program = evidence_program(&self->trace);
	self->judge.findings.program = self->judge.orders.program = self->program;
	teller_init(&self->teller, 1, test_asked.color, self->trace.program);
	test_find_woven(self);
	run_idle_patterns(&self->trace, &self->notes);
	code = evidence_start(store_folder(test_asked.store), err);
	if (code == 0)
		code = test_open_store(self, err);
	if (code == 0)
		code = outputs_open(&test_asked.outputs, err);
	if (code == 0) {
		self->campaign.input_fd = test_input(self, err);
		code = self->campaign.input_fd < 0 ? self->campaign.input_fd : 0;
	}
	return code == -EINVAL ? -ENOEXEC : code;
}

static int exit_status(const struct test *self, int code)
{
	if (test_told_count(self))
		return EXIT_FINDINGS;
	bool is_all = code == 0 && self->campaign.answered && !self->lost_count && !test_is_stopped &&
		      self->unfinished_count < self->campaign.answered && !self->judge.missed.count;
	return is_all ? EXIT_FOUND_NOTHING : EXIT_CANNOT;
}

static void release(struct test *self)
{
	outputs_release(&test_asked.outputs);
	teller_release(&self->teller);
	if (self->campaign.input_fd >= 0)
		close(self->campaign.input_fd);
	test_release_details(self);
	judge_release(&self->judge);
	known_release(&self->known);
	suppressions_release(&self->suppressions);
	strings_release(&test_asked.suppressions);
	free(self->program);
	free(self->identity);
	free(self->weave);
	free(self->short_path);
	free(self->why_unwoven);
	strings_release(&self->unwoven);
	free(self->log_path);
	store_close(self->store);
	running_stop(&self->running);
	check_release(&self->check);
	strings_release(&self->notes);
	strings_release(&self->opaque);
	strings_release(&self->lost);
	strings_release(&self->files);
	trace_free(&self->trace);
}

static int test_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	static struct test self; /* large */
	int status = EXIT_CANNOT;
	(void)count;
	self.campaign.input_fd = self.running.fd = -1;
	trace_init(&self.trace);
	stop_catch(&test_is_stopped);
	int code = prepare(&self, operands, &err);
	if (code == -EINVAL) {
		status = EXIT_USAGE;
		err_hint(&err, "heddle test --help");
	} else if (code == 0) {
		code = test_serve(&self, &err);
		if (code == 0)
			test_reduce(&self);
		test_note_details(&self);
		if (code == 0 && !self.campaign.answered) {
			code = err_set(&err, ETIME, "no run of the program ended%s",
				       self.campaign.end == CAMPAIGN_TIME ? " in time" : "");
			err_hint(&err, "heddle run --stats -- PROG shows one run; --time SECONDS gives more time");
		}
		struct err unstored = ERR_INIT;
		int stored = test_close_store(&self, &unstored);
		if (stored < 0 && code == 0) {
			code = stored;
			err = unstored;
		}
		self.is_cut = code < 0;
		test_say_summary(&self);
		if (code < 0)
			judge_miss(&self.judge, err.message);
		int written = test_write_reports(&self, &err);
		status = exit_status(&self, code ? code : written);
		code = code ? code : written;
	}
	if (code < 0)
		err_print(&err, "heddle");
	release(&self);
	return status;
}

static const struct opt options[] = {
	{ "runs", "N", "how many schedules (default: 1000; with --time: as many as there is time for)", OPT_NUMBER,
	  &run_asked.runs },
	{ "time", "SECONDS", "end after so many seconds", OPT_NUMBER, &test_asked.seconds },
	{ "jobs", "N", "so many schedules at a time (default: 1)", OPT_NUMBER, &run_asked.jobs },
	{ "strategy", "NAME",
	  "who runs next: portfolio, dfs, reads-from, or one that heddle run has (default: portfolio)", OPT_TEXT,
	  &run_asked.strategy },
	{ "seed", "N", "the same seed gives the same schedules, another seed gives others (default: 1)", OPT_NUMBER,
	  &run_asked.seed },
	{ "check", "CMD", "judges each run that exits: sees its output as input, its status as HEDDLE_EXIT; no shell",
	  OPT_TEXT, &test_asked.check },
	{ "output", "HOW", "how outputs are compared: lines (in any order), exact, ignore (default: lines)", OPT_TEXT,
	  &test_asked.output },
	{ "input", "FILE", "what each run gets as its standard input (default: our own, from its start)", OPT_TEXT,
	  &test_asked.input },
	{ "sandbox", NULL, "each run begins in an empty folder of its own, which is removed", OPT_FLAG,
	  &test_asked.is_sandboxed },
	{ "suppressions", "FILE",
	  "findings that are not wanted, as for ThreadSanitizer; several times for several files (default: "
	  "HEDDLE_SUPPRESSIONS)",
	  OPT_TEXTS, &test_asked.suppressions },
	{ "audit-runs", "N",
	  "look in the first N schedules also at accesses that heddle-cc has proved not to race (default: 8)",
	  OPT_NUMBER, &test_asked.audits },
	{ "reduce", "N",
	  "so many runs at most to reduce failures; 0: none (default: twice the schedules of the test, at least 500)",
	  OPT_NUMBER, &test_asked.reduce },
	{ "max", "N", "end when there are so many findings", OPT_NUMBER, &test_asked.findings },
	{ "stop", NULL, "end at the first finding", OPT_FLAG, &test_asked.is_stopping },
	{ "keep-going", NULL, "go on after findings (the default)", OPT_FLAG, &test_asked.is_going_on },
	{ "json", "FILE", "write what was found as JSON (without FILE, or -: to the standard output)", OPT_OUTPUT,
	  &test_asked.outputs.paths[OUTPUT_JSON] },
	{ "html", "FILE", "write one page for people, with sources and interleavings", OPT_OUTPUT,
	  &test_asked.outputs.paths[OUTPUT_HTML] },
	{ "sarif", "FILE", "write SARIF 2.1.0, for GitHub and for editors", OPT_OUTPUT,
	  &test_asked.outputs.paths[OUTPUT_SARIF] },
	{ "junit", "FILE", "write JUnit's XML, for continuous integration", OPT_OUTPUT,
	  &test_asked.outputs.paths[OUTPUT_JUNIT] },
	{ "color", "WHEN", "colours: auto (on a terminal, unless NO_COLOR is set), always, never (default: auto)",
	  OPT_TEXT, &test_asked.color },
	{ "quiet", NULL, "one line for each finding and nothing else, no progress either", OPT_FLAG,
	  &test_asked.is_quiet },
	{ "budget", "EVENTS",
	  "a run with more events is a livelock (default: 60 times a run that ends, at least 1000000, if it does not "
	  "end "
	  "with many times as many either)",
	  OPT_NUMBER, &run_asked.budget },
	{ "hang", "SECONDS",
	  "a run without an event for so much processor time hangs (default: 10 times a run that ends, at least 2, and "
	  "the test ends after 2 such runs)",
	  OPT_NUMBER, &run_asked.hang },
	{ "depth", "N", "of dfs: preemptions (default: 2); of other strategies: see heddle run", OPT_NUMBER,
	  &run_asked.depth },
	{ "timing", "HOW",
	  "when sleeps and time-outs end: early (also while others can run, as on a busy machine) or strict (when "
	  "nobody "
	  "else can run) (default: early)",
	  OPT_TEXT, &run_asked.timing },
	{ "date", "WHICH", "the date when a run begins: fixed or real (default: fixed)", OPT_TEXT, &run_asked.date },
	{ "store", "DIR", "where findings and evidence are kept (default: HEDDLE_STORE, or .heddle)", OPT_TEXT,
	  &test_asked.store },
	{ "fixed-after", "N", "a finding is fixed after so many schedules of newer builds without it (default: 1000)",
	  OPT_NUMBER, &test_asked.fixed_after },
	{ "allow-unwoven", NULL, "test a program in which nothing is woven, or that only starts others", OPT_FLAG,
	  &test_asked.is_unwoven_allowed },
	{ "switch", "SET", "functions that run woven: see heddle run (default: all)", OPT_TEXT, &run_asked.switched },
	{ NULL, NULL, NULL, OPT_FLAG, NULL },
};

static const struct opt_values values[] = {
	{ "strategy", planner_names }, { "output", outputs },     { "date", run_dates },
	{ "timing", run_timings },     { "color", paper_colors }, { NULL, NULL },
};

const struct command command_test = {
	.name = "test",
	.operands = "-- PROG ARGS...",
	.summary = "run a program under many schedules and say what goes wrong",
	.details = "Found are data races and memory errors in woven functions, deadlocks, lock orders that could "
		   "deadlock,\n"
		   "crashes, failed assertions, livelocks, hangs, an exit status that is not 0, and output that "
		   "differs from that "
		   "of\n"
		   "other schedules. With --check the check alone judges output and status of runs that exit.\n\n"
		   "Schedules are steered towards the deadlocks that lock orders could lead to, and for failures the "
		   "schedule is then\n"
		   "reduced to the fewest preemptions that it needs; that takes runs beside --runs (--reduce), and a "
		   "quarter of "
		   "--time.\n"
		   "What an earlier test of the same build with the same arguments has reduced is not reduced "
		   "again.\n\n"
		   "What is found is kept in .heddle in the current folder, and is the same finding with the same id "
		   "when it "
		   "is found\n"
		   "again, by another test or in another build: heddle list lists it, heddle show ID shows it, heddle "
		   "replay ID\n"
		   "runs exactly that schedule again, and with --columns shows it.\n\n"
		   "Exit status: 0 nothing found, 1 something found, 2 wrong usage, 3 the program could not be tested, "
		   "or\n"
		   "not all of it: nothing in it is woven, no schedule ends, schedules were lost, or a limit cut something "
		   "off.\n"
		   "What was found before is told all the same, and then the exit status is 1.",
	.options = options,
	.values = values,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = test_main,
};
