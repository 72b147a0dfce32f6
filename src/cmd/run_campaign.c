/* run_campaign.c: many schedules of one program. What it writes goes nowhere; a table says how the schedules ended. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/run_priv.h"
#include "cmd/stop.h"
#include "explore/campaign.h"
#include "explore/sandbox.h"
#include "judge/outcome.h"
#include "narrate/detected.h"

/* One way to end. */
struct row {
	char *words;
	uint64_t count, first_seed;
	int status; /* what it means for our exit status */
};

/* The runs are numbered from 0 here: run number t is of seed + t / repeat. */
struct table {
	const struct run_options *settings;
	struct trace trace; /* what all of them have in common */
	struct campaign campaign;
	uint64_t runs, repeat;
	struct row *rows;
	size_t row_count;
	struct trace_result *firsts; /* [runs] with repeat above 1: the first result of each seed, when is_seen */
	bool *is_seen;
	uint64_t differing, first_differing;
	uint64_t events;
	struct strings limits; /* what runs missed, each once */
	struct judge judge;    /* with --detect: what was found */
	struct known known;    /* and what runs need not report again */
	struct suppressions suppressions;
	struct sandbox sandbox; /* for the logs of the runs */
	char *log;
};

static volatile sig_atomic_t is_stopped;

static uint64_t seed_of(const struct table *self, uint64_t ticket)
{
	return self->trace.request.seed + ticket / self->repeat;
}

static int status_of(const struct trace_result *result)
{
	int status;
	if (!outcome_is_program_end(result, &status))
		return status;
	return result->outcome == HEDDLE_OUTCOME_EXIT && result->status == 0 ? EXIT_FOUND_NOTHING : EXIT_FINDINGS;
}

static void count_outcome(struct table *self, uint64_t seed, const struct trace_result *result)
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

static void count_repeat(struct table *self, uint64_t ticket, const struct trace_result *result)
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

static void print_run(uint64_t seed, const struct trace_result *result)
{
	struct buf out = { 0 };
	outcome_stats(&out, result);
	fprintf(stderr, "heddle: seed %" PRIu64 ": %s\n", seed, out.data);
	buf_release(&out);
}

static void take_limits(struct table *self, const struct lesson *learned)
{
	struct report report;
	report_parse(&report, learned->report, learned->report_bytes);
	for (size_t i = 0; i < report.limit_count; i++)
		if (!strings_has(&self->limits, report.limits[i]))
			strings_add(&self->limits, report.limits[i]);
	report_release(&report);
}

static int take(void *context, const struct campaign_run *run, struct lesson *learned, struct err *err)
{
	struct table *self = context;
	uint64_t ticket = run->number - 1;
	(void)err;
	if (self->settings->is_stats)
		print_run(seed_of(self, ticket), &run->result);
	count_outcome(self, seed_of(self, ticket), &run->result);
	count_repeat(self, ticket, &run->result);
	self->events += run->result.event_count;
	take_limits(self, learned);
	if (self->settings->request.is_detecting)
		detected_count(&self->judge, run, learned->report, learned->report_bytes);
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return x->count < y->count ? 1 : x->count > y->count ? -1 : strcmp(x->words, y->words);
}

static void print_table(struct table *self)
{
	uint64_t answered = self->campaign.answered;
	double seconds = self->campaign.elapsed;
	printf("%" PRIu64 " schedule%s, %" PRIu64 " different; %.1f per second, %.0f events each\n", answered,
	       answered == 1 ? "" : "s", self->campaign.distinct, seconds > 0 ? (double)answered / seconds : 0.0,
	       answered ? (double)self->events / (double)answered : 0.0);
	if (!answered)
		return;
	qsort(self->rows, self->row_count, sizeof *self->rows, compare_rows);
	printf("%10s  %10s  %s\n", "count", "first seed", "outcome");
	for (size_t i = 0; i < self->row_count; i++)
		printf("%10" PRIu64 "  %10" PRIu64 "  %s\n", self->rows[i].count, self->rows[i].first_seed,
		       self->rows[i].words);
}

static uint64_t print_detected(struct table *self)
{
	const struct findings *findings = &self->judge.findings;
	uint64_t count = 0;
	detected_finish(&self->judge, &self->suppressions);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = findings->items[i];
		if (!detected_is(finding) || finding->identity.suppression)
			continue;
		if (count++ == 0)
			printf("%10s  %10s  %s\n", "count", "first seed", "found");
		printf("%10" PRIu64 "  %10" PRIu64 "  %s\n", finding->evidence.seen,
		       seed_of(self, finding->evidence.first - 1), finding->presentation.summary.data);
	}
	struct buf out = { 0 };
	suppressions_list_used(&out, "", &self->suppressions, findings, false);
	fputs(out.data ? out.data : "", stdout);
	buf_release(&out);
	return count;
}

static void print_missed(struct table *self)
{
	judge_count_lost(&self->judge);
	for (size_t i = 0; i < self->judge.missed.count; i++)
		printf("note: %s\n", self->judge.missed.items[i]);
}

static void warn_unused(const struct table *self)
{
	struct buf out = { 0 };
	suppressions_list_unused(&out, &self->suppressions);
	fflush(stdout);
	err_show(&out);
	buf_release(&out);
}

static void print_limits(const struct table *self)
{
	for (size_t i = 0; i < self->limits.count; i++) {
		char *shown = text_terminal_copy(self->limits.items[i]);
		fprintf(stderr, "heddle: note: %s\n", shown);
		free(shown);
	}
}

static void print_left(const struct table *self)
{
	struct buf out = { 0 };
	keeper_describe(&out, &self->campaign.left);
	err_show(&out);
	buf_release(&out);
}

static int check_repeats(const struct table *self, struct err *err)
{
	if (!self->differing)
		return 0;
	err_hint(err, "the program may depend on something outside that changes, such as the real date (--date "
		      "real) or a network");
	return err_set(err, EINVAL,
		       "%" PRIu64 " of %" PRIu64
		       " runs differed from another run with the same seed; the first is seed %" PRIu64,
		       self->differing, self->campaign.answered, self->first_differing);
}

static int check_whole(const struct table *self, struct err *err)
{
	if (self->campaign.end != CAMPAIGN_STOPPED)
		return 0;
	return err_set(err, EINTR, "interrupted: %" PRIu64 " of %" PRIu64 " runs had ended", self->campaign.answered,
		       self->campaign.runs);
}

static int exit_status(const struct table *self, bool is_found)
{
	int status = is_found ? EXIT_FINDINGS : self->judge.missed.count ? EXIT_CANNOT : EXIT_FOUND_NOTHING;
	for (size_t i = 0; i < self->row_count; i++)
		if (self->rows[i].status > status)
			status = self->rows[i].status;
	return status;
}

static void release(struct table *self)
{
	for (size_t i = 0; i < self->row_count; i++)
		free(self->rows[i].words);
	free(self->rows);
	free(self->firsts);
	free(self->is_seen);
	strings_release(&self->limits);
	judge_release(&self->judge);
	known_release(&self->known);
	suppressions_release(&self->suppressions);
	sandbox_remove(&self->sandbox);
	free(self->log);
	if (self->campaign.planner)
		self->campaign.planner->free(self->campaign.planner);
	trace_free(&self->trace);
}

static int prepare(struct table *self, struct err *err)
{
	self->runs = self->settings->runs;
	self->repeat = self->settings->repeat == RUN_NUMBER_NONE ? 1 : self->settings->repeat;
	uint64_t jobs = self->settings->jobs == RUN_NUMBER_NONE ? 1 : self->settings->jobs,
		 all = self->runs * self->repeat;
	if (self->runs == 0 || self->repeat == 0 || jobs == 0)
		return err_set(err, EINVAL, "--runs, --repeat and --jobs must be at least 1");
	if (jobs > CAMPAIGN_MAX_JOBS || self->runs > UINT32_MAX || self->repeat > UINT32_MAX)
		return err_set(err, EINVAL, "--jobs can be at most %u, --runs and --repeat at most 4294967295",
			       CAMPAIGN_MAX_JOBS);
	if (self->repeat > 1) {
		self->firsts = mem_alloc(self->runs * sizeof *self->firsts);
		self->is_seen = mem_alloc(self->runs * sizeof *self->is_seen);
	}
	int code = self->settings->request.is_detecting
			   ? suppressions_read(&self->suppressions, &self->settings->suppressions, err)
			   : 0;
	self->judge.suppressions = self->suppressions.count ? &self->suppressions : NULL;
	if (code == 0)
		code = run_describe(&self->trace, &self->settings->request, err);
	if (code < 0)
		return code;
	/* Only runs that have a log say which files were mapped where. */
	if (self->settings->request.is_detecting && (code = sandbox_make(&self->sandbox, err)) < 0)
		return code;
	if (self->settings->request.is_detecting)
		self->log = mem_format("%s/log", self->sandbox.path);
	const struct trace_request *request = &self->trace.request;
	self->judge.known = &self->known;
	struct plan plan = {
		.strategy = request->strategy, .seed = request->seed, .depth = request->depth, .length = request->length
	};
	self->campaign = (struct campaign){
		.trace = &self->trace,
		.setup = { .flags = HEDDLE_CONTROL_DISCARD | (self->log ? HEDDLE_CONTROL_RECORD : 0u),
			   .trace_path = self->log,
			   .is_unattended = true,
			   .has_own_session = true, /* Ctrl-C is for us, not a signal that a schedule ends by */
			   .quiet_seconds =
				   self->settings->request.hang == RUN_NUMBER_NONE ? 0 : self->settings->request.hang },
		.planner = planner_fixed_new(&plan, self->repeat),
		.jobs = jobs < all ? jobs : all,
		.runs = all,
		.input_fd = -1,
		.is_stopped = &is_stopped,
		.known = &self->known,
		.take = take,
		.context = self,
	};
	return 0;
}

int run_campaign(const struct run_options *settings)
{
	struct err err = ERR_INIT;
	struct table table = { .settings = settings };
	int status = EXIT_CANNOT;
	trace_init(&table.trace);
	int code = prepare(&table, &err);
	if (code == -EINVAL)
		status = EXIT_USAGE;
	if (code == 0) {
		stop_catch(&is_stopped);
		code = campaign_serve(&table.campaign, &err);
		print_table(&table);
		bool is_found = settings->request.is_detecting && print_detected(&table);
		print_missed(&table);
		print_left(&table);
		print_limits(&table);
		run_warn_idle(&settings->request, &table.trace);
		warn_unused(&table);
		if (code == 0)
			code = check_repeats(&table, &err);
		if (code == 0)
			status = exit_status(&table, is_found);
		if (code == 0 && (code = check_whole(&table, &err)) < 0 && status == EXIT_FOUND_NOTHING)
			status = EXIT_CANNOT;
	}
	if (code < 0)
		err_print(&err, "heddle");
	release(&table);
	return status;
}
