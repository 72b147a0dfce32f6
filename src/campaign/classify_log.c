/* classify_log.c: see classify_log.h. */
#include "campaign/classify_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"

#define WAIT_SECONDS 0.05
#define OUTSIDE_SECONDS 5u

/* The log of a trace, with what its calls asked for. */
struct classify_log {
	char *trace;
	struct trace recorded;
	int fd;
	uint64_t log_bytes;
};

/* Whether a live run follows the recorded schedule. */

struct probe {
	struct planner planner; /* first: it is one */
	struct classifying *self;
	bool is_asked, has_recurred, is_waiting;
};

static bool next_probe(struct planner *planner, struct plan *plan, const char **reason)
{
	struct probe *probe = (struct probe *)planner;
	const struct instance *instance = &probe->self->instances[0];
	(void)reason;
	if (probe->is_asked)
		return false;
	probe->is_asked = true;
	*plan = (struct plan){ .strategy = HEDDLE_STRATEGY_ORDERED,
			       .flags = HEDDLE_CONTROL_HOT,
			       .seed = probe->self->race->evidence.plan.seed,
			       .hot = instance->hot,
			       .hot_count = instance->hot_count,
			       .steps = instance->steps.items,
			       .step_count = (uint32_t)instance->steps.count,
			       .hold = classify_hold(instance, false, instance->first, false, false) };
	return true;
}

/* Whether the run waited for the outside without an end. */
static bool is_waiting(const struct campaign_run *run, const struct lesson *learned)
{
	struct report report;
	report_parse(&report, learned->report, learned->report_bytes);
	const bool is_outside = run->result.outcome == HEDDLE_OUTCOME_HANG && test_is_outside(&report);
	report_release(&report);
	return is_outside;
}

/* Whether it came to the first access as the recorded one did. */
static bool has_recurred(const struct campaign_run *run)
{
	const uint32_t state = run->control->channel->hold_state;
	return state != HEDDLE_HOLD_NONE && state != HEDDLE_HOLD_LOST;
}

static void learn(struct planner *planner, const struct lesson *lesson)
{
	(void)planner, (void)lesson;
}

static int take_probe(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct probe *probe = context;
	(void)err;
	probe->self->events += run->result.event_count;
	probe->self->test->classify_events += run->result.event_count + TEST_SCHEDULE_EVENTS;
	probe->is_waiting = is_waiting(run, learned);
	probe->has_recurred = !probe->is_waiting && has_recurred(run);
	return 0;
}

int classify_needs_log(struct classifying *self, struct err *err)
{
	struct probe probe = { .planner = { .next = next_probe, .learn = learn }, .self = self };
	struct campaign campaign;
	int code = classify_campaign(self, &campaign, err);
	if (code < 0)
		return code;
	campaign.planner = &probe.planner;
	campaign.take = take_probe;
	campaign.context = &probe;
	/* A program that waits for clients would wait for ever. */
	if (!campaign.setup.outside_seconds)
		campaign.setup.outside_seconds = OUTSIDE_SECONDS;
	code = campaign_serve(&campaign, err);
	self->test->classify_runs += campaign.answered;
	self->can_be_live = campaign.answered && !probe.is_waiting;
	return code < 0 ? code : campaign.answered && !probe.has_recurred;
}

/* Processes. */

struct started {
	struct control control;
	struct trace now;
	struct capture capture;
	bool is_capturing;
};

static void release(struct started *started)
{
	if (started->is_capturing)
		capture_release(&started->capture);
	buf_release(&started->now.report);
	control_release(&started->control);
}

/* Runs it to its end. The log stays with the control. */
static int run(struct classifying *self, struct started *started, struct control_setup *setup, struct err *err)
{
	const struct campaign *like = &self->test->campaign;
	const double deadline = time_now_seconds() + classify_seconds(self);
	int ends[2] = { -1, -1 }, nothing = open("/dev/null", O_RDWR | O_CLOEXEC), code = 0;
	if (nothing < 0)
		return err_set(err, errno, "cannot open /dev/null: %s", strerror(errno));
	if (like->capture_room && !(setup->flags & HEDDLE_CONTROL_DISCARD)) {
		code = capture_open(&started->capture, like->capture_room, ends, err);
		started->is_capturing = code == 0;
	}
	if (!started->is_capturing)
		setup->flags |= HEDDLE_CONTROL_DISCARD;
	setup->is_replay = setup->is_unattended = setup->has_own_session = setup->has_streams = setup->is_kept = true;
	setup->streams[0] = nothing;
	setup->streams[1] = started->is_capturing ? ends[0] : nothing;
	setup->streams[2] = started->is_capturing ? ends[1] : nothing;
	setup->quiet_seconds = like->setup.quiet_seconds;
	if (code == 0)
		code = control_start(&started->control, &started->now, setup, err);
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	close(nothing);
	for (bool has_ended = false; code == 0 && !has_ended;) {
		has_ended = control_wait(&started->control, time_now_seconds() + WAIT_SECONDS);
		if (started->is_capturing)
			capture_drain(&started->capture);
		if (!has_ended && (time_now_seconds() > deadline || (like->is_stopped && *like->is_stopped)))
			code = err_set(err, ETIME, "its runs are long: there was no time for all of them");
	}
	if (code == 0)
		code = control_finish(&started->control, &started->now, err);
	if (code == 0)
		started->control.out_fd = started->now.log_fd;
	started->now.log_fd = -1;
	return code;
}

/* The program that the user named, and what the trace says about the run. */
static void begin(const struct classifying *self, struct started *started, const struct trace *recorded)
{
	*started = (struct started){ .now = self->test->trace };
	control_init(&started->control);
	started->now.request = recorded->request;
	started->now.result = recorded->result;
	started->now.report = (struct buf){ 0 };
	started->now.log_fd = recorded->log_fd;
	started->now.log_bytes = recorded->log_bytes;
	started->now.tail_bytes = 0;
}

static bool has_followed(const struct trace_result *now, const struct trace_result *then)
{
	return now->event_hash == then->event_hash && now->event_count == then->event_count;
}

static int annotate(struct classifying *self, struct classify_log *log, struct err *err)
{
	struct started started;
	struct control_setup setup = { .flags = HEDDLE_CONTROL_ASKED | HEDDLE_CONTROL_DISCARD };
	begin(self, &started, &log->recorded);
	int code = run(self, &started, &setup, err);
	if (code == 0 && !has_followed(&started.now.result, &log->recorded.result))
		code = err_set(err, EINVAL, "its evidence cannot be replayed");
	if (code == 0) {
		log->log_bytes = started.now.log_bytes + started.now.tail_bytes;
		if (pwrite(started.control.out_fd, started.now.tail, started.now.tail_bytes,
			   (off_t)started.now.log_bytes) != (ssize_t)started.now.tail_bytes)
			code = err_set(err, EIO, "the log of the run cannot be written");
	}
	if (code == 0) {
		log->fd = started.control.out_fd;
		started.control.out_fd = -1;
	}
	release(&started);
	return code;
}

static void release_log(struct classify_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	trace_free(&log->recorded);
	free(log->trace);
}

/* The log of the trace, made if it is not there yet. */
static const struct classify_log *log_of(struct classifying *self, const char *trace, struct err *err)
{
	for (size_t i = 0; i < self->log_count; i++)
		if (strcmp(self->logs[i].trace, trace) == 0)
			return &self->logs[i];
	struct classify_log log = { .trace = mem_copy_string(trace), .fd = -1 };
	trace_init(&log.recorded);
	int code = trace_read(trace, &log.recorded, err);
	if (code == 0)
		code = annotate(self, &log, err);
	if (code < 0) {
		release_log(&log);
		return NULL;
	}
	self->logs = mem_resize(self->logs, (self->log_count + 1) * sizeof *self->logs);
	self->logs[self->log_count] = log;
	return &self->logs[self->log_count++];
}

void classify_release_logs(struct classifying *self)
{
	for (size_t i = 0; i < self->log_count; i++)
		release_log(&self->logs[i]);
	free(self->logs);
}

static void fill(struct heddle_channel *channel, const void *context)
{
	const struct plan *plan = context;
	plan_put(plan, channel);
	channel->fork_seed = plan->seed;
}

int classify_run_log(struct classifying *self, const struct wanted *wanted, const struct plan *plan,
		     int (*take)(void *context, const struct campaign_run *run, struct lesson *learned,
				 struct err *err),
		     struct err *err)
{
	const struct classify_log *log = log_of(self, wanted->instance->seen.evidence.trace, err);
	struct started started;
	if (!log)
		return -EINVAL;
	begin(self, &started, &log->recorded);
	/* The seed is that of the recorded run: random numbers that the program asks for follow from it. */
	struct trace_request *request = &started.now.request;
	request->length = plan->length;
	request->event_budget = self->test->campaign.trace->request.event_budget;
	struct control_setup setup = {
		.flags = HEDDLE_CONTROL_ONWARD | plan->flags,
		.onward = plan->strategy,
		.fair_after = self->test->campaign.setup.fair_after,
		.log_fd = log->fd,
		.log_bytes = log->log_bytes,
		.fill = fill,
		.context = plan,
	};
	int code = run(self, &started, &setup, err);
	if (code == 0) {
		const struct campaign_run made = {
			.number =
				self->test->campaign.answered + self->test->steer_runs + self->test->classify_runs + 1,
			.plan = *plan,
			.request = *request,
			.result = started.now.result,
			.control = &started.control,
			.capture = started.is_capturing ? &started.capture : NULL,
		};
		struct lesson lesson = {
			.plan = plan,
			.result = &started.now.result,
			.report = started.now.report.data ? started.now.report.data : "",
			.report_bytes = started.now.report.size,
			.channel = started.control.channel,
		};
		self->test->classify_runs++;
		code = take(self, &made, &lesson, err);
	}
	release(&started);
	return code;
}
