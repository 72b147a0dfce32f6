/*
 * train.c: heddle train: runs a program in parallel, learns which access of another thread may come before each access, and keeps
 * that for heddle guard. Also merges training data.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"
#include "campaign/train.h"
#include "cmd/opt.h"
#include "cmd/outputs.h"
#include "cmd/stop.h"
#include "explore/planner.h"
#include "narrate/training.h"
#include "store/store.h"

enum { PLOT_WIDTH = 60, PLOT_HEIGHT = 6, RUNS_DEFAULT = 200 };

static struct {
	struct training_request request;
	const char *store, *file;
	struct outputs outputs; /* --html and --json */
	bool is_merge, is_fresh, is_quiet;
} asked = { .request = { .runs = UINT64_MAX } };

static volatile sig_atomic_t is_stopped;

static int cannot(const struct err *err, int status)
{
	err_print(err, "heddle");
	return status;
}

/* The height of a column is that of the largest run in it. */
static void print_plot(const uint64_t *gains, size_t count)
{
	uint64_t columns[PLOT_WIDTH] = { 0 }, most = 1;
	size_t width = count < PLOT_WIDTH ? count : PLOT_WIDTH;
	for (size_t i = 0; i < count; i++) {
		uint64_t *column = &columns[i * width / count];
		*column = gains[i] > *column ? gains[i] : *column;
		most = *column > most ? *column : most;
	}
	int height = most < PLOT_HEIGHT ? (int)most : PLOT_HEIGHT;
	printf("  new members per run:\n");
	for (int row = height; row >= 1; row--) {
		if (row == height)
			printf("  %8" PRIu64 " |", most);
		else
			printf("           |");
		for (size_t i = 0; i < width; i++)
			putchar(columns[i] * (uint64_t)height > most * (uint64_t)(row - 1) ? '#' : ' ');
		putchar('\n');
	}
	printf("         0 +");
	for (size_t i = 0; i < width; i++)
		putchar('-');
	printf("\n            run 1 to %zu\n", count);
}

static const char *const judgement_words[TRAINING_JUDGEMENTS] = {
	[TRAINING_CORRECT] = "correct",
	[TRAINING_STATUS] = "with another exit status",
	[TRAINING_SIGNAL] = "ended by a signal",
	[TRAINING_CHECK] = "rejected by the check",
	[TRAINING_HARM] = "with a harmful finding",
	[TRAINING_LONG] = "too long",
	[TRAINING_LOST] = "that could not be controlled",
	[TRAINING_CUT] = "cut off at the end",
};

/* How to have more runs depends on what ended the training. */
static void print_not_converged(const struct training *training)
{
	static const char *const advice[] = {
		[TRAINING_RUNS] = "--runs N allows more runs",
		[TRAINING_TIME] = "time ran out: train again, which adds to these data, or with a longer --time",
		[TRAINING_STOPPED] = "stopped by a signal",
	};
	bool is_one = training->end == TRAINING_TIME && training->run_count == 1;
	if (!training->quiet_count)
		printf("  not converged: the last correct run added members; ");
	else if (training->quiet_count == 1)
		printf("  not converged: only the last correct run added nothing; ");
	else
		printf("  not converged: only the last %" PRIu64 " correct runs added nothing; ",
		       training->quiet_count);
	puts(is_one ? "it was the only one, since it took all of --time: train again, which adds to these data"
		    : advice[training->end]);
}

static void print_runs(const struct training *training, bool has_end)
{
	printf("  runs: %" PRIu64 ", %" PRIu64 " correct", training->run_count, training->correct_count);
	for (int i = TRAINING_CORRECT + 1; i < TRAINING_JUDGEMENTS; i++)
		if (training->counts[i])
			printf(", %" PRIu64 " %s", training->counts[i], judgement_words[i]);
	putchar('\n');
	if (!has_end)
		return;
	if (training->end == TRAINING_CONVERGED)
		printf("  converged: the last %" PRIu64 " correct runs added nothing\n", training->quiet_count);
	else if (training->correct_count)
		print_not_converged(training);
}

/* Where the members come from, if there is more than one kind. */
static void print_kinds(const struct training *training)
{
	static const char *const words[TRAINING_KINDS] = { "without delays", "with delays", "guarded",
							   "under control" };
	const char *before = "  members added: ";
	for (int kind = 0; kind < TRAINING_KINDS; kind++)
		if (training->kind_counts[kind]) {
			printf("%s%" PRIu64 " by %" PRIu64 " run%s %s", before, training->kind_gains[kind],
			       training->kind_counts[kind], training->kind_counts[kind] == 1 ? "" : "s", words[kind]);
			before = ", ";
		}
	putchar('\n');
	if (training->no_control && !asked.request.is_native) {
		char *shown = text_terminal_copy(training->no_control);
		printf("  no %scontrolled schedules: %s\n", training->kind_counts[TRAINING_CONTROLLED] ? "more " : "",
		       shown);
		free(shown);
	}
	if (training->violations)
		printf("  relaxed: new orders in guarded runs: %" PRIu64
		       "; of these occurred, and are now allowed: %" PRIu64 "\n",
		       training->violations, training->joined);
}

static void print_first_failure(const struct training *training)
{
	if (!training->first_failure)
		return;
	struct buf shown = { 0 };
	fprintf(stderr, "heddle: the first run that is not correct: %s\n", training->first_failure);
	if (training->failure_output.size)
		text_terminal_lines(&shown, training->failure_output.data);
	err_show(&shown);
	buf_release(&shown);
}

static void print_lost(const struct training *training)
{
	struct buf left = { 0 };
	if (training->lost_histories)
		printf("  lost: %" PRIu64 " histories, because a run had more than %u\n", training->lost_histories,
		       HEDDLE_HISTORIES);
	if (training->lost_objects)
		printf("  lost: %" PRIu64 " notes about libraries, because there were more than %u\n",
		       training->lost_objects, HEDDLE_GUARD_OBJECTS);
	if (training->displaced)
		printf("  forgotten: the earlier accesses of %" PRIu64 " cells, because a run used too many\n",
		       training->displaced);
	if (training->damaged_count)
		printf("  dropped: %" PRIu64 " histories that the program has overwritten\n", training->damaged_count);
	keeper_describe(&left, &training->left);
	err_show(&left);
	buf_release(&left);
}

static void print_totals(const struct learned *learned, const char *path)
{
	struct learned_totals totals = learned_totals(learned);
	char *shown = text_terminal_copy(path);
	printf("  places: %" PRIu32 ", %" PRIu32 " to guard; histories: %zu; members of belonging sets: %" PRIu64 "\n",
	       totals.places, totals.selected, learned->history_count, totals.members);
	if (!totals.selected)
		printf("  no two threads accessed the same memory: there is nothing to guard\n");
	printf("  training data: \"%s\", from %" PRIu64 " correct runs\n", shown, learned->run_count);
	free(shown);
}

static void on_run(void *context, const struct training_run *run)
{
	(void)context;
	if (!asked.is_quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\rheddle: run %" PRIu64 ": %s, %" PRIu64 " new members   ", run->number,
			judgement_words[run->judgement], run->gain);
}

static int no_correct_run(const struct training *training, struct err *err)
{
	if (training->counts[TRAINING_CUT] == training->run_count)
		err_hint(err, "a program that SIGTERM ends is correct with --status 143; one that ends by itself needs "
			      "more --time");
	else if (training->counts[TRAINING_CHECK])
		err_hint(err, "check what --check expects: it reads the output on standard input, and the status in "
			      "HEDDLE_EXIT");
	else
		err_hint(err, "a correct run exits with 0; --status N sets another status");
	return err_set(err, ECANCELED, "none of %" PRIu64 " runs was correct, so nothing was learned",
		       training->run_count);
}

/* Reads what earlier trainings have learned. */
static int read_old(struct learned *learned, const char *path, struct err *err)
{
	if (asked.is_fresh || access(path, F_OK) < 0)
		return 0;
	return learned_read(learned, path, err);
}

static int write_outputs(const struct learned *learned, char **program, const char *path, struct err *err)
{
	struct buf json = { 0 };
	training_document(&json, learned, program, path);
	int code = outputs_write_own(&asked.outputs, &json, err);
	buf_release(&json);
	return code;
}

static int train(char **program, const char *path, struct learned *learned, struct err *err)
{
	asked.request.program = program;
	struct training training = {
		.request = &asked.request, .learned = learned, .is_stopped = &is_stopped, .took = on_run
	};
	stop_catch(&is_stopped);
	int code = training_serve(&training, err);
	if (!asked.is_quiet && isatty(STDERR_FILENO) && training.run_count)
		fputs("\r\033[K", stderr);
	print_first_failure(&training);
	/* What correct runs have shown is kept, whatever happened after them. */
	if (training.correct_count) {
		struct err second = ERR_INIT;
		int written = learned_write(learned, path, &second);
		if (written < 0 && code == 0) {
			*err = second;
			code = written;
		}
	} else if (code == 0) {
		code = no_correct_run(&training, err);
	}
	if (training.run_count) {
		char *shown = text_terminal_copy(program[0]);
		printf("heddle train: %s\n", shown);
		free(shown);
		print_runs(&training, code == 0);
		print_lost(&training);
	}
	if (training.correct_count) {
		print_kinds(&training);
		if (!asked.is_quiet)
			print_plot(learned->gains + learned->gain_count - training.correct_count,
				   (size_t)training.correct_count);
		print_totals(learned, path);
	}
	if (training.correct_count && code == 0 && outputs_is_any(&asked.outputs))
		code = write_outputs(learned, program, path, err);
	training_release(&training);
	return code;
}

/* What the files have together. */
static int read_all(char **files, size_t count, struct learned *all, struct err *err)
{
	int code = 0;
	for (size_t i = 0; i < count && code == 0; i++) {
		struct learned one = { 0 };
		code = learned_read(&one, files[i], err);
		if (code < 0 && files[i][0] == '-')
			err_hint(err, "options come before the files: heddle train --merge --training=FILE FILE...");
		if (code == 0)
			learned_merge(all, &one);
		learned_release(&one);
	}
	return code;
}

/* Runs are counted: those of a file that is merged with itself would be counted twice. */
static int check_different(const char *path, char **files, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const char *other = !asked.is_fresh && path_is_same_file(files[i], path) ? path : NULL;
		for (size_t j = 0; j < i && !other; j++)
			other = path_is_same_file(files[i], files[j]) ? files[j] : NULL;
		if (!other)
			continue;
		char *shown = text_terminal_copy(files[i]), *known = text_terminal_copy(other);
		if (other == path)
			err_hint(err, "name only the files that it lacks, or another file with --training");
		err_set(err, EINVAL,
			other == path ? "\"%s\" cannot be merged into itself, \"%s\""
				      : "\"%s\" is named twice, also as \"%s\"",
			shown, known);
		free(known);
		free(shown);
		return -EINVAL;
	}
	return 0;
}

/* The file of the training data: asked for, or that of the program in the store, whose folder is made. Caller frees; null with err set. */
static char *find_path(const char *program, struct err *err)
{
	if (asked.file)
		return mem_copy_string(asked.file);
	char *path = learned_path(store_folder(asked.store), program);
	if (learned_make_folder(path, err) == 0)
		return path;
	free(path);
	return NULL;
}

/* With the lock held: reads the existing data, and adds to them. */
static int add_to(const char *path, char **operands, size_t count, const struct learned *merged, struct err *err)
{
	struct learned learned = { 0 };
	int lock = learned_lock(path, err);
	int code = lock < 0 ? lock : read_old(&learned, path, err);
	if (code == 0 && !asked.is_merge)
		code = train(operands, path, &learned, err);
	if (code == 0 && asked.is_merge) {
		learned_merge(&learned, merged);
		code = learned_write(&learned, path, err);
		if (code == 0) {
			printf("heddle train: merged %zu file%s\n", count, count == 1 ? "" : "s");
			print_totals(&learned, path);
		}
	}
	if (lock >= 0)
		learned_unlock(path, lock);
	learned_release(&learned);
	return code;
}

static int check_usage(struct err *err)
{
	const struct training_request *request = &asked.request;
	if (asked.is_merge &&
	    (request->check || request->input || request->seconds || request->switched || request->is_relaxing ||
	     request->status || request->run_seconds || request->runs != UINT64_MAX || request->is_native ||
	     request->strategy || outputs_is_any(&asked.outputs)))
		return err_set(err, EINVAL, "--merge runs nothing, and takes only --training, --fresh and --store");
	if (request->runs == 0)
		return err_set(err, EINVAL, "--runs must be at least 1");
	if (outputs_has_stdout(&asked.outputs))
		return err_set(err, EINVAL, "name a file for --html and --json: standard output has the report");
	if (request->is_native && request->strategy)
		return err_set(err, EINVAL, "--native has no controlled schedules that could have a --strategy");
	if (request->status > 255)
		return err_set(err, EINVAL, "--status must be at most 255");
	return planner_check_name(request->strategy, err);
}

static int train_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct learned merged = { 0 };
	if (check_usage(&err) < 0)
		return cannot(&err, EXIT_USAGE);
	if (asked.request.runs == UINT64_MAX)
		asked.request.runs = RUNS_DEFAULT;
	int code = asked.is_merge ? read_all(operands, count, &merged, &err) : outputs_open(&asked.outputs, &err);
	const char *program = merged.program ? merged.program : operands[0];
	char *path = code == 0 ? find_path(program, &err) : NULL;
	code = path && asked.is_merge ? check_different(path, operands, count, &err) : path ? 0 : -1;
	if (code == 0)
		code = add_to(path, operands, count, &merged, &err);
	learned_release(&merged);
	outputs_release(&asked.outputs);
	free(path);
	return code < 0 ? cannot(&err, EXIT_CANNOT) : EXIT_FOUND_NOTHING;
}

static const struct opt options[] = {
	{ "runs", "N", "maximum number of runs (default: 200)", OPT_NUMBER, &asked.request.runs },
	{ "time", "SECONDS", "stop after SECONDS seconds; the run in progress then gets SIGTERM", OPT_NUMBER,
	  &asked.request.seconds },
	OPT_ROW_CHECK(&asked.request.check),
	{ "status", "N",
	  "exit status of a correct run (default: 0); 143: also when SIGTERM ended it at the end of --time", OPT_NUMBER,
	  &asked.request.status },
	{ "hang", "SECONDS",
	  "end a run that takes longer (default: 20 times as long as the longest correct one, or as the longest that "
	  "ended if none was correct yet, at least 60 seconds; no limit until a run has ended)",
	  OPT_NUMBER, &asked.request.run_seconds },
	{ "input", "FILE", "standard input of each run (default: none)", OPT_TEXT, &asked.request.input },
	{ "training", "FILE",
	  "training data to add to, or to create (default: training/NAME in the store, for the name of the program)",
	  OPT_TEXT, &asked.file },
	{ "fresh", NULL, "replace the training data instead of adding to them", OPT_FLAG, &asked.is_fresh },
	{ "merge", NULL,
	  "run nothing: the operands are files of training data, whose contents are added to the file of --training",
	  OPT_FLAG, &asked.is_merge },
	{ "relax", NULL, "guard every third native run, and allow the new orders of those that were correct", OPT_FLAG,
	  &asked.request.is_relaxing },
	{ "strategy", "NAME",
	  "strategy of the controlled schedules, as in heddle test (default: portfolio, which uses several in turn)",
	  OPT_TEXT, &asked.request.strategy },
	{ "native", NULL, "no controlled schedules, only native runs", OPT_FLAG, &asked.request.is_native },
	{ "switch", "SET", "functions that are observed: see heddle run (default: all)", OPT_TEXT,
	  &asked.request.switched },
	{ "html", "FILE", "write what was learned, with a plot of its convergence, as a single HTML page", OPT_OUTPUT,
	  &asked.outputs.paths[OUTPUT_HTML] },
	{ "json", "FILE", "write it as JSON", OPT_OUTPUT, &asked.outputs.paths[OUTPUT_JSON] },
	{ "quiet", NULL, "print no progress and no plot", OPT_FLAG, &asked.is_quiet },
	OPT_ROW_STORE(&asked.store),
	OPT_END,
};

static const struct opt_values values[] = { { "strategy", planner_names }, { NULL, NULL } };

const struct command command_train = {
	.name = "train",
	.operands = "-- PROG ARGS... | --merge FILE...",
	.summary = "learn from correct runs which accesses may follow each other, for heddle guard",
	.details = "Runs the program many times, some runs natively, with its threads in parallel, and some under\n"
		   "control, and learns from each correct run which access of another thread came immediately\n"
		   "before each access. Stops when correct runs add nothing new: the last 10, and a fifth of all.\n"
		   "A run is correct if it exits with the status of --status, --check accepts it and, under\n"
		   "control, it had no deadlock, memory error or other harmful finding. With --merge, the operands\n"
		   "are files.",
	.options = options,
	.values = values,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = train_main,
};
