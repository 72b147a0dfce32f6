/*
 * guard.c: heddle guard: runs a program as it is, but lets a thread wait for a moment before an access that follows another one which it
 * never followed in the training.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/run_priv.h"
#include "launch/launch.h"
#include "narrate/violations.h"
#include "store/store.h"

static struct {
	const char *store, *file, *json;
	bool is_quiet;
} asked;

struct guard_run {
	const char *program;
	struct learned learned;
	struct guard_plan plan;
	struct guard_files files;
	struct guard_log log;
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

static int make(void *context, struct buf *options, struct err *err)
{
	struct guard_run *self = context;
	struct buf unmatched = { 0 };
	char *path = NULL;
	int code = read_data(self, err);
	if (code == 0)
		code = launch_find(self->program, &path, err);
	if (code == 0)
		code = guard_plan_make(&self->plan, &self->learned, path, err);
	if (code == 0)
		code = guard_make(&self->files, &self->plan.content, err);
	if (code == 0) {
		buf_format(options, ":guard=%s:guard-log=%s", self->files.path, self->files.log_path);
		violations_unmatched(&unmatched, &self->plan);
		err_show(&unmatched);
	}
	buf_release(&unmatched);
	free(path);
	return code;
}

static int describe(void *context, struct buf *text, struct buf *json, struct err *err)
{
	struct guard_run *self = context;
	char *const program[] = { (char *)self->program, NULL };
	int code = guard_log_read(&self->files, &self->plan.content, &self->log, err);
	if (code < 0)
		return code;
	if (!self->log.process_count) {
		err_hint(err, "programs that change their user (setuid) cannot be guarded");
		return err_set(err, ENOENT,
			       "the program ran, but the runtime did not start in it: nothing was guarded");
	}
	if (!asked.is_quiet || self->log.pair_count)
		violations_text(text, &self->plan, &self->log);
	if (json)
		violations_json(json, &self->plan, &self->log, program);
	return 0;
}

static void release(void *context)
{
	struct guard_run *self = context;
	guard_log_release(&self->log);
	guard_files_release(&self->files);
	guard_plan_release(&self->plan);
	learned_release(&self->learned);
}

static int guard_main(char **operands, size_t count)
{
	struct run_options settings = { .request = { .program = operands }, .json = asked.json };
	struct guard_run self = { .program = operands[0], .files = { .fd = -1, .log_fd = -1 } };
	static const struct run_mode mode = { .name = "guard", .make = make, .describe = describe, .release = release };
	(void)count;
	return run_uncontrolled(&settings, &mode, &self);
}

static const struct opt options[] = {
	{ "training", "FILE", "training data (default: training/NAME in the store, for the name of the program)",
	  OPT_TEXT, &asked.file },
	{ "json", "FILE", "write the violations as JSON (without FILE, or -: to standard output)", OPT_OUTPUT,
	  &asked.json },
	{ "quiet", NULL, "report nothing if there was no violation; data of another build are reported in any case",
	  OPT_FLAG, &asked.is_quiet },
	OPT_ROW_STORE(&asked.store),
	OPT_END,
};

const struct command command_guard = {
	.name = "guard",
	.operands = "-- PROG ARGS...",
	.summary = "run a program and prevent orders of accesses that heddle train has not seen",
	.details = "Runs the program natively, its threads in parallel. Before an access to memory that several "
		   "threads use, "
		   "the access of\n"
		   "another thread that came before it is looked up in what heddle train has learned. If it is not "
		   "there, the "
		   "thread waits for\n"
		   "at most 10 ms, so that the order can become a known one. Exits with the status of the program; "
		   "violations "
		   "are reported on\n"
		   "standard error when it has ended.",
	.options = options,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.stops_at_operand = true,
	.run = guard_main,
};
