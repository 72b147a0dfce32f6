/* run_control.c: one run under control, with its trace if that was asked for. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/text.h"
#include "cmd/detected.h"
#include "cmd/identity.h"
#include "cmd/opt.h"
#include "cmd/outcome.h"
#include "cmd/run_priv.h"
#include "cmd/switch_set.h"
#include "explore/sandbox.h"
#include "launch/control.h"
#include "launch/environment.h"
#include "launch/launch.h"

/* The date of runs that do not have the real one: 1 January 2024, 00:00 UTC. */
#define FIXED_DATE_NS (1704067200ull * 1000000000ull)

/* Those that follow from a seed alone: what they are called, and what the runtime calls them. */
const char *const run_strategies[] = { "random",      "pct",      "pos",     "surw",       "period",
				       "round-robin", "priority", "reverse", "complement", NULL };

static const uint32_t strategy_numbers[] = {
	HEDDLE_STRATEGY_RANDOM,   HEDDLE_STRATEGY_PCT,     HEDDLE_STRATEGY_POS,
	HEDDLE_STRATEGY_SURW,     HEDDLE_STRATEGY_PERIOD,  HEDDLE_STRATEGY_ROUND_ROBIN,
	HEDDLE_STRATEGY_PRIORITY, HEDDLE_STRATEGY_REVERSE, HEDDLE_STRATEGY_COMPLEMENT,
};

_Static_assert(sizeof run_strategies / sizeof *run_strategies == sizeof strategy_numbers / sizeof *strategy_numbers + 1,
	       "one number a name");

const char *const run_dates[] = { "fixed", "real", NULL };

const char *const run_timings[] = { "early", "strict", NULL };

bool run_is_early(void)
{
	return !run_asked.timing || strcmp(run_asked.timing, run_timings[0]) == 0;
}

static int set_timing(struct trace_ask *ask, struct err *err)
{
	if (run_is_early())
		ask->flags |= HEDDLE_CONTROL_EARLY;
	else if (strcmp(run_asked.timing, run_timings[1]) != 0)
		return err_set(err, EINVAL, "--timing wants early or strict, not \"%s\"", run_asked.timing);
	return 0;
}

static int set_strategy(struct trace_ask *ask, struct err *err)
{
	const char *name = run_asked.strategy ? run_asked.strategy : "random";
	for (size_t i = 0; run_strategies[i]; i++)
		if (strcmp(name, run_strategies[i]) == 0) {
			ask->strategy = strategy_numbers[i];
			return 0;
		}
	const char *nearest = opt_nearest(name, run_strategies);
	if (nearest)
		err_hint(err, "did you mean %s?", nearest);
	else
		err_hint(err,
			 "there are random, pct, pos, surw, period, round-robin, priority, reverse and complement");
	return err_set(err, EINVAL, "unknown strategy \"%s\"", name);
}

/* An option that would change nothing is a mistake. */
static int check_numbers(const struct trace_ask *ask, struct err *err)
{
	bool has_depth = ask->strategy == HEDDLE_STRATEGY_PCT || ask->strategy == HEDDLE_STRATEGY_PERIOD ||
			 ask->strategy == HEDDLE_STRATEGY_ROUND_ROBIN || ask->strategy == HEDDLE_STRATEGY_COMPLEMENT;
	const char *name = run_asked.strategy ? run_asked.strategy : "random";
	if (run_asked.depth != RUN_NUMBER_NONE && !has_depth)
		return err_set(err, EINVAL,
			       "--depth is for --strategy pct, period, round-robin and complement, not for %s", name);
	if (run_asked.length != RUN_NUMBER_NONE && ask->strategy != HEDDLE_STRATEGY_PCT)
		return err_set(err, EINVAL, "--length is for --strategy pct, not for %s", name);
	if (run_asked.hang == 0)
		return err_set(err, EINVAL, "--hang wants at least 1 second");
	return 0;
}

static int set_date(struct trace_ask *ask, struct err *err)
{
	struct timespec now;
	if (!run_asked.date || strcmp(run_asked.date, run_dates[0]) == 0) {
		ask->date_ns = FIXED_DATE_NS;
		return 0;
	}
	if (strcmp(run_asked.date, run_dates[1]) != 0)
		return err_set(err, EINVAL, "--date wants real or fixed, not \"%s\"", run_asked.date);
	clock_gettime(CLOCK_REALTIME, &now);
	ask->date_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	ask->flags |= HEDDLE_CONTROL_REAL_DATE;
	return 0;
}

static uint64_t number_or(uint64_t number, uint64_t otherwise)
{
	return number == RUN_NUMBER_NONE ? otherwise : number;
}

/* What is ours comes last in HEDDLE_OPTIONS, where it wins. */
static int set_options(struct trace *trace, struct err *err)
{
	struct buf options = { 0 };
	const char *old = getenv("HEDDLE_OPTIONS");
	if (old && *old)
		buf_format(&options, "%s:", old);
	int code = switch_set(&options, run_asked.switched ? run_asked.switched : "all", trace->program, false, err);
	if (run_asked.is_verbose)
		buf_add_string(&options, ":verbose=1");
	trace->options = mem_copy_string(options.data);
	buf_release(&options);
	return code;
}

/* The folder may be gone when the run is replayed, so that a path from there would lead nowhere. A link in the last part
 * stays: programs look at the name that they are run by. */
static void make_absolute(char **path)
{
	char *for_folder = mem_copy_string(*path), *for_name = mem_copy_string(*path);
	char *folder = realpath(dirname(for_folder), NULL);
	if (folder) {
		free(*path);
		*path = mem_format("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, basename(for_name));
	}
	free(folder);
	free(for_folder);
	free(for_name);
}

int run_describe(struct trace *trace, char **program, struct err *err)
{
	struct trace_ask *ask = &trace->ask;
	int code = set_strategy(ask, err);
	if (code == 0)
		code = check_numbers(ask, err);
	if (code == 0)
		code = set_date(ask, err);
	if (code == 0)
		code = set_timing(ask, err);
	if (code < 0)
		return code;
	if (run_asked.is_detecting)
		ask->flags |= HEDDLE_CONTROL_DETECT;
	if (run_asked.is_audit)
		ask->flags |= HEDDLE_CONTROL_AUDIT;
	ask->seed = number_or(run_asked.seed, 1);
	ask->depth = number_or(run_asked.depth, 0);
	ask->length = number_or(run_asked.length, 0);
	ask->event_budget = number_or(run_asked.budget, 0);
	code = launch_find(program[0], &trace->program, err);
	if (code < 0)
		return code == -EINVAL ? -ENOEXEC : code;
	make_absolute(&trace->program);
	for (size_t i = 0; program[i]; i++)
		strings_add(&trace->arguments, program[i]);
	environment_user(&trace->environment);
	char *folder = getcwd(NULL, 0);
	trace->folder = mem_copy_string(folder ? folder : "/");
	free(folder);
	code = set_options(trace, err);
	return code == -EINVAL ? -ENOEXEC : code;
}

void run_idle_patterns(const struct trace *trace, struct strings *lines)
{
	struct strings patterns = { 0 };
	if (!run_asked.switched)
		return;
	switch_set_idle(&patterns, run_asked.switched, trace->program);
	for (size_t i = 0; i < patterns.count; i++) {
		char *shown = text_terminal_copy(patterns.items[i]);
		char *line =
			mem_format("--switch: no function of the program matches \"%s\" (heddle sites --json has the "
				   "names; an inlined function is switched with the one it is inlined into)",
				   shown);
		strings_add(lines, line);
		free(line);
		free(shown);
	}
	strings_release(&patterns);
}

void run_warn_idle(const struct trace *trace)
{
	struct strings lines = { 0 };
	run_idle_patterns(trace, &lines);
	for (size_t i = 0; i < lines.count; i++)
		fprintf(stderr, "heddle: warning: %s\n", lines.items[i]);
	strings_release(&lines);
}

static void say(const struct trace *trace, const struct control *control)
{
	struct buf out = { 0 };
	keeper_describe(&out, &control->left);
	outcome_report(&out, trace);
	if (run_asked.is_stats) {
		buf_add_string(&out, "heddle: ");
		outcome_stats(&out, &trace->result);
		buf_add_string(&out, "\n");
	}
	if (out.size)
		fwrite(out.data, 1, out.size, stderr);
	buf_release(&out);
}

/* This was one schedule, told in plain lines. */
static void add_hint(struct buf *out, const struct trace *trace)
{
	struct buf command = { 0 };
	proc_quote(&command, trace->arguments.items);
	char *shown = text_terminal_copy(command.data);
	buf_format(
		out,
		"heddle: hint: heddle test -- %s\n"
		"heddle:       tries many schedules, and shows the sources, the threads side by side and what to try\n",
		shown);
	free(shown);
	buf_release(&command);
}

static void say_detected(const struct trace *trace, const char *path, struct suppressions *suppressions)
{
	struct buf out = { 0 };
	if (detected_report(&out, trace, path, suppressions))
		add_hint(&out, trace);
	if (out.size)
		fwrite(out.data, 1, out.size, stderr);
	buf_release(&out);
}

static int write_trace(const char *path, struct trace *trace, const struct control *control, struct err *err)
{
	int code = control->channel->log_error;
	if (code) {
		err_hint(err, "make room, or write the trace to another disk");
		return err_set(err, code, "cannot write the log of the trace \"%s\": %s", path, strerror(code));
	}
	identity_add_modules(trace);
	code = trace_write(path, trace, err);
	const char *problem = seal_problem();
	if (code == 0 && problem && run_asked.trace)
		fprintf(stderr,
			"heddle: note: the trace cannot be marked as yours, so heddle replay needs --trust: %s\n",
			problem);
	return code;
}

static int start(struct trace *trace, struct control *control, const char *path, struct err *err)
{
	struct control_setup setup = { .trace_path = path, .quiet_seconds = number_or(run_asked.hang, 0) };
	identity_add_program(trace);
	int code = control_start(control, trace, &setup, err);
	if (code == 0)
		code = control_finish(control, trace, err);
	if (code == 0 && !control->channel->is_started)
		code = control_not_started(trace, err);
	return code;
}

/* What was detected is told from a second pass over the run, which needs its trace, wanted or not. */
static int run(struct trace *trace, struct control *control, struct suppressions *suppressions, struct err *err)
{
	struct sandbox sandbox = { 0 };
	char *path = run_asked.trace ? mem_copy_string(run_asked.trace) : NULL;
	int code = 0;
	if (run_asked.is_detecting && !run_asked.is_brief && !path) {
		code = sandbox_make(&sandbox, err);
		path = mem_format("%s/trace", sandbox.path ? sandbox.path : "");
	}
	if (code == 0)
		code = start(trace, control, path, err);
	if (code == 0) {
		say(trace, control);
		run_warn_idle(trace);
	}
	if (code == 0 && path)
		code = write_trace(path, trace, control, err);
	if (code == 0 && run_asked.is_detecting)
		say_detected(trace, run_asked.is_brief ? NULL : path, suppressions);
	sandbox_remove(&sandbox);
	free(path);
	if (code == 0 && !control->channel->is_main &&
	    (trace->result.outcome == HEDDLE_OUTCOME_NONE || trace->result.outcome == HEDDLE_OUTCOME_SIGNAL))
		code = err_set(err, ECHILD, "the program ended before its main began");
	return code;
}

int run_control(char **program)
{
	struct err err = ERR_INIT;
	struct trace trace;
	struct control control;
	struct suppressions suppressions = { 0 };
	int status = EXIT_CANNOT;
	trace_init(&trace);
	control_init(&control);
	int code = run_asked.is_detecting ? suppressions_read(&suppressions, &run_asked.suppressions, &err) : 0;
	if (code == 0)
		code = run_describe(&trace, program, &err);
	if (code == 0)
		code = run(&trace, &control, &suppressions, &err);
	else if (code == -EINVAL)
		status = EXIT_USAGE;
	if (code < 0)
		err_print(&err, "heddle");
	bool is_its_own = code == 0 && outcome_is_its_own(&trace.result, &status);
	int wait_status = trace.result.wait_status;
	control_release(&control);
	trace_free(&trace);
	suppressions_release(&suppressions);
	if (is_its_own)
		launch_end(wait_status);
	return status;
}
