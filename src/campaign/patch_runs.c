/* patch_runs.c: see patch_runs.h. */
#include "campaign/patch_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "judge/evidence.h"
#include "launch/environment.h"
#include "launch/launch.h"
#include "store/store.h"

#define BUDGET_FACTOR 60u
#define BUDGET_LEAST 1000000u
#define QUIET_SECONDS 3u
#define KEPT_BYTES (64u << 10)
#define NEAR 3u /* events */
#define MAX_PLANS 64u
#define SECONDS_LEAST 2.0 /* of a run of the program itself, before it hangs */
#define SECONDS_FACTOR 20.0

static int open_input(struct patch_runs *self, struct err *err)
{
	const char *name = self->request->input ? self->request->input : "/dev/null";
	self->input_fd = open(name, O_RDONLY | O_CLOEXEC);
	if (self->input_fd >= 0)
		return 0;
	char *shown = text_terminal_copy(name);
	int code = err_set(err, errno, "cannot read \"%s\": %s", shown, strerror(errno));
	free(shown);
	return code;
}

int patch_runs_open(struct patch_runs *self, const struct patch_request *request, struct err *err)
{
	self->request = request;
	self->start = self->recorded;
	self->start.options = mem_copy_string(self->recorded.options ? self->recorded.options : "");
	self->start.log_fd = -1;
	self->start.own_bytes = 0;
	self->start.builds = NULL;
	self->start.build_count = 0;
	self->start.report = (struct buf){ 0 };
	/* One that made no progress has had more than enough. */
	const bool is_livelock = self->recorded.result.outcome == HEDDLE_OUTCOME_LIVELOCK;
	const uint64_t budget = (is_livelock ? 1 : BUDGET_FACTOR) * self->recorded.result.event_count;
	self->start.request.event_budget = budget > BUDGET_LEAST ? budget : BUDGET_LEAST;
	self->start.request.flags &= HEDDLE_CONTROL_DETECT;
	self->program_key = evidence_program(&self->start);
	self->judge.findings.program = self->judge.orders.program = self->program_key;
	self->judge.is_checked = request->check != NULL;
	self->judge.output = JUDGE_OUTPUT_IGNORED;
	int code = open_input(self, err);
	if (code == 0 && request->check)
		code = check_init(&self->check, request->check, err);
	if (code == 0)
		code = launch_find(self->recorded.program, &self->path, err);
	if (code == 0)
		code = evidence_start(store_folder(request->store), err);
	evidence_set_mark((int64_t)getpid());
	self->log_path = evidence_path("patch-log");
	return code;
}

void patch_runs_release(struct patch_runs *self)
{
	if (self->evidence)
		unlink(self->evidence);
	if (self->input_fd >= 0)
		close(self->input_fd);
	judge_release(&self->judge);
	check_release(&self->check);
	strings_release(&self->keys);
	trace_free(&self->recorded);
	free(self->start.options);
	free(self->program_key);
	free(self->log_path);
	free(self->path);
	free(self->evidence);
}

static int check(struct patch_runs *self, const struct campaign_run *run, struct judged *judged, struct err *err)
{
	struct buf said = { 0 };
	char *how = NULL;
	if (!self->check.words.count || run->result.outcome != HEDDLE_OUTCOME_EXIT)
		return 0;
	int code = check_run(&self->check, run, self->request->is_stopped, &how, &said, err);
	if (code == 0)
		judge_check_failed(&self->judge, run, how, &said, judged);
	free(how);
	buf_release(&said);
	return code == -EINTR || code > 0 ? 0 : code;
}

/* Kinds of findings that say how a run failed. */
static bool is_failure(enum finding_kind kind)
{
	return kind == FINDING_CRASH || kind == FINDING_ASSERTION || kind == FINDING_BAD_EXIT || kind == FINDING_HANG ||
	       kind == FINDING_DEADLOCK || kind == FINDING_CHECK_FAILED;
}

/* The failure in the schedule; null: it does not have it. */
static struct finding *find_failure(struct patch_runs *self, const struct campaign_run *run, bool *is_other)
{
	struct finding *found = NULL;
	for (size_t i = 0; i < self->judge.findings.count; i++) {
		struct finding *finding = self->judge.findings.items[i];
		if (finding->evidence.last != run->number)
			continue;
		if (self->is_first && finding->identity.kind == self->kind &&
		    !strings_has(&self->keys, finding->identity.key))
			strings_add(&self->keys, finding->identity.key);
		if (finding->identity.kind == self->kind && strings_has(&self->keys, finding->identity.key))
			found = finding;
		else
			*is_other |= is_failure(finding->identity.kind);
	}
	return found;
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct patch_runs *self = context;
	struct judged judged = { 0 };
	struct report report;
	bool is_other = false;
	report_parse(&report, learned->report, learned->report_bytes);
	judge_run(&self->judge, run, &report, &judged);
	int code = check(self, run, &judged, err);
	report_release(&report);
	struct finding *found = find_failure(self, run, &is_other);
	self->count->runs++;
	self->count->failed += found != NULL;
	self->count->others += !found && (is_other || judged.is_lost);
	learned->is_failure = found != NULL;
	if (code < 0 || !found || !self->is_brief)
		return code;
	code = evidence_keep_as(found, run, &self->start, ".patch", &self->evidence, err);
	return code < 0 ? code : 1;
}

static void set_options(struct patch_runs *self, const struct guard_files *files)
{
	const char *old = self->recorded.options ? self->recorded.options : "";
	free(self->start.options);
	self->start.options =
		files ? mem_format("%s%sguard=%s:guard-log=%s", old, *old ? ":" : "", files->path, files->log_path)
		      : mem_copy_string(old);
	self->start.own_bytes = 0;
}

int patch_runs_serve(struct patch_runs *self, struct planner *planner, uint64_t runs, const struct guard_files *files,
		     struct patch_count *count, struct err *err)
{
	struct campaign campaign = {
		.trace = &self->start,
		.setup = { .flags = HEDDLE_CONTROL_RECORD,
			   .trace_path = self->log_path,
			   .is_unattended = true,
			   .has_own_session = true,
			   .quiet_seconds = QUIET_SECONDS,
			   .outside_seconds = QUIET_SECONDS,
			   .fair_after = self->start.request.event_budget / 3 },
		.planner = planner,
		.jobs = 1,
		.runs = runs,
		.before = self->total,
		.capture_room = self->request->check ? MAX_CHECK_OUTPUT : KEPT_BYTES,
		.input_fd = self->input_fd,
		.is_stopped = self->request->is_stopped,
		.take = take,
		.context = self,
	};
	set_options(self, files);
	self->count = count;
	if (self->evidence)
		unlink(self->evidence);
	free(self->evidence);
	self->evidence = NULL;
	int code = campaign_serve(&campaign, err);
	self->total += campaign.answered;
	planner->free(planner);
	if (code == 0 && *self->request->is_stopped)
		code = err_set(err, EINTR, "interrupted");
	return code;
}

/* A list of steered schedules. */
struct listed {
	struct planner planner;
	struct steps items[MAX_PLANS];
	size_t count, at;
	uint64_t seed;
};

static bool listed_next(struct planner *planner, struct plan *plan, const char **reason)
{
	struct listed *self = (struct listed *)planner;
	(void)reason;
	if (self->at == self->count)
		return false;
	const struct steps *steps = &self->items[self->at++];
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_STEERED,
			       .seed = self->seed,
			       .steps = steps->items,
			       .step_count = (uint32_t)steps->count };
	return true;
}

static void listed_learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

static void listed_free(struct planner *planner)
{
	struct listed *self = (struct listed *)planner;
	for (size_t i = 0; i < self->count; i++)
		steps_release(&self->items[i]);
	free(self);
}

/* The step that differs, moved by this many events. */
static void add_plan(struct listed *self, const struct steps *steps, size_t which, int64_t by)
{
	struct steps *to = &self->items[self->count++];
	for (size_t i = 0; i < steps->count; i++) {
		struct heddle_step step = steps->items[i];
		if (i == which)
			step.when += (uint64_t)(by * (int64_t)HEDDLE_WHEN);
		steps_add(to, &step);
	}
	if (to->count)
		steps_sort(to->items, to->count);
}

struct planner *patch_runs_plan(const struct steps *steps, uint64_t seed, bool is_near)
{
	struct listed *self = mem_alloc(sizeof *self);
	*self = (struct listed){ .planner = { .next = listed_next, .learn = listed_learn, .free = listed_free },
				 .seed = seed };
	add_plan(self, steps, steps->count, 0);
	/* Those at the end are nearest to the failure. */
	for (size_t i = steps->count; is_near && i > 0; i--) {
		if (!step_is_preemption(&steps->items[i - 1]))
			continue;
		for (int64_t by = -(int64_t)NEAR; by <= (int64_t)NEAR && self->count < MAX_PLANS; by++)
			if (by && (by > 0 || steps->items[i - 1].when / HEDDLE_WHEN > (uint64_t)-by))
				add_plan(self, steps, i - 1, by);
	}
	return &self->planner;
}

/* The program itself. */

/* Returns 1 when it failed, 0 when not, or a negative errno with err set. */
static int run_native(struct patch_runs *self, const char *path, const struct strings *environment, double seconds,
		      struct err *err)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC), status = 0;
	pid_t pid;
	struct keeper keeper;
	struct keeper_left left;
	keeper_init(&keeper);
	struct launch launch = { .path = path,
				 .arguments = self->recorded.arguments.items,
				 .environment = environment->items,
				 .is_unattended = true,
				 .has_own_session = true,
				 .descriptors = { { self->input_fd, 0 }, { nothing, 1 }, { nothing, 2 } },
				 .descriptor_count = 3,
				 .keeper = &keeper };
	lseek(self->input_fd, 0, SEEK_SET);
	int code = launch_start(&launch, &pid, err);
	if (nothing >= 0)
		close(nothing);
	if (code < 0)
		return code;
	struct pollfd fd = { .fd = keeper.fd, .events = POLLIN };
	int got;
	do
		got = poll(&fd, 1, (int)(seconds * 1000));
	while (got < 0 && errno == EINTR && !*self->request->is_stopped);
	const bool is_hanging = got <= 0;
	if (is_hanging)
		kill(pid, SIGKILL);
	code = launch_wait(pid, &keeper, &status, err);
	if (code == 0)
		keeper_end(&keeper, &left);
	keeper_release(&keeper);
	if (code == 0 && *self->request->is_stopped)
		return err_set(err, EINTR, "interrupted");
	return code < 0 ? code : is_hanging || status != 0;
}

int patch_runs_native(struct patch_runs *self, const char *path, const struct guard_files *files,
		      struct patch_count *count, struct err *err)
{
	struct strings environment = { 0 };
	struct buf options = { 0 };
	const double began = time_now_seconds();
	int code = 0;
	if (files) {
		buf_format(&options, "guard=%s:guard-log=%s", files->path, files->log_path);
		code = environment_uncontrolled("guard", options.data, &environment, err);
	} else {
		environment_user(&environment);
	}
	if (code == 0)
		code = run_native(self, path, &environment, SECONDS_LEAST + SECONDS_FACTOR * self->longest, err);
	const double took = time_now_seconds() - began;
	count->runs += code >= 0;
	count->failed += code > 0;
	self->longest = code == 0 && took > self->longest ? took : self->longest;
	buf_release(&options);
	strings_release(&environment);
	return code < 0 ? code : 0;
}
