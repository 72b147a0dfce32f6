/* campaign.c: see campaign.h. */
#include "explore/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"
#include "base/time.h"
#include "explore/sandbox.h"

#define WAIT_MS 200

struct job {
	struct control control;
	struct capture capture;
	struct sandbox sandbox;
	struct campaign_run run; /* what it was asked for */
	double requested_at;
	int input_fd;         /* with a position of its own; -1: none */
	uint32_t known_given; /* of campaign.known, to this channel */
	bool is_open, is_requested;
};

struct serving {
	struct campaign *campaign;
	struct job *jobs;
	struct map hashes; /* of events, in hexadecimal */
	uint64_t planned, taken;
	double start;
	bool is_over; /* nothing more is asked for */
};

static void end(struct serving *self, enum campaign_end how)
{
	if (!self->is_over)
		self->campaign->end = how;
	self->is_over = true;
}

/* Whether to abandon running schedules, too. */
static bool is_cut(struct serving *self)
{
	const struct campaign *campaign = self->campaign;
	if (campaign->is_stopped && *campaign->is_stopped)
		end(self, CAMPAIGN_STOPPED);
	else if (campaign->seconds > 0 && time_now_seconds() - self->start >= campaign->seconds)
		end(self, CAMPAIGN_TIME);
	else
		return false;
	return true;
}

/* Waits until the server has a message; meanwhile reads the output of all servers. Returns false when the campaign is
 * cut. */
static bool wait_for(struct serving *self, struct job *job)
{
	struct pollfd polls[1 + 2 * CAMPAIGN_MAX_JOBS];
	const struct campaign *campaign = self->campaign;
	for (;;) {
		nfds_t count = 0;
		polls[count++] = (struct pollfd){ .fd = job->control.server_fd, .events = POLLIN };
		for (uint64_t i = 0; campaign->capture_room && i < campaign->jobs; i++)
			for (int stream = 0; stream < 2; stream++)
				polls[count++] = (struct pollfd){ .fd = self->jobs[i].capture.streams[stream].fd,
								  .events = POLLIN };
		if (is_cut(self))
			return false;
		int got = poll(polls, count, WAIT_MS);
		if (got > 0 && polls[0].revents)
			return true;
		for (uint64_t i = 0; got > 0 && campaign->capture_room && i < campaign->jobs; i++)
			capture_drain(&self->jobs[i].capture);
		if (got <= 0 && campaign->wait)
			campaign->wait(campaign->context);
	}
}

static int open_input(struct serving *self, struct job *job, struct err *err)
{
	char path[64];
	job->input_fd = -1;
	if (self->campaign->input_fd < 0)
		return 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", self->campaign->input_fd);
	job->input_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (job->input_fd < 0)
		return err_set(err, errno, "cannot reopen standard input: %s", strerror(errno));
	return 0;
}

static int open_job(struct serving *self, struct job *job, struct err *err)
{
	struct campaign *campaign = self->campaign;
	struct control_setup setup = campaign->setup;
	int ends[2] = { -1, -1 }, code = open_input(self, job, err);
	setup.flags |= HEDDLE_CONTROL_SERVER;
	job->is_open = true;
	control_init(&job->control);
	if (code == 0 && campaign->capture_room)
		code = capture_open(&job->capture, campaign->capture_room, ends, err);
	if (code == 0 && campaign->is_sandboxed)
		code = sandbox_make(&job->sandbox, err);
	setup.has_streams = true;
	setup.streams[0] = job->input_fd;
	setup.streams[1] = ends[0];
	setup.streams[2] = ends[1];
	if (campaign->is_sandboxed)
		setup.folder = job->sandbox.path;
	if (code == 0)
		code = control_start(&job->control, campaign->trace, &setup, err);
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return code;
}

static void close_job(struct serving *self, struct job *job)
{
	if (!job->is_open)
		return;
	if (job->is_requested) {
		struct lesson lesson = { .plan = &job->run.plan };
		self->campaign->planner->learn(self->campaign->planner, &lesson);
	}
	keeper_add_left(&self->campaign->left, &job->control.left);
	control_release(&job->control);
	if (self->campaign->capture_room)
		capture_release(&job->capture);
	if (self->campaign->is_sandboxed)
		sandbox_remove(&job->sandbox);
	if (job->input_fd >= 0)
		close(job->input_fd);
}

/* Undoes the only state that one run passes to the next. */
static void renew(struct serving *self, struct job *job)
{
	if (job->input_fd >= 0)
		lseek(job->input_fd, 0, SEEK_SET);
	if (self->campaign->capture_room)
		capture_clear(&job->capture);
	if (self->campaign->is_sandboxed)
		sandbox_empty(&job->sandbox);
}

/* Of the schedule that is planned, or examined, as that one. */
static uint64_t number_of(const struct campaign *campaign, uint64_t place)
{
	if (campaign->is_second_first && campaign->before == 0 && campaign->runs != 1 && place <= 2)
		return 3 - place;
	return campaign->before + place;
}

static int request_schedule(struct serving *self, struct job *job, struct err *err)
{
	struct campaign *campaign = self->campaign;
	struct campaign_run *run = &job->run;
	if (job->is_requested)
		BUG("schedule %" PRIu64 " is asked for while another runs there", self->planned + 1);
	if (campaign->runs && self->planned == campaign->runs)
		end(self, CAMPAIGN_DONE);
	if (self->is_over)
		return 0;
	*run = (struct campaign_run){ .request = campaign->trace->request, .control = &job->control };
	if (!campaign->planner->next(campaign->planner, &run->plan, &campaign->reason)) {
		end(self, CAMPAIGN_PLANNED);
		return 0;
	}
	run->number = number_of(campaign, ++self->planned);
	if (run->number <= campaign->audits || run->plan.flags & HEDDLE_CONTROL_AUDIT)
		run->request.flags |= HEDDLE_CONTROL_AUDIT;
	run->request.strategy = run->plan.strategy;
	run->request.seed = run->plan.seed;
	run->request.depth = run->plan.depth;
	run->request.length = run->plan.length;
	run->capture = campaign->capture_room ? &job->capture : NULL;
	run->folder = campaign->is_sandboxed ? job->sandbox.path : NULL;
	renew(self, job);
	int code = campaign->before_each ? before_run(campaign->before_each, run->folder, err) : 0;
	if (code < 0) {
		/* It is not run, like one that was abandoned. */
		campaign->planner->learn(campaign->planner, &(struct lesson){ .plan = &run->plan });
		if (code == -EINTR)
			end(self, CAMPAIGN_STOPPED);
		return code == -EINTR ? 0 : code;
	}
	job->control.channel->quiet_seconds = campaign->setup.quiet_seconds;
	job->control.channel->fair_after = campaign->setup.fair_after;
	job->control.channel->outside_seconds = campaign->setup.outside_seconds;
	plan_put(&run->plan, job->control.channel);
	if (campaign->known)
		known_put(campaign->known, job->control.channel, &job->known_given);
	job->is_requested = true;
	job->requested_at = time_now_seconds();
	return control_request(&job->control, &run->request,
			       campaign->setup.flags | run->plan.flags | HEDDLE_CONTROL_SERVER, err);
}

static int take(struct serving *self, struct job *job, struct err *err)
{
	struct campaign *campaign = self->campaign;
	struct campaign_run *run = &job->run;
	char hash[20];
	if (!job->is_requested || run->number != number_of(campaign, ++self->taken))
		BUG("schedule %" PRIu64 " is looked at as number %" PRIu64, run->number,
		    number_of(campaign, self->taken));
	if ((self->taken - 1) % campaign->jobs != (uint64_t)(job - self->jobs))
		BUG("schedule %" PRIu64 " was run by server %td of %" PRIu64, run->number, job - self->jobs,
		    campaign->jobs);
	int code = control_answer(&job->control, &run->result, err);
	if (code < 0)
		return code;
	run->seconds = time_now_seconds() - job->requested_at;
	/* The program has the same open file, so the position is shared. */
	run->is_input_read = job->input_fd >= 0 && lseek(job->input_fd, 0, SEEK_CUR) > 0;
	if (campaign->capture_room)
		capture_drain(&job->capture);
	snprintf(hash, sizeof hash, "%016" PRIx64, run->result.event_hash);
	struct buf report = { 0 };
	control_report(&job->control, &report);
	struct lesson lesson = {
		.plan = &run->plan,
		.result = &run->result,
		.report = report.data ? report.data : "",
		.report_bytes = report.size,
		.channel = job->control.channel,
		.is_new = map_set(&self->hashes, hash, NULL),
	};
	if (campaign->known)
		known_take_lost(campaign->known, job->control.channel);
	campaign->answered++;
	campaign->distinct += lesson.is_new;
	code = campaign->take(campaign->context, run, &lesson, err);
	if (code == 1)
		end(self, CAMPAIGN_STOPPED);
	job->is_requested = false;
	campaign->planner->learn(campaign->planner, &lesson);
	buf_release(&report);
	return code < 0 ? code : 0;
}

static int start(struct serving *self, struct err *err)
{
	int code = 0;
	for (uint64_t i = 0; i < self->campaign->jobs && code == 0; i++)
		code = open_job(self, &self->jobs[i], err);
	for (uint64_t i = 0; i < self->campaign->jobs && code == 0; i++) {
		struct job *job = &self->jobs[i];
		if (!wait_for(self, job))
			return 0;
		code = control_answer(&job->control, &job->run.result, err);
		if (self->campaign->capture_room) {
			capture_drain(&job->capture);
			capture_begin(&job->capture);
		}
		if (code == 0)
			code = request_schedule(self, job, err);
	}
	return code;
}

int campaign_serve(struct campaign *campaign, struct err *err)
{
	struct serving self = { .campaign = campaign, .start = time_now_seconds() };
	if (campaign->jobs == 0 || campaign->jobs > CAMPAIGN_MAX_JOBS)
		BUG("%" PRIu64 " jobs", campaign->jobs);
	self.jobs = mem_alloc(campaign->jobs * sizeof *self.jobs);
	int code = start(&self, err);
	for (uint64_t turn = 0; code == 0; turn++) {
		struct job *job = &self.jobs[turn % campaign->jobs];
		if (!job->is_requested)
			break;
		if (!wait_for(&self, job)) {
			campaign->cut_number = job->run.number;
			campaign->cut_seconds = time_now_seconds() - job->requested_at;
			break;
		}
		code = take(&self, job, err);
		if (code == 0)
			code = request_schedule(&self, job, err);
	}
	if (campaign->end != CAMPAIGN_PLANNED && campaign->planner->progress)
		campaign->reason = campaign->planner->progress(campaign->planner);
	for (uint64_t i = 0; i < campaign->jobs; i++)
		close_job(&self, &self.jobs[i]);
	campaign->elapsed = time_now_seconds() - self.start;
	map_release(&self.hashes);
	free(self.jobs);
	return code;
}
