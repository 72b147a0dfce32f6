/* run_control.c: one run under control, with its trace if requested. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/text.h"
#include "cmd/run_priv.h"
#include "explore/sandbox.h"
#include "judge/outcome.h"
#include "launch/control.h"
#include "launch/launch.h"
#include "narrate/detected.h"
#include "symbols/identity.h"

void run_warn_idle(const struct run_request *request, const struct trace *trace)
{
	struct strings lines = { 0 };
	run_idle_patterns(request, trace, &lines);
	for (size_t i = 0; i < lines.count; i++)
		fprintf(stderr, "heddle: warning: %s\n", lines.items[i]);
	strings_release(&lines);
}

static void print_summary(const struct run_options *settings, const struct trace *trace, const struct control *control)
{
	struct buf out = { 0 };
	keeper_describe(&out, &control->left);
	outcome_report(&out, trace);
	if (settings->is_stats) {
		buf_add_string(&out, "heddle: ");
		outcome_stats(&out, &trace->result);
		buf_add_string(&out, "\n");
	}
	err_show(&out);
	buf_release(&out);
}

/* This was one schedule, reported in plain lines. */
static void add_hint(struct buf *out, const struct trace *trace)
{
	struct buf command = { 0 };
	proc_quote(&command, trace->arguments.items);
	char *shown = text_terminal_copy(command.data);
	buf_format(out,
		   "heddle: hint: heddle test -- %s\n"
		   "heddle:       runs many schedules, and shows the sources, the threads side by side and what to "
		   "try\n",
		   shown);
	free(shown);
	buf_release(&command);
}

static void print_detected(const struct trace *trace, const char *path, struct suppressions *suppressions)
{
	struct buf out = { 0 };
	if (detected_report(&out, trace, path, suppressions))
		add_hint(&out, trace);
	err_show(&out);
	buf_release(&out);
}

static int write_trace(const struct run_options *settings, const char *path, struct trace *trace,
		       const struct control *control, struct err *err)
{
	int code = control->channel->log_error;
	if (code) {
		err_hint(err, "free some disk space, or write the trace to another disk");
		return err_set(err, code, "cannot write the log of the trace \"%s\": %s", path, strerror(code));
	}
	identity_add_modules(trace);
	code = trace_write(path, trace, err);
	const char *problem = seal_problem();
	if (code == 0 && problem && settings->trace)
		fprintf(stderr,
			"heddle: note: the trace cannot be signed with your key, so heddle replay needs --trust: "
			"%s\n",
			problem);
	return code;
}

static int start(const struct run_options *settings, struct trace *trace, struct control *control, const char *path,
		 struct err *err)
{
	struct control_setup setup = { .trace_path = path, .quiet_seconds = run_number_or(settings->request.hang, 0) };
	identity_add_program(trace);
	int code = control_start(control, trace, &setup, err);
	if (code == 0)
		code = control_finish(control, trace, err);
	if (code == 0 && !control->channel->is_started)
		code = control_not_started(trace, err);
	return code;
}

/* What was detected is described from a second pass over the run, which needs its trace, wanted or not. */
static int run(const struct run_options *settings, struct trace *trace, struct control *control,
	       struct suppressions *suppressions, struct err *err)
{
	struct sandbox sandbox = { 0 };
	char *path = settings->trace ? mem_copy_string(settings->trace) : NULL;
	int code = 0;
	if (settings->request.is_detecting && !settings->is_brief && !path) {
		code = sandbox_make(&sandbox, err);
		path = mem_format("%s/trace", sandbox.path ? sandbox.path : "");
	}
	if (code == 0)
		code = start(settings, trace, control, path, err);
	if (code == 0) {
		print_summary(settings, trace, control);
		run_warn_idle(&settings->request, trace);
	}
	if (code == 0 && path)
		code = write_trace(settings, path, trace, control, err);
	if (code == 0 && settings->request.is_detecting)
		print_detected(trace, settings->is_brief ? NULL : path, suppressions);
	sandbox_remove(&sandbox);
	free(path);
	if (code == 0 && !control->channel->is_main &&
	    (trace->result.outcome == HEDDLE_OUTCOME_NONE || trace->result.outcome == HEDDLE_OUTCOME_SIGNAL))
		code = err_set(err, ECHILD, "the program ended before its main started");
	return code;
}

int run_control(const struct run_options *settings)
{
	struct err err = ERR_INIT;
	struct trace trace;
	struct control control;
	struct suppressions suppressions = { 0 };
	int status = EXIT_CANNOT;
	trace_init(&trace);
	control_init(&control);
	int code = settings->request.is_detecting ? suppressions_read(&suppressions, &settings->suppressions, &err) : 0;
	if (code == 0)
		code = run_describe(&trace, &settings->request, &err);
	if (code == 0)
		code = run(settings, &trace, &control, &suppressions, &err);
	else if (code == -EINVAL)
		status = EXIT_USAGE;
	if (code < 0)
		err_print(&err, "heddle");
	bool is_program_end = code == 0 && outcome_is_program_end(&trace.result, &status);
	int wait_status = trace.result.wait_status;
	control_release(&control);
	trace_free(&trace);
	suppressions_release(&suppressions);
	if (is_program_end)
		launch_end(wait_status);
	return status;
}
