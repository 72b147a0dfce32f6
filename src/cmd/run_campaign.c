/*
 * run_campaign.c: many schedules of one program, by fork servers: one server a job, each asked for the next schedule as
 * soon as it has answered. What the program writes goes nowhere; a table says how the schedules ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/map.h"
#include "cmd/control.h"
#include "cmd/launch.h"
#include "cmd/outcome.h"
#include "cmd/run_priv.h"

#define JOBS_MAX 256u

/* One way to end. */
struct row {
	char *words;
	uint64_t count, first_seed;
	int status; /* what it means for our exit status */
};

struct job {
	struct control control;
	uint64_t ticket; /* which run it was asked for */
	bool is_started; /* it is before main */
	bool is_idle;    /* there is nothing left to ask for */
};

/* The runs are numbered from 0: run number t is of seed + t / repeat. */
struct campaign {
	struct trace trace; /* what all of them have in common */
	struct job *jobs;
	uint64_t job_count, runs, repeat;
	uint64_t asked, answered;
	struct row *rows;
	size_t row_count;
	struct map hashes;           /* of events, in hexadecimal */
	struct trace_result *firsts; /* [runs] with repeat above 1: the first result of each seed, when is_seen */
	bool *is_seen;
	uint64_t differing, first_differing;
	uint64_t events;
};

static uint64_t seed_of(const struct campaign *self, uint64_t ticket)
{
	return self->trace.ask.seed + ticket / self->repeat;
}

static int status_of(const struct trace_result *result)
{
	int status;
	if (!outcome_is_its_own(result, &status))
		return status;
	return result->outcome == HEDDLE_OUTCOME_EXIT && result->status == 0 ? EXIT_FOUND_NOTHING : EXIT_FINDINGS;
}

static void count_outcome(struct campaign *self, uint64_t seed, const struct trace_result *result)
{
	struct buf words = { 0 };
	outcome_words(&words, result);
	struct row *row = NULL;
	for (size_t i = 0; i < self->row_count && !row; i++)
		if (strcmp(self->rows[i].words, words.data) == 0)
			row = &self->rows[i];
	if (!row) {
		self->rows = mem_resize(self->rows, (self->row_count + 1) * sizeof *self->rows);
		row = &self->rows[self->row_count++];
		*row = (struct row){ .words = mem_copy_string(words.data),
				     .first_seed = seed,
				     .status = status_of(result) };
	}
	row->count++;
	if (seed < row->first_seed)
		row->first_seed = seed;
	buf_release(&words);
}

/* The process id and the like are not part of a result. */
static bool is_same(const struct trace_result *a, const struct trace_result *b)
{
	return a->outcome == b->outcome && a->status == b->status && a->event_count == b->event_count &&
	       a->event_hash == b->event_hash && a->output_hash == b->output_hash;
}

static void count_repeat(struct campaign *self, uint64_t ticket, const struct trace_result *result)
{
	uint64_t at = ticket / self->repeat;
	if (!self->firsts)
		return;
	if (!self->is_seen[at]) {
		self->is_seen[at] = true;
		self->firsts[at] = *result;
	} else if (!is_same(&self->firsts[at], result)) {
		if (self->differing++ == 0 || seed_of(self, ticket) < self->first_differing)
			self->first_differing = seed_of(self, ticket);
	}
}

static void say(uint64_t seed, const struct trace_result *result)
{
	struct buf out = { 0 };
	outcome_stats(&out, result);
	fprintf(stderr, "heddle: seed %" PRIu64 ": %s\n", seed, out.data);
	buf_release(&out);
}

static void count(struct campaign *self, uint64_t ticket, const struct trace_result *result)
{
	if (run_asked.is_stats)
		say(seed_of(self, ticket), result);
	char hash[20];
	snprintf(hash, sizeof hash, "%016" PRIx64, result->event_hash);
	map_set(&self->hashes, hash, NULL);
	count_outcome(self, seed_of(self, ticket), result);
	count_repeat(self, ticket, result);
	self->events += result->event_count;
	self->answered++;
}

static int ask_next(struct campaign *self, struct job *job, struct err *err)
{
	job->is_idle = self->asked == self->runs * self->repeat;
	if (job->is_idle)
		return 0;
	struct trace_ask ask = self->trace.ask;
	job->ticket = self->asked++;
	ask.seed = seed_of(self, job->ticket);
	return control_ask(&job->control, &ask, HEDDLE_CONTROL_SERVER | HEDDLE_CONTROL_DISCARD, err);
}

static int take_answer(struct campaign *self, struct job *job, struct err *err)
{
	struct trace_result result;
	int code = control_answer(&job->control, &result, err);
	if (code < 0)
		return code;
	if (job->is_started)
		count(self, job->ticket, &result);
	job->is_started = true;
	return ask_next(self, job, err);
}

static int start_jobs(struct campaign *self, struct err *err)
{
	struct control_setup setup = { .flags = HEDDLE_CONTROL_SERVER | HEDDLE_CONTROL_DISCARD,
				       .is_unattended = true,
				       .quiet_seconds = run_asked.hang == RUN_NUMBER_NONE ? 0 : run_asked.hang };
	int code = 0;
	for (uint64_t i = 0; i < self->job_count && code == 0; i++)
		code = control_start(&self->jobs[i].control, &self->trace, &setup, err);
	return code;
}

static int serve(struct campaign *self, struct err *err)
{
	struct pollfd polls[JOBS_MAX];
	int code = start_jobs(self, err);
	while (code == 0 && self->answered < self->runs * self->repeat) {
		for (uint64_t i = 0; i < self->job_count; i++)
			polls[i] = (struct pollfd){ .fd = self->jobs[i].is_idle ? -1 : self->jobs[i].control.server_fd,
						    .events = POLLIN };
		if (poll(polls, self->job_count, -1) < 0) {
			if (errno != EINTR)
				return err_set(err, errno, "cannot wait for the runs: %s", strerror(errno));
			continue;
		}
		for (uint64_t i = 0; i < self->job_count && code == 0; i++)
			if (polls[i].revents)
				code = take_answer(self, &self->jobs[i], err);
	}
	return code;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return x->count < y->count ? 1 : x->count > y->count ? -1 : strcmp(x->words, y->words);
}

static void print_table(struct campaign *self, double seconds)
{
	printf("%" PRIu64 " schedule%s, %zu different; %.1f a second, %.0f events each\n", self->answered,
	       self->answered == 1 ? "" : "s", self->hashes.count, seconds > 0 ? (double)self->answered / seconds : 0.0,
	       self->answered ? (double)self->events / (double)self->answered : 0.0);
	if (!self->answered)
		return;
	qsort(self->rows, self->row_count, sizeof *self->rows, compare_rows);
	printf("%10s  %10s  %s\n", "count", "first seed", "outcome");
	for (size_t i = 0; i < self->row_count; i++)
		printf("%10" PRIu64 "  %10" PRIu64 "  %s\n", self->rows[i].count, self->rows[i].first_seed,
		       self->rows[i].words);
}

static void say_left(const struct campaign *self)
{
	struct keeper_left left = { .count = 0 };
	struct buf out = { 0 };
	for (uint64_t i = 0; i < self->job_count; i++)
		keeper_add_left(&left, &self->jobs[i].control.left);
	keeper_describe(&out, &left);
	if (out.size)
		fwrite(out.data, 1, out.size, stderr);
	buf_release(&out);
}

static int check_repeats(const struct campaign *self, struct err *err)
{
	if (!self->differing)
		return 0;
	err_hint(err, "the program may depend on something outside that changes, such as --date real or a network");
	return err_set(err, EINVAL,
		       "%" PRIu64 " of %" PRIu64
		       " runs differed from another run of the same seed; the first is seed %" PRIu64,
		       self->differing, self->answered, self->first_differing);
}

static int exit_status(const struct campaign *self)
{
	int status = EXIT_FOUND_NOTHING;
	for (size_t i = 0; i < self->row_count; i++)
		if (self->rows[i].status > status)
			status = self->rows[i].status;
	return status;
}

static void release(struct campaign *self)
{
	for (uint64_t i = 0; i < self->job_count; i++)
		control_release(&self->jobs[i].control);
	for (size_t i = 0; i < self->row_count; i++)
		free(self->rows[i].words);
	free(self->rows);
	free(self->jobs);
	free(self->firsts);
	free(self->is_seen);
	map_release(&self->hashes);
	trace_free(&self->trace);
}

static double now_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int prepare(struct campaign *self, char **program, struct err *err)
{
	self->runs = run_asked.runs;
	self->repeat = run_asked.repeat == RUN_NUMBER_NONE ? 1 : run_asked.repeat;
	uint64_t jobs = run_asked.jobs == RUN_NUMBER_NONE ? 1 : run_asked.jobs;
	if (self->runs == 0 || self->repeat == 0 || jobs == 0)
		return err_set(err, EINVAL, "--runs, --repeat and --jobs want at least 1");
	if (jobs > JOBS_MAX || self->runs > UINT32_MAX || self->repeat > UINT32_MAX)
		return err_set(err, EINVAL, "at most %u --jobs, and 4294967295 --runs and --repeat", JOBS_MAX);
	self->job_count = jobs < self->runs * self->repeat ? jobs : self->runs * self->repeat;
	self->jobs = mem_alloc(self->job_count * sizeof *self->jobs);
	for (uint64_t i = 0; i < self->job_count; i++)
		control_init(&self->jobs[i].control);
	if (self->repeat > 1) {
		self->firsts = mem_alloc(self->runs * sizeof *self->firsts);
		self->is_seen = mem_alloc(self->runs * sizeof *self->is_seen);
	}
	return run_describe(&self->trace, program, err);
}

int run_campaign(char **program)
{
	struct err err = ERR_INIT;
	struct campaign campaign = { .job_count = 0 };
	int status = EXIT_CANNOT;
	trace_init(&campaign.trace);
	int code = prepare(&campaign, program, &err);
	if (code == -EINVAL)
		status = EXIT_USAGE;
	if (code == 0) {
		double start = now_seconds();
		code = serve(&campaign, &err);
		print_table(&campaign, now_seconds() - start);
		say_left(&campaign);
		if (code == 0)
			code = check_repeats(&campaign, &err);
		if (code == 0)
			status = exit_status(&campaign);
	}
	if (code < 0)
		err_print(&err, "heddle");
	release(&campaign);
	return status;
}
