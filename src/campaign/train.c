/* train.c: see train.h. */
#include "campaign/train_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "launch/environment.h"
#include "launch/launch.h"
#include "symbols/switch_set.h"

#define POLL_MS 1000
/* A program may end by itself for so long after SIGTERM. */
#define GRACE_SECONDS 5.0

/* A run that is going on. */
struct native_run {
	struct keeper keeper;
	struct capture capture;
	pid_t pid;
	int status;
	bool is_cut, is_long; /* we have ended it, because of its own limit of time */
	double started;
};

static int make_environment(struct session *session, struct err *err)
{
	const struct training_request *request = session->training->request;
	struct buf options = { 0 };
	environment_options(&options);
	int code = switch_set(&options, request->switched ? request->switched : "all", session->path, true, err);
	buf_format(&options, ":train=%s", session->file.path);
	if (code == 0)
		code = environment_uncontrolled("train", options.data, &session->environment, err);
	buf_release(&options);
	return code;
}

int train_open_input(const struct training_request *request, struct err *err)
{
	const char *name = request->input ? request->input : "/dev/null";
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	int code = errno;
	char *shown = text_terminal_copy(name);
	err_set(err, code, "cannot read \"%s\": %s", shown, strerror(code));
	free(shown);
	return -code;
}

static int start(struct session *session, const struct strings *environment, struct native_run *run, struct err *err)
{
	const struct training_request *request = session->training->request;
	int ends[2] = { -1, -1 }, input = train_open_input(request, err);
	if (input < 0)
		return input;
	keeper_init(&run->keeper);
	int code = capture_open(&run->capture, session->check.words.count ? MAX_CHECK_OUTPUT : TRAIN_CAPTURE_ROOM, ends,
				err);
	struct launch launch = { .path = session->path,
				 .arguments = request->program,
				 .environment = environment->items,
				 .is_unattended = true,
				 .has_own_session = true,
				 .descriptors = { { input, 0 }, { ends[0], 1 }, { ends[1], 2 } },
				 .descriptor_count = 3,
				 .keeper = &run->keeper };
	run->started = time_now_seconds();
	if (code == 0)
		code = launch_start(&launch, &run->pid, err);
	close(input);
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return code;
}

/* Until the program ends, or the time. Returns whether it has ended. */
static bool wait_until(struct session *session, struct native_run *run, double deadline, bool is_stoppable)
{
	for (;;) {
		struct pollfd fds[3] = { { .fd = run->keeper.fd, .events = POLLIN } };
		double left = deadline ? deadline - time_now_seconds() : POLL_MS / 1000.0;
		for (int i = 0; i < 2; i++)
			fds[i + 1] = (struct pollfd){ .fd = run->capture.streams[i].fd, .events = POLLIN };
		int got = poll(fds, 3, left <= 0 ? 0 : left * 1000 < POLL_MS ? (int)(left * 1000) + 1 : POLL_MS);
		capture_drain(&run->capture);
		if (got > 0 && fds[0].revents)
			return true;
		/* A stream that the program has closed is always ready. */
		if (got > 0 && !((fds[1].revents | fds[2].revents) & POLLIN))
			keeper_poll(&run->keeper, time_now_seconds() + 0.01);
		if ((deadline && left <= 0) || (is_stoppable && *session->training->is_stopped))
			return false;
	}
}

/* When the run has to end; *is_own: by its own limit. 0: never. */
static double deadline_of(const struct session *session, const struct native_run *run, bool *is_own)
{
	const struct training *training = session->training;
	double limit = (double)training->request->run_seconds, own;
	double known = training->longest > 0 ? training->longest : training->longest_ended;
	if (limit == 0 && known > 0) {
		limit = known * TRAINING_RUN_FACTOR;
		limit = limit < TRAINING_RUN_SECONDS ? TRAINING_RUN_SECONDS : limit;
	}
	own = limit > 0 ? run->started + limit : 0;
	*is_own = own > 0 && (session->deadline == 0 || own < session->deadline);
	return *is_own ? own : session->deadline;
}

static int finish(struct session *session, struct native_run *run, struct err *err)
{
	int code = 0;
	bool is_own;
	double deadline = deadline_of(session, run, &is_own);
	if (!wait_until(session, run, deadline, true)) {
		run->is_cut = true;
		run->is_long = is_own && time_now_seconds() >= deadline;
		kill(run->pid, SIGTERM);
		if (!wait_until(session, run, time_now_seconds() + GRACE_SECONDS, false))
			kill(run->pid, SIGKILL);
	}
	code = launch_wait(run->pid, &run->keeper, &run->status, err);
	const double took = time_now_seconds() - run->started;
	if (!run->is_cut && took > session->training->longest_ended)
		session->training->longest_ended = took;
	capture_drain(&run->capture);
	if (code == 0) {
		struct keeper_left left;
		keeper_end(&run->keeper, &left);
		keeper_add_left(&session->training->left, &left);
	}
	capture_drain(&run->capture);
	return code;
}

/* The status that a shell would have; that of a signal only where we sent it. */
static bool has_wanted_status(const struct training_request *request, const struct native_run *run)
{
	if (WIFEXITED(run->status))
		return (uint64_t)WEXITSTATUS(run->status) == request->status;
	return run->is_cut && WTERMSIG(run->status) == SIGTERM && request->status == 128 + SIGTERM;
}

void train_note_failure(struct training *training, char *words, const struct buf *output)
{
	if (training->first_failure) {
		free(words);
		return;
	}
	training->first_failure = words;
	if (output->size)
		buf_add(&training->failure_output, output->data, output->size);
}

static char *status_in_words(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return mem_format("signal %d (SIGSYS): a seccomp filter of the program may forbid system calls that "
				  "Heddle's runtime makes in it",
				  SIGSYS);
	return WIFSIGNALED(status) ? mem_format("signal %d", WTERMSIG(status))
				   : mem_format("exit status %d", WEXITSTATUS(status));
}

/* Returns an enum training_judgement, or a negative errno with err set. */
static int judge(struct session *session, const struct native_run *run, struct err *err)
{
	struct training *training = session->training;
	struct buf said = { 0 };
	char *how = NULL;
	if (!has_wanted_status(training->request, run)) {
		if (run->is_long)
			train_note_failure(
				training,
				mem_format("it had not ended after %.0f seconds", time_now_seconds() - run->started),
				&run->capture.streams[1].kept);
		if (run->is_cut)
			return run->is_long ? TRAINING_LONG : TRAINING_CUT;
		train_note_failure(training, status_in_words(run->status), &run->capture.streams[1].kept);
		return WIFSIGNALED(run->status) ? TRAINING_SIGNAL : TRAINING_STATUS;
	}
	if (!session->check.words.count)
		return TRAINING_CORRECT;
	const struct campaign_run checked = { .result = { .status = (int)training->request->status },
					      .capture = &run->capture };
	int code = check_run(&session->check, &checked, training->is_stopped, &how, &said, err);
	if (code == 0)
		train_note_failure(training, mem_format("the check ended with %s", how), &said);
	buf_release(&said);
	free(how);
	return code < 0 ? code : code ? TRAINING_CORRECT : TRAINING_CHECK;
}

static int not_woven(const struct session *session, struct err *err)
{
	char *shown = text_terminal_copy(session->path);
	err_set(err, ENOENT, "\"%s\" ran, but contains no woven code, so there is nothing to learn", shown);
	err_hint(err, "build it with CC=heddle-cc CXX=heddle-c++; programs that change their user (setuid) cannot be "
		      "observed");
	free(shown);
	return -ENOENT;
}

/* What the run showed; learned if it was correct. */
int train_learn(struct session *session, const struct train_file *file, struct training_run *result, struct err *err)
{
	struct training *training = session->training;
	struct train_run shown;
	int code = train_read(file, &shown, err);
	if (code == 0 && shown.process_count == 0)
		code = not_woven(session, err);
	if (code == 0) {
		training->lost_histories += shown.lost_histories;
		training->lost_objects += shown.lost_objects;
		training->displaced += shown.displaced;
		training->damaged_count += shown.damaged_count;
		training->switched_count = shown.switched_count;
	}
	if (code == 0 && result->judgement == TRAINING_CORRECT) {
		code = learned_add_run(training->learned, &session->builds, &shown, err);
		if (code == 0)
			result->gain = learned_end_run(training->learned);
	}
	train_run_release(&shown);
	return code;
}

/* Delays that the runtime inserts change the order of accesses; runs without any show the usual one. */
static uint32_t seed_of(const struct training_run *run)
{
	return run->kind == TRAINING_DELAYED ? (uint32_t)run->number : 0;
}

static enum training_kind kind_of(const struct training *training, uint64_t number)
{
	if (training->request->is_relaxing && training->correct_count && number % TRAINING_GUARDED_SHARE == 0)
		return TRAINING_GUARDED;
	return number % 2 ? TRAINING_PLAIN : TRAINING_DELAYED;
}

static int run_program(struct session *session, const struct strings *environment, struct training_run *result,
		       struct err *err)
{
	struct native_run run = { .capture = { { { .fd = -1 }, { .fd = -1 } }, 0 } };
	int code = start(session, environment, &run, err);
	if (code == 0) {
		code = finish(session, &run, err);
		keeper_release(&run.keeper);
	}
	int judgement = code == 0 ? judge(session, &run, err) : code;
	capture_release(&run.capture);
	if (judgement < 0)
		return judgement;
	result->judgement = (enum training_judgement)judgement;
	result->status = run.status;
	result->seconds = time_now_seconds() - run.started;
	return 0;
}

static int run_observed(struct session *session, struct training_run *result, struct err *err)
{
	int code = train_make(&session->file, seed_of(result), err);
	if (code == 0)
		code = run_program(session, &session->environment, result, err);
	return code < 0 ? code : train_learn(session, &session->file, result, err);
}

/* Whether the order occurred: not if a stall resolved all violations, nor if the program ended during the only one. */
static bool has_happened(const struct heddle_guard_pair *pair)
{
	for (int end = HEDDLE_VIOLATION_RESOLVED + 1; end < HEDDLE_VIOLATION_ENDS; end++)
		if (pair->ends[end])
			return true;
	return false;
}

/* Of what came before the predecessor nothing is known. */
static void join(struct session *session, const struct heddle_guard_pair *pair)
{
	const struct guard_plan *plan = &session->plan;
	uint32_t previous = pair->key & 0xffff, places[1] = { previous ? plan->numbers[previous] : 0 };
	const struct learned_history history = { .place = plan->numbers[pair->key >> 16],
						 .count = previous != HEDDLE_GUARD_NIL,
						 .places = places,
						 .is_whole = previous == HEDDLE_GUARD_NIL,
						 .runs = 1 };
	learned_add_history(session->training->learned, &history, session->training->learned->run_count + 1);
	session->training->joined++;
}

static int relax(struct session *session, struct training_run *result, struct err *err)
{
	struct guard_log log = { 0 };
	int code = guard_log_read(&session->guard, &session->plan.content, &log, err);
	if (code == 0 && result->judgement == TRAINING_CORRECT) {
		session->training->violations += log.pair_count;
		for (size_t i = 0; i < log.pair_count; i++)
			if (has_happened(&log.pairs[i]))
				join(session, &log.pairs[i]);
		result->gain = learned_end_run(session->training->learned);
	}
	guard_log_release(&log);
	return code;
}

/* Returns -ENOTSUP if nothing can be guarded by what was learned so far. */
static int run_guarded(struct session *session, struct training_run *result, struct err *err)
{
	struct strings environment = { 0 };
	struct buf options = { 0 };
	struct err ignored = ERR_INIT;
	int code = guard_plan_make(&session->plan, session->training->learned, session->path, NULL, &ignored);
	if (code < 0 || !session->plan.content.site_count) {
		guard_plan_release(&session->plan);
		return -ENOTSUP;
	}
	code = guard_make(&session->guard, &session->plan.content, err);
	environment_options(&options);
	buf_format(&options, ":guard=%s:guard-log=%s", session->guard.path, session->guard.log_path);
	if (code == 0)
		code = environment_uncontrolled("guard", options.data, &environment, err);
	if (code == 0)
		code = run_program(session, &environment, result, err);
	if (code == 0)
		code = relax(session, result, err);
	buf_release(&options);
	strings_release(&environment);
	guard_files_release(&session->guard);
	guard_plan_release(&session->plan);
	return code;
}

static int run_one(struct session *session, struct training_run *result, struct err *err)
{
	result->kind = kind_of(session->training, result->number);
	int code = result->kind == TRAINING_GUARDED ? run_guarded(session, result, err) : -ENOTSUP;
	if (code != -ENOTSUP)
		return code;
	if (result->kind == TRAINING_GUARDED)
		result->kind = TRAINING_PLAIN;
	return run_observed(session, result, err);
}

void train_count(struct training *self, const struct training_run *run)
{
	self->run_count++;
	self->counts[run->judgement]++;
	if (run->judgement == TRAINING_CORRECT) {
		self->correct_count++;
		self->kind_counts[run->kind]++;
		self->kind_gains[run->kind] += run->gain;
		if (run->kind != TRAINING_CONTROLLED && run->seconds > self->longest)
			self->longest = run->seconds;
		self->quiet_count = run->gain ? 0 : self->quiet_count + 1;
	}
	self->took(self->context, run);
}

bool train_is_over(struct session *session)
{
	struct training *self = session->training;
	uint64_t share = self->correct_count / TRAINING_QUIET_SHARE;
	bool is_last = true;
	if (*self->is_stopped)
		self->end = TRAINING_STOPPED;
	else if (session->deadline && time_now_seconds() >= session->deadline)
		self->end = TRAINING_TIME;
	else if (self->quiet_count >= (share > TRAINING_QUIET_RUNS ? share : TRAINING_QUIET_RUNS))
		self->end = TRAINING_CONVERGED;
	else if (self->request->runs && self->run_count >= self->request->runs)
		self->end = TRAINING_RUNS;
	else if (!self->correct_count && self->run_count >= TRAINING_HOPELESS_RUNS)
		self->end = TRAINING_HOPELESS;
	else
		is_last = false;
	return is_last;
}

static int serve_native(struct session *session, struct err *err)
{
	struct training *self = session->training;
	int code = 0;
	for (uint64_t i = 0; i < TRAINING_BATCH; i++) {
		struct training_run run = { .number = self->run_count + 1 };
		code = run_one(session, &run, err);
		if (code < 0)
			return code;
		train_count(self, &run);
		if (train_is_over(session))
			return 1;
	}
	return 0;
}

static int serve(struct session *session, struct err *err)
{
	struct training *self = session->training;
	int code = 0;
	if (self->request->is_native)
		self->no_control = mem_copy_string("--native");
	while (code == 0) {
		code = serve_native(session, err);
		if (code == 0 && !self->no_control)
			code = train_schedules(session, TRAINING_BATCH, err);
		if (code == 0 && train_is_over(session))
			code = 1;
	}
	/* The user stopped it while a run was checked: that run does not count. */
	if (code == -EINTR && *self->is_stopped) {
		self->end = TRAINING_STOPPED;
		code = 0;
	}
	return code < 0 ? code : 0;
}

int training_serve(struct training *self, struct err *err)
{
	struct session session = { .training = self,
				   .file = { .fd = -1 },
				   .guard = { .fd = -1, .log_fd = -1 },
				   .controlled = { .file = { .fd = -1 } } };
	const struct training_request *request = self->request;
	int code = launch_find(request->program[0], &session.path, err);
	if (code == 0 && request->check)
		code = check_init(&session.check, request->check, err);
	if (code == 0)
		code = train_make(&session.file, 0, err);
	if (code == 0)
		code = make_environment(&session, err);
	if (code == 0 && request->seconds)
		session.deadline = time_now_seconds() + (double)request->seconds;
	if (code == 0)
		code = serve(&session, err);
	if (!self->learned->program)
		self->learned->program = mem_copy_string(request->program[0]);
	learned_builds_release(&session.builds);
	train_schedules_release(&session.controlled);
	train_file_release(&session.file);
	strings_release(&session.environment);
	check_release(&session.check);
	free(session.path);
	return code;
}

void training_release(struct training *self)
{
	free(self->first_failure);
	free(self->no_control);
	buf_release(&self->failure_output);
}
