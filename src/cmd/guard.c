/*
 * guard.c: heddle guard: runs a program as it is, but lets a thread wait for a moment before an access that follows another one which it
 * never followed in the training.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "campaign/guarded.h"
#include "cmd/opt.h"
#include "cmd/outputs.h"
#include "cmd/run_priv.h"
#include "launch/bake.h"
#include "launch/launch.h"
#include "narrate/violations.h"
#include "store/store.h"

#define GROUPS_SHOWN 10u

static struct {
	const char *store, *file, *out, *runtime;
	struct outputs outputs;
	struct guard_selection selection;
	bool is_quiet, is_baking;
} asked;

struct guard_run {
	const char *program;
	struct learned learned;
	struct guard_plan plan;
	struct guard_files files;
	struct guard_log log;
	struct guarded guarded;
	char *path; /* of the program's file */
};

static int no_data(const char *path, const char *program, struct err *err)
{
	char *shown = text_terminal_copy(path), *named = text_terminal_copy(program);
	if (asked.file)
		err_hint(err, "make it with heddle train --training %s -- %s", shown, named);
	else
		err_hint(err, "make them with heddle train -- %s, or name them with --training FILE", named);
	err_set(err, ENOENT, "there are no training data: \"%s\" does not exist", shown);
	free(named);
	free(shown);
	return -ENOENT;
}

static int read_data(struct guard_run *self, struct err *err)
{
	char *path = asked.file ? mem_copy_string(asked.file) : learned_path(store_folder(asked.store), self->program);
	int code = access(path, F_OK) < 0 && errno == ENOENT ? no_data(path, self->program, err)
							     : learned_read(&self->learned, path, err);
	free(path);
	return code;
}

/* As table 4 of the paper. */
static void show_groups(const struct learned *learned)
{
	struct bias bias;
	struct buf text = { 0 };
	bias_find(&bias, learned);
	buf_format(&text, "heddle guard: %zu group%s of places, %" PRIu64 " accesses\n", bias.group_count,
		   bias.group_count == 1 ? "" : "s", bias.accesses);
	if (!bias.accesses)
		buf_add_string(&text, "  the training did not count accesses: train again\n");
	else
		buf_add_string(&text, "   share  places  the place with the most accesses\n");
	for (size_t i = 0; i < bias.group_count && i < GROUPS_SHOWN && bias.accesses; i++) {
		const struct bias_group *group = &bias.groups[i];
		buf_format(&text, "  %4.1f %%  %6" PRIu32 "  ", (double)group->accesses * 100 / (double)bias.accesses,
			   group->place_count);
		learned_place_describe(&text, &learned->places[group->top - 1]);
		buf_add_string(&text, group->is_left_out ? "; left out\n" : "\n");
	}
	if (bias.group_count > GROUPS_SHOWN)
		buf_format(&text, "  and %zu more\n", bias.group_count - GROUPS_SHOWN);
	err_show(&text);
	buf_release(&text);
	bias_release(&bias);
}

static int make_plan(struct guard_run *self, struct err *err)
{
	int code = read_data(self, err);
	if (code == 0)
		code = launch_find(self->program, &self->path, err);
	if (code == 0 && asked.selection.is_biased)
		show_groups(&self->learned);
	return code == 0 ? guard_plan_make(&self->plan, &self->learned, self->path, &asked.selection, err) : code;
}

static int make(void *context, struct buf *options, struct err *err)
{
	struct guard_run *self = context;
	struct buf unmatched = { 0 };
	int code = outputs_open(&asked.outputs, err);
	if (code == 0)
		code = make_plan(self, err);
	if (code == 0)
		code = guard_make(&self->files, &self->plan.content, err);
	if (code == 0) {
		buf_format(options, ":guard=%s:guard-log=%s", self->files.path, self->files.log_path);
		violations_unmatched(&unmatched, &self->plan);
		err_show(&unmatched);
	}
	buf_release(&unmatched);
	return code;
}

/* The program has run, which matters more than where its violations are kept. */
static void store_findings(struct guard_run *self, struct buf *text)
{
	struct err err = ERR_INIT;
	if (guarded_store(&self->guarded, &err) < 0)
		buf_format(text, "heddle guard: the violations are not kept in the store: %s\n", err.message);
}

static int write_outputs(struct guard_run *self, struct err *err)
{
	struct buf json = { 0 };
	const struct violations_about about = { .plan = &self->plan,
						.log = &self->log,
						.learned = &self->learned,
						.findings = &self->guarded.findings,
						.program = self->guarded.program,
						.path = self->path,
						.store = asked.store };
	violations_json(&json, &about);
	int code = outputs_write_own(&asked.outputs, &json, err);
	buf_release(&json);
	return code;
}

static int describe(void *context, struct buf *text, struct buf *json, struct err *err)
{
	struct guard_run *self = context;
	int code = guard_log_read(&self->files, &self->plan.content, &self->log, err);
	(void)json;
	if (code < 0)
		return code;
	if (!self->log.process_count) {
		err_hint(err, "programs that change their user (setuid) cannot be guarded");
		return err_set(err, ENOENT,
			       "the program ran, but the runtime did not start in it: nothing was guarded");
	}
	self->guarded.path = self->path;
	guarded_judge(&self->guarded, &self->plan, &self->log);
	store_findings(self, text);
	if (!asked.is_quiet || self->log.pair_count)
		violations_text(text, &self->plan, &self->log, &self->guarded.findings);
	return outputs_is_any(&asked.outputs) ? write_outputs(self, err) : 0;
}

static void release(void *context)
{
	struct guard_run *self = context;
	guard_log_release(&self->log);
	guard_files_release(&self->files);
	guard_plan_release(&self->plan);
	learned_release(&self->learned);
	guarded_release(&self->guarded);
	outputs_release(&asked.outputs);
	free(self->path);
}

/* A copy of the program that carries what would be guarded. */
static int bake_program(struct guard_run *self, struct err *err)
{
	struct buf unmatched = { 0 };
	int code = make_plan(self, err);
	if (code == 0)
		code = bake(&(struct baking){ .program = self->path,
					      .out = asked.out,
					      .runtime = asked.runtime,
					      .build = guard_plan_build(&self->plan, self->path),
					      .content = &self->plan.content },
			    err);
	if (code == 0) {
		char *shown = text_terminal_copy(asked.out);
		violations_unmatched(&unmatched, &self->plan);
		err_show(&unmatched);
		printf("heddle guard: \"%s\" guards %" PRIu32 " places (%" PRIu32 " checked) when it is started\n",
		       shown, self->plan.checked_count + self->plan.updated_count, self->plan.checked_count);
		free(shown);
	}
	buf_release(&unmatched);
	release(self);
	if (code < 0)
		err_print(err, "heddle");
	return code < 0 ? EXIT_CANNOT : EXIT_FOUND_NOTHING;
}

static int check_usage(size_t count, struct err *err)
{
	if (asked.is_baking && !asked.out)
		return err_set(err, EINVAL, "--bake requires the program to write: -o FILE");
	if (!asked.is_baking && (asked.out || asked.runtime))
		return err_set(err, EINVAL, "--%s requires --bake", asked.out ? "out" : "runtime");
	if (asked.is_baking && count > 1)
		return err_set(err, EINVAL, "--bake runs nothing, so the program takes no arguments");
	if (asked.is_baking && outputs_is_any(&asked.outputs))
		return err_set(err, EINVAL, "--bake runs nothing, so there are no violations to write");
	return outputs_agree(&asked.outputs, err);
}

static int guard_main(char **operands, size_t count)
{
	struct run_options settings = { .request = { .program = operands } };
	struct guard_run self = { .program = operands[0],
				  .files = { .fd = -1, .log_fd = -1 },
				  .guarded = { .store = asked.store, .program = operands } };
	static const struct run_mode mode = { .name = "guard", .make = make, .describe = describe, .release = release };
	struct err err = ERR_INIT;
	if (check_usage(count, &err) < 0) {
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	if (asked.is_baking)
		return bake_program(&self, &err);
	return run_uncontrolled(&settings, &mode, &self);
}

static const struct opt options[] = {
	{ "training", "FILE", "training data (default: training/NAME in the store, for the name of the program)",
	  OPT_TEXT, &asked.file },
	{ "json", "FILE", "write the violations as JSON (without FILE, or -: to standard output)", OPT_OUTPUT,
	  &asked.outputs.paths[OUTPUT_JSON] },
	{ "html", "FILE", "write the violations as a single HTML page", OPT_OUTPUT, &asked.outputs.paths[OUTPUT_HTML] },
	{ "sarif", "FILE", "write SARIF 2.1.0, for GitHub and for editors", OPT_OUTPUT,
	  &asked.outputs.paths[OUTPUT_SARIF] },
	{ "junit", "FILE", "write JUnit XML, for continuous integration", OPT_OUTPUT,
	  &asked.outputs.paths[OUTPUT_JUNIT] },
	{ "quiet", NULL, "report nothing if there was no violation; data of another build are reported in any case",
	  OPT_FLAG, &asked.is_quiet },
	{ "bias", NULL,
	  "leave out groups of places that make more than 30 % of the accesses to shared memory, and print the table "
	  "of "
	  "groups",
	  OPT_FLAG, &asked.selection.is_biased },
	{ "only-marked", NULL, "guard only what the program marks, with heddle/heddle.h", OPT_FLAG,
	  &asked.selection.is_only_marked },
	{ "bake", NULL, "run nothing: write a copy of the program that guards itself when it is started", OPT_FLAG,
	  &asked.is_baking },
	OPT_ROW_OUT(&asked.out),
	OPT_ROW_RUNTIME(&asked.runtime),
	OPT_ROW_STORE(&asked.store),
	OPT_END,
};

const struct command command_guard = {
	.name = "guard",
	.operands = "-- PROG ARGS... | --bake -o FILE -- PROG",
	.summary = "run a program and prevent orders of accesses that heddle train has not seen",
	.details = "Runs the program natively, with its threads in parallel. An access to memory that several\n"
		   "threads use waits for at most 10 ms if heddle train has never seen it after the access of\n"
		   "another thread that came before it; in that time another order can come about. Exits with the\n"
		   "status of the program. Violations are reported on standard error when the program has ended,\n"
		   "and kept in the store as findings.",
	.options = options,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = guard_main,
};
