/*
 * replay.c: heddle replay: runs a program again exactly as a trace says, and checks that it did. Nothing is requested
 * from outside; the program's output appears as in the run.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/replay.h"
#include "cmd/replay_gdb.h"
#include "judge/outcome.h"
#include "judge/store_use.h"
#include "launch/control.h"
#include "launch/launch.h"
#include "narrate/columns.h"
#include "narrate/detected.h"
#include "narrate/narrate.h"
#include "symbols/identity.h"
#include "trace/report.h"

static struct {
	const char *path, *store, *color, *order;
	bool is_columns, is_stats, is_gdb, is_exec, is_trusted;
	uint64_t from, to, hang, stop;
	bool is_finding;        /* the operand names one ... */
	uint64_t event;         /* ... which shows at this event; 0: at the end */
	char *marks;            /* where the accesses of a classified race are in this run; null: not known */
	struct finding finding; /* its kind and sites */
} settings = { .from = UINT64_MAX, .to = UINT64_MAX, .hang = UINT64_MAX, .stop = UINT64_MAX };

static const char *const order_words[] = { "other", "seen", NULL };

/* A run that hung does so again: after this many seconds of processor time without an event. */
#define HANG_SECONDS 5u

static bool is_given(uint64_t number)
{
	return number != UINT64_MAX;
}

/* A run that was ended from outside has no end of its own to compare: the replay goes as far as the log does. */
static bool was_cut(const struct trace *recorded)
{
	return recorded->result.outcome == HEDDLE_OUTCOME_NONE;
}

/* A thread computed for so long that the run was ended; in the replay, which had more time, it came to its next event. */
static bool has_gone_on(const struct trace *recorded, const struct trace_result *now)
{
	return recorded->result.outcome == HEDDLE_OUTCOME_HANG && now->outcome == HEDDLE_OUTCOME_PREFIX &&
	       now->event_count >= recorded->result.event_count;
}

static int differs(const struct trace *recorded, const char *what, const char *now, const char *then, struct err *err)
{
	if (identity_runtime_differs(recorded))
		err_hint(err, "the trace was recorded by another build of Heddle; replay it with that build");
	else
		err_hint(err, "please report this: a replay that differs is a bug in Heddle, unless the machine "
			      "differs or the program itself uses rdrand, rdseed or cpuid");
	return err_set(err, EINVAL, "the replay differs from the recorded run: %s is %s, not %s", what, now, then);
}

static int compare_numbers(const struct trace *recorded, const char *what, const char *format, uint64_t now,
			   uint64_t then, struct err *err)
{
	char now_text[32], then_text[32];
	if (now == then)
		return 0;
	/* The formats are ours. */
	snprintf(now_text, sizeof now_text, format[0] == 'x' ? "%016" PRIx64 : "%" PRIu64, now);
	snprintf(then_text, sizeof then_text, format[0] == 'x' ? "%016" PRIx64 : "%" PRIu64, then);
	return differs(recorded, what, now_text, then_text, err);
}

static int compare(const struct trace *recorded, const struct trace_result *now, struct err *err)
{
	const struct trace_result *then = &recorded->result;
	struct buf now_words = { 0 }, then_words = { 0 };
	int code = 0;
	if (was_cut(recorded)) {
		if (now->event_count < then->event_count)
			return compare_numbers(recorded, "the number of events", "u", now->event_count,
					       then->event_count, err);
		fprintf(stderr, "heddle: the recorded run was killed from outside after %" PRIu64 " events\n",
			then->event_count);
		return 0;
	}
	if (has_gone_on(recorded, now)) {
		if (!outcome_is_open(recorded))
			fprintf(stderr,
				"heddle: the recorded run was ended as a hang there, and the replay is not one\n");
		return 0;
	}
	if (now->outcome == HEDDLE_OUTCOME_REFUSED && then->outcome != now->outcome)
		return err_set(err, ENOTSUP, "the run cannot be replayed");
	outcome_words(&now_words, now);
	outcome_words(&then_words, then);
	if (strcmp(now_words.data, then_words.data) != 0)
		code = differs(recorded, "the outcome", now_words.data, then_words.data, err);
	if (code == 0)
		code = compare_numbers(recorded, "the number of events", "u", now->event_count, then->event_count, err);
	if (code == 0)
		code = compare_numbers(recorded, "the event hash", "x", now->event_hash, then->event_hash, err);
	if (code == 0)
		code = compare_numbers(recorded, "the output hash", "x", now->output_hash, then->output_hash, err);
	/* What became of another program is not part of the run. */
	if (code == 0 && then->outcome != HEDDLE_OUTCOME_EXEC)
		code = compare_numbers(recorded, "the wait status", "u", (uint32_t)now->wait_status,
				       (uint32_t)then->wait_status, err);
	buf_release(&now_words);
	buf_release(&then_words);
	return code;
}

/* Whether there was detection, so that there may be more to report than how it ended. */
static bool is_reported(const struct trace *now)
{
	return now->request.flags & HEDDLE_CONTROL_DETECT && now->result.outcome != HEDDLE_OUTCOME_DIVERGED;
}

/* The two accesses that the verdict is about: others of the same lines may race in the run, too. Returns whether they are known. */
static bool mark_instance(struct narrate_marks *marks, const struct timeline *timeline)
{
	uint64_t at[2] = { 0 };
	uint32_t threads[2] = { 0 };
	if (!settings.marks || sscanf(settings.marks, "%" SCNu32 "@%" SCNu64 " %" SCNu32 "@%" SCNu64, &threads[0],
				      &at[0], &threads[1], &at[1]) != 4)
		return false;
	for (size_t i = 0; i < 2; i++) {
		const uint64_t event = at[i] ? timeline_event_of(timeline, threads[i], at[i]) : 0;
		if (event)
			marks->items[marks->count++] = (struct columns_mark){ .event = event };
	}
	return marks->count > 0;
}

/* What was found in the run, or the finding that was settings for, is marked. */
static void mark_found(struct narrate_marks *marks, struct judge *judge, const struct timeline *timeline)
{
	if (mark_instance(marks, timeline))
		return;
	const struct finding *wanted =
		settings.is_finding ? findings_matching(&judge->findings, &settings.finding) : NULL;
	for (size_t i = 0; i < judge->findings.count; i++)
		if (!wanted || judge->findings.items[i] == wanted)
			narrate_add_marks(marks, judge->findings.items[i], timeline);
}

static int show_columns(const struct trace *now, const struct control *control, struct err *err)
{
	struct timeline timeline;
	struct layout layout;
	struct buf out = { 0 };
	struct narrate_marks marks = { .count = 0 };
	struct judge judge = { .is_checked = true };
	struct columns_request request = {
		.range = { is_given(settings.from) ? settings.from : 0, is_given(settings.to) ? settings.to : 0 },
		.marks = marks.items,
		.names = marks.names,
	};
	int code = timeline_take(&timeline, now, control->channel, err);
	layout_init(&layout, 1, settings.color);
	if (code == 0) {
		if (is_reported(now))
			detected_find(&judge, &now->result, &timeline.report, settings.path);
		mark_found(&marks, &judge, &timeline);
		request.mark_count = marks.count;
		request.name_count = marks.name_count;
		columns_add(&out, &timeline, &request, &layout);
		fwrite(out.data, 1, out.size, stdout);
		fflush(stdout);
	}
	timeline_release(&timeline);
	judge_release(&judge);
	buf_release(&out);
	return code;
}

/* A finding in full. How a failed run ended has already been reported. */
static void print_finding(struct buf *out, struct narrator *narrator, const struct finding *finding,
			  const struct timeline *timeline)
{
	if (finding->evidence.origin == FINDING_OF_END) {
		narrate_sources(out, narrator, finding->evidence.sites, finding->evidence.site_count);
	} else {
		narrate_head(out, narrator, "heddle:", finding, finding->presentation.summary.data, NULL);
		narrate_details(out, narrator, finding->presentation.details.data, finding->evidence.sites,
				finding->evidence.site_count, finding_act(finding, FINDING_FREED, 0));
	}
	if (timeline->count)
		narrate_threads(out, narrator, finding, timeline, NARRATE_ROWS_FEW);
	narrate_advice(out, narrator, finding, timeline->count ? timeline : NULL, NULL);
}

/* All that was found in the run; of a finding that was settings for by its id, that one, and of the others that they are there. */
static void print_findings(struct buf *out, const struct trace *now)
{
	struct judge judge = { .is_checked = true };
	struct timeline timeline_again = { .count = 0 };
	struct narrator narrator;
	struct report report;
	struct err err = ERR_INIT;
	report_parse(&report, now->report.data ? now->report.data : "", now->report.size);
	detected_find(&judge, &now->result, &report, settings.path);
	const struct finding *wanted =
		settings.is_finding ? findings_matching(&judge.findings, &settings.finding) : NULL;
	narrator_init(&narrator, 2, settings.color, now->program);
	if (judge.findings.count && timeline(&timeline_again, settings.path, settings.event, 0, &err) < 0) {
		timeline_release(&timeline_again);
		buf_format(out, "heddle: the threads cannot be shown: %s\n", err.message);
	}
	for (size_t i = 0; i < judge.findings.count; i++) {
		const struct finding *finding = judge.findings.items[i];
		if (!wanted || finding == wanted)
			print_finding(out, &narrator, finding, &timeline_again);
		else if (finding->evidence.origin != FINDING_OF_END)
			buf_format(out, "heddle: also in this run: %s\n", finding->presentation.summary.data);
	}
	timeline_release(&timeline_again);
	narrator_release(&narrator);
	report_release(&report);
	judge_release(&judge);
}

static void print_outcome(const struct trace *now)
{
	struct buf out = { 0 };
	if (trace_is_hypothetical(now))
		buf_add_string(&out,
			       "heddle: hypothetical: recorded with --without, so some synchronisation is skipped\n");
	outcome_report(&out, now);
	if (is_reported(now) && settings.is_columns)
		detected_report(&out, now, settings.path, NULL);
	else if (is_reported(now))
		print_findings(&out, now);
	if (settings.is_stats) {
		struct buf stats = { 0 };
		outcome_stats(&stats, &now->result);
		const char *numbers = outcome_is_open(now) ? strchr(stats.data, ';') : NULL;
		buf_format(&out, "heddle: %s%s\n", numbers ? "cut off" : "", numbers ? numbers : stats.data);
		buf_release(&stats);
	}
	err_show(&out);
	buf_release(&out);
}

/* Whether it left its path, and the runtime has a note that begins like this. */
static bool has_diverged_with(const struct trace *now, const char *note)
{
	return now->result.outcome == HEDDLE_OUTCOME_DIVERGED && now->report.size && strstr(now->report.data, note);
}

/* now: a copy of recorded that gets a result, a report and a log of its own. */
static int run(const struct trace *recorded, struct trace *now, struct control *control, struct err *err)
{
	struct control_setup setup = {
		.flags = settings.is_columns ? HEDDLE_CONTROL_DISCARD | HEDDLE_CONTROL_STEPS : 0,
		.is_detailed = settings.is_columns,
		.is_replay = true,
		.is_become = settings.is_exec,
		.quiet_seconds = is_given(settings.hang) ? settings.hang : 0,
	};
	if (recorded->result.outcome == HEDDLE_OUTCOME_HANG && !is_given(settings.hang))
		setup.quiet_seconds = HANG_SECONDS;
	int code = control_start(control, now, &setup, err);
	now->log_fd = -1;
	if (code == 0)
		code = control_finish(control, now, err);
	/* A log that is damaged at its start ends the run before it begins. */
	if (code == 0 && !control->channel->is_started && now->result.outcome == HEDDLE_OUTCOME_NONE)
		return control_not_started(now, err);
	if (code < 0)
		return code;
	if (settings.is_columns)
		code = show_columns(now, control, err);
	if (outcome_is_open(recorded) &&
	    (now->result.outcome == recorded->result.outcome || has_gone_on(recorded, &now->result)))
		outcome_add_open(&now->report);
	if (!was_cut(recorded) || settings.is_stats)
		print_outcome(now);
	if (code == 0 && has_diverged_with(now, "note the log of the trace is damaged:")) {
		err_hint(err, "copy it again from its origin, or record it again with heddle run --trace");
		return err_set(err, EINVAL, "the trace \"%s\" cannot be replayed: its log is damaged", settings.path);
	}
	if (code == 0 && has_diverged_with(now, "note the program shares memory with other processes:") &&
	    !identity_runtime_differs(recorded)) {
		err_hint(err, "runs that wait for another process by other means, such as a pipe, can be replayed");
		return err_set(
			err, ENOTSUP,
			"the trace \"%s\" cannot be replayed: the run depends on what another process wrote to shared "
			"memory",
			settings.path);
	}
	return code == 0 ? compare(recorded, &now->result, err) : code;
}

static int replay(struct trace *recorded, struct err *err)
{
	struct control control;
	struct trace now = *recorded;
	control_init(&control);
	now.report = (struct buf){ 0 };
	int code = run(recorded, &now, &control, err);
	if (now.log_fd >= 0)
		close(now.log_fd);
	buf_release(&now.report);
	control_release(&control);
	return code;
}

/* What can be wrong without the trace. */
static int check_options(struct err *err)
{
	if ((is_given(settings.from) || is_given(settings.to)) && !settings.is_columns)
		return err_set(err, EINVAL, "--from and --to require --columns");
	if (is_given(settings.stop) && !settings.is_gdb)
		return err_set(err, EINVAL, "--at requires --gdb");
	if (settings.is_columns + settings.is_gdb + settings.is_exec > 1)
		return err_set(err, EINVAL, "--columns, --gdb and --exec cannot be combined");
	if (settings.from == 0 || settings.to == 0 || settings.stop == 0)
		return err_set(err, EINVAL, "events are numbered from 1");
	if (is_given(settings.from) && is_given(settings.to) && settings.from > settings.to)
		return err_set(err, EINVAL, "--from %" PRIu64 " is after --to %" PRIu64, settings.from, settings.to);
	if (settings.hang == 0)
		return err_set(err, EINVAL, "--hang must be at least 1 second");
	if (settings.order && strcmp(settings.order, order_words[0]) != 0 &&
	    strcmp(settings.order, order_words[1]) != 0)
		return err_set(err, EINVAL, "--order expects other or seen, not \"%s\"", settings.order);
	return layout_check_color(settings.color, err);
}

static int check_range(const struct trace *recorded, struct err *err)
{
	uint64_t count = recorded->result.event_count, event = is_given(settings.from) ? settings.from : settings.stop;
	if (is_given(event) && event > count)
		return err_set(err, EINVAL, "--%s %" PRIu64 ": the run has %" PRIu64 " event%s",
			       event == settings.stop ? "at" : "from", event, count, count == 1 ? "" : "s");
	return 0;
}

/* A program that cannot be controlled, or is not the one that was recorded, must not run. */
static int check_program(const struct trace *recorded, struct err *err)
{
	char *path = NULL;
	int code = launch_find(recorded->program, &path, err);
	free(path);
	return code == 0 ? identity_check(recorded, err) : code;
}

int replay_check(const char *path, struct err *err)
{
	struct trace recorded;
	trace_init(&recorded);
	int code = trace_read(path, &recorded, err);
	if (code == 0)
		code = control_check_maker(&recorded, err);
	if (code == 0)
		code = check_program(&recorded, err);
	trace_free(&recorded);
	return code;
}

static void say_input(const char *input)
{
	char *shown = text_terminal_copy(input);
	fprintf(stderr, "heddle: note: this run of the program has another input than the test: %s\n", shown);
	free(shown);
}

/* The path that the operand is, or that of the finding that it names; a file is a file. Caller frees. */
static int find_path(const char *operand, char **path, struct err *err)
{
	int64_t id = store_parse_id(operand);
	if (id && access(operand, F_OK) < 0) {
		settings.is_finding = true;
		char *input = NULL;
		const enum store_order order = !settings.order            ? STORE_ORDER_SHOWN
					       : settings.order[0] == 'o' ? STORE_ORDER_OTHER
									  : STORE_ORDER_SEEN;
		int code = store_find_order(settings.store, id, order, path, &settings.event, &input, &settings.marks,
					    err);
		if (input)
			say_input(input);
		free(input);
		return code == 0 ? store_find_sites(settings.store, id, &settings.finding, err) : code;
	}
	if (settings.order)
		return err_set(err, EINVAL, "--order requires the id of a finding, such as H1");
	*path = mem_copy_string(operand);
	return 0;
}

static int usage(struct err *err)
{
	err_hint(err, "heddle replay --help");
	err_print(err, "heddle");
	return EXIT_USAGE;
}

/* Whether the finding that was settings for is one of detection, and not of how the run ended or of its locks. */
static bool is_detected(void)
{
	return settings.is_finding && settings.event &&
	       (settings.finding.identity.kind == FINDING_DATA_RACE ||
		settings.finding.identity.kind == FINDING_MEMORY_ERROR);
}

static int become_gdb(const struct trace *recorded, char **arguments, struct err *err)
{
	bool is_at = is_given(settings.stop);
	struct replay_gdb gdb = {
		.path = settings.path,
		.recorded = recorded,
		.stop_at = is_at           ? settings.stop
			   : is_detected() ? 0
					   : settings.event,
		.found_at = is_detected() ? settings.event : 0,
		.is_end = !is_at && settings.is_finding && !settings.event,
		.hang_seconds = is_given(settings.hang) ? settings.hang : 0,
		.is_trusted = settings.is_trusted,
		.arguments = arguments,
	};
	return replay_gdb(&gdb, err);
}

static int replay_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct trace recorded;
	int status = EXIT_CANNOT;
	trace_init(&recorded);
	if (count > 1 && !settings.is_gdb && !settings.is_exec)
		err_set(&err, EINVAL, "heddle replay: unexpected operand \"%s\"", operands[1]);
	if (check_options(&err) < 0 || err.message[0])
		return usage(&err);
	char *path = NULL;
	int code = find_path(operands[0], &path, &err);
	settings.path = path;
	if (code == 0)
		code = trace_read(path, &recorded, &err);
	if (code == 0 && check_range(&recorded, &err) < 0) {
		trace_free(&recorded);
		free(path);
		return usage(&err);
	}
	if (code == 0 && settings.is_trusted)
		code = trace_accept(&recorded, &err);
	if (code == 0)
		code = control_check_maker(&recorded, &err);
	if (code == 0)
		code = check_program(&recorded, &err);
	if (code == 0 && settings.is_gdb)
		code = become_gdb(&recorded, operands + 1, &err);
	else if (code == 0)
		code = replay(&recorded, &err);
	if (code < 0)
		err_print(&err, "heddle");
	bool is_program_end = code == 0 && outcome_is_program_end(&recorded.result, &status);
	if (code == 0 && outcome_is_open(&recorded))
		status = EXIT_FOUND_NOTHING;
	int wait_status = recorded.result.wait_status;
	trace_free(&recorded);
	finding_clear(&settings.finding);
	free(settings.marks);
	free(path);
	if (is_program_end)
		launch_end(wait_status);
	return status;
}

static const struct opt_values values[] = {
	{ "color", layout_colors },
	{ "order", order_words },
	{ NULL, NULL },
};

static const struct opt options[] = {
	{ "columns", NULL, "show the interleaving, one column per thread, instead of the program's output", OPT_FLAG,
	  &settings.is_columns },
	{ "from", "EVENT", "with --columns: the first event to show (default: 1, or one near the end of a long run)",
	  OPT_NUMBER, &settings.from },
	{ "to", "EVENT", "with --columns: the last event to show", OPT_NUMBER, &settings.to },
	{ "hang", "SECONDS",
	  "end after SECONDS of processor time without an event, when replaying a hang (default for a hang: 5)",
	  OPT_NUMBER, &settings.hang },
	{ "gdb", NULL,
	  "run under gdb, which stops at the failure and can restart the replay; GDB-ARGUMENTS are "
	  "passed to gdb",
	  OPT_FLAG, &settings.is_gdb },
	{ "at", "EVENT", "with --gdb: stop first before this event", OPT_NUMBER, &settings.stop },
	{ "stop", "EVENT", NULL, OPT_NUMBER, &settings.stop },
	{ "exec", NULL,
	  "become the program, for other debuggers: the outcome is not compared, and arguments after TRACE are "
	  "ignored",
	  OPT_FLAG, &settings.is_exec },
	{ "order", "WORD",
	  "of a classified data race: other, for a run with its accesses in the other order than without this option; "
	  "seen, for the run in which it was found, which heddle show describes",
	  OPT_TEXT, &settings.order },
	{ "trust", NULL,
	  "replay a trace that your Heddle did not record: this runs the program and arguments "
	  "named in it",
	  OPT_FLAG, &settings.is_trusted },
	OPT_ROW_COLOR(&settings.color),
	{ "stats", NULL, "print the outcome and the number of events, switches and threads", OPT_FLAG,
	  &settings.is_stats },
	OPT_ROW_STORE(&settings.store),
	OPT_END,
};

const struct command command_replay = {
	.name = "replay",
	.operands = "TRACE|ID [-- GDB-ARGUMENTS]",
	.summary = "repeat a recorded run exactly",
	.details = "Instead of a trace, name a finding of heddle list, such as H1, to replay its best evidence.\n"
		   "Of a data race that was classified as harmful, that is a run that ends in the failure.\n\n"
		   "The program and its libraries must be the recorded ones; its input files, network and terminal "
		   "are not needed.\n"
		   "If the run was recorded with --detect or by heddle test, the replay detects the same races and "
		   "memory errors\n"
		   "and reports them.\n\n"
		   "The exit status is that of the run, 0 if the recorded schedule was cut off, or 3 if it could not "
		   "be replayed; with --gdb it is that of "
		   "gdb.",
	.options = options,
	.is_foreign = &settings.is_gdb,
	.foreign_hint = "arguments for gdb go after --: heddle replay H1 --gdb -- -batch -ex bt",
	.operand_kind = OPERAND_FINDING_OR_FILE,
	.values = values,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.run = replay_main,
};
