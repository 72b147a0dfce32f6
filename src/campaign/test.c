/* test.c: see test.h. The parts of a test in their order; each has a file of its own. */
#include "campaign/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/test_priv.h"
#include "judge/evidence.h"
#include "judge/store_use.h"

bool test_is_stopped(const struct test *self)
{
	return *self->request->is_stopped;
}

void test_progress(struct test *self)
{
	self->listener->progress(self->listener->context, self);
}

/* Strategy and depth are the planner's: the runtime has others. Planners also decide which schedules let sleeps end early. */
static int describe(struct test *self, struct err *err)
{
	struct run_request run = self->request->run;
	run.strategy = NULL;
	run.depth = RUN_NUMBER_NONE;
	run.is_detecting = true;
	int code = run_describe(&self->trace, &run, err);
	self->trace.request.flags &= ~(uint32_t)HEDDLE_CONTROL_EARLY;
	if (self->request->run.depth != RUN_NUMBER_NONE)
		self->trace.request.depth = self->request->run.depth;
	self->judge.is_hypothetical = code == 0 && trace_is_hypothetical(&self->trace);
	return code;
}

/* The folder that has those of hypothetical tests; whether it can be used is seen when the store is opened. */
static void make_parent(const char *store)
{
	const char *slash = store ? strrchr(store, '/') : NULL;
	char *parent = slash && slash != store ? mem_format("%.*s", (int)(slash - store), store) : NULL;
	if (parent)
		mkdir(parent, 0777);
	free(parent);
}

/* The options are in each trace, so replays skip the same. */
static int leave_out(struct test *self, struct err *err)
{
	if (!self->request->without.count)
		return 0;
	int code = without_find(&self->without, &self->request->without, self->trace.program, err);
	if (code < 0)
		return code;
	char *options = mem_format("%s%s", self->trace.options, self->without.options.data);
	free(self->trace.options);
	self->trace.options = options;
	self->judge.is_hypothetical = true;
	make_parent(self->request->store);
	return 0;
}

void test_init(struct test *self)
{
	*self = (struct test){ .campaign = { .input_fd = -1 }, .running = { .fd = -1 } };
	trace_init(&self->trace);
}

int test_prepare(struct test *self, const struct test_request *request, const struct test_listener *listener,
		 struct err *err)
{
	self->request = request;
	self->listener = listener;
	int code = suppressions_read(&self->suppressions, &request->suppressions, err);
	self->judge.suppressions = self->suppressions.count ? &self->suppressions : NULL;
	self->judge.output = request->output;
	if (code == 0)
		code = describe(self, err);
	if (code == 0 && (code = leave_out(self, err)) < 0)
		return code;
	if (code == 0 && request->inputs)
		code = inputs_read(&self->inputs, request->inputs, &self->trace.arguments, &self->notes, err);
	if (code == 0 && !request->inputs && inputs_has_mark(&self->trace.arguments))
		strings_note(&self->notes, "the program gets the argument " INPUTS_MARK
					   " as it is: only with --inputs DIR it stands for a file");
	if (code == 0 && request->check)
		code = check_init(&self->check, request->check, err);
	if (code == 0 && request->before)
		code = before_init(&self->before, request->before, request->is_stopped, err);
	if (code < 0)
		return code;
	self->judge.is_checked = request->check != NULL;
	self->program = evidence_program(&self->trace);
	self->judge.findings.program = self->judge.orders.program = self->program;
	test_find_woven(self);
	run_idle_patterns(&request->run, &self->trace, &self->notes);
	code = evidence_start(store_folder(request->store), err);
	if (code == 0)
		code = test_open_store(self, err);
	return code == -EINVAL ? -ENOEXEC : code;
}

/* After the failures, which verdicts refer to. */
static void report_classified(struct test *self)
{
	for (size_t i = 0; i < self->judge.findings.count; i++)
		if (self->judge.findings.items[i]->evidence.has_verdict)
			self->listener->classified(self->listener->context, self, self->judge.findings.items[i]);
}

int test_check_before(const struct test *self, struct err *err)
{
	if (!self->before.has_failed)
		return 0;
	*err = self->before.failure;
	return -ECANCELED;
}

int test_run(struct test *self, struct err *err)
{
	int code = test_search(self, err);
	if (code == 0 && self->request->classify != TEST_CLASSIFY_NO)
		test_classify(self);
	if (code == 0)
		test_reduce(self);
	if (code == 0)
		report_classified(self);
	if (code == 0)
		code = test_check_before(self, err);
	test_note_details(self);
	if (code == 0 && !self->campaign.answered) {
		code = err_set(err, ETIME, "no run of the program ended%s",
			       self->campaign.end == CAMPAIGN_TIME ? " in time" : "");
		err_hint(err, "heddle run --stats -- PROG performs a single run; --time SECONDS gives more time");
	}
	struct err unstored = ERR_INIT;
	int stored = test_close_store(self, &unstored);
	if (stored < 0 && code == 0) {
		code = stored;
		*err = unstored;
	}
	self->is_cut = code < 0;
	return code;
}

size_t test_reported_count(const struct test *self)
{
	return self->judge.findings.count - self->suppressed_count;
}

bool test_is_complete(const struct test *self)
{
	return !self->is_cut && self->campaign.answered && !self->lost_count && !test_is_stopped(self) &&
	       self->unfinished_count < self->campaign.answered && !self->judge.missed.count;
}

void test_release(struct test *self)
{
	if (self->campaign.input_fd >= 0)
		close(self->campaign.input_fd);
	test_release_details(self);
	judge_release(&self->judge);
	known_release(&self->known);
	suppressions_release(&self->suppressions);
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
	before_release(&self->before);
	inputs_release(&self->inputs);
	strings_release(&self->notes);
	strings_release(&self->opaque);
	strings_release(&self->lost);
	strings_release(&self->files);
	without_release(&self->without);
	trace_free(&self->trace);
}
