/* guarded.c: see guarded.h. */
#include "campaign/guarded.h"

#include <stdlib.h>

#include "campaign/stored_finding.h"
#include "judge/grouping.h"
#include "judge/store_use.h"

#define STRATEGY "guard"

static char *arguments_of(char *const *program)
{
	struct buf out = { 0 };
	buf_add_string(&out, "");
	for (char *const *argument = program + 1; *argument; argument++)
		buf_format(&out, "\n%s", *argument);
	char *copy = mem_copy_string(out.data ? out.data : "");
	buf_release(&out);
	return copy;
}

void guarded_judge(struct guarded *self, const struct guard_plan *plan, const struct guard_log *log)
{
	if (!self->key) {
		char *identity = store_identity(self->path), *arguments = arguments_of(self->program);
		self->key = mem_format("%s%s", identity ? identity : "", arguments);
		free(arguments);
		free(identity);
		self->findings.program = self->key;
	}
	judge_violations(&self->findings, plan, log);
}

static int see_all(struct guarded *self, struct store_test *test, const struct stored_program *program,
		   struct store_count *counts, size_t *count, struct err *err)
{
	int code = store_group_begin(test, err);
	if (code < 0)
		return code;
	for (size_t i = 0; i < self->findings.count && code == 0; i++) {
		struct finding *finding = self->findings.items[i];
		code = stored_finding_see(test, program, finding, STRATEGY, false, err);
		finding->identity.group = finding->identity.number;
		if (code == 0)
			counts[(*count)++] = (struct store_count){ .id = (int64_t)finding->identity.number,
								   .head = (int64_t)finding->identity.number,
								   .rules = "",
								   .seen = finding->evidence.seen,
								   .variants = 1 };
	}
	int ended = store_group_end(test, err);
	return code < 0 ? code : ended;
}

/* A guarded run says nothing about findings that it does not show: no kind counts as looked for, and no schedule as run. */
static int store_all(struct guarded *self, struct store_test *test, const struct stored_program *program,
		     struct err *err)
{
	struct store_count *counts = mem_alloc((self->findings.count + 1) * sizeof *counts);
	struct store_fixed *fixed = NULL;
	size_t count = 0, fixed_count = 0;
	const char *const kinds_seen[] = { NULL };
	int code = see_all(self, test, program, counts, &count, err);
	const struct store_end end = {
		.counts = counts, .count = count, .kinds = kinds_seen, .suppressions = "", .fixed_after = 1
	};
	if (code == 0)
		code = store_end_test(test, &end, &fixed, &fixed_count, err);
	free(fixed);
	free(counts);
	return code;
}

int guarded_store(struct guarded *self, struct err *err)
{
	struct store *store = NULL;
	struct running running = { .fd = -1 };
	struct store_test test = { .store = NULL };
	if (!self->findings.count)
		return 0;
	int code = store_use(self->store, STORE_WRITE, &store, err);
	if (code < 0)
		return code;
	char *identity = store_identity(self->path), *weave = stored_weave(self->path);
	char *short_path = store_program_path(self->path), *arguments = arguments_of(self->program);
	const struct store_subject subject = { .identity = identity ? identity : "unknown",
					       .weave = weave,
					       .program = short_path,
					       .arguments = arguments,
					       .strategy = STRATEGY };
	const struct stored_program program = { .path = self->path, .short_path = short_path, .arguments = arguments };
	running_open(&running, store_folder(self->store));
	code = store_begin_test(&test, store, &running, &subject, err);
	if (code == 0)
		code = store_all(self, &test, &program, err);
	running_stop(&running);
	store_close(store);
	free(arguments);
	free(short_path);
	free(weave);
	free(identity);
	return code;
}

void guarded_release(struct guarded *self)
{
	findings_release(&self->findings);
	free(self->key);
	self->key = NULL;
}
