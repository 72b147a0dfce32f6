/*
 * train_control.c: the controlled schedules of a training: one thread at a time, in orders that strategies choose. They show orders that native runs
 * seldom have, and detection says of each whether anything harmful happened in it. A data race alone is nothing harmful: nearly every run of a program
 * that has one shows it, whichever order the accesses had.
 *
 * The program is started once for some schedules: what one of them showed is read, and then removed from the file that all share.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/time.h"
#include "campaign/run_request.h"
#include "campaign/train_priv.h"
#include "judge/outcome.h"
#include "narrate/detected.h"

/* Events of one schedule. Programs that need more are too slow under control to be trained there. */
#define EVENT_BUDGET 5000000u
#define FAIR_AFTER (EVENT_BUDGET / 2)
/* Seconds without an event, and of waiting for the outside. */
#define QUIET_SECONDS 2u
#define OUTSIDE_SECONDS 5u

/* What is wrong with the end of the run; TRAINING_CORRECT: nothing. */
static enum training_judgement judge_end(const struct training_request *request, const struct trace_result *result)
{
	switch ((enum heddle_outcome)result->outcome) {
	case HEDDLE_OUTCOME_EXIT:
		return (uint64_t)result->status == request->status ? TRAINING_CORRECT : TRAINING_STATUS;
	case HEDDLE_OUTCOME_SIGNAL:
		return TRAINING_SIGNAL;
	case HEDDLE_OUTCOME_DEADLOCK:
		return TRAINING_HARM;
	case HEDDLE_OUTCOME_LIVELOCK:
	case HEDDLE_OUTCOME_HANG:
		return TRAINING_LONG;
	case HEDDLE_OUTCOME_NONE:
	case HEDDLE_OUTCOME_DIVERGED:
	case HEDDLE_OUTCOME_REFUSED:
	case HEDDLE_OUTCOME_EXEC:
	case HEDDLE_OUTCOME_LOG_FAILED:
	case HEDDLE_OUTCOME_PREFIX:
	case HEDDLE_OUTCOME_UNANSWERED:
		break;
	}
	return TRAINING_LOST;
}

/* A harmful finding of that run; null: there is none. */
static const struct finding *find_harm(const struct judge *judge, uint64_t number)
{
	for (size_t i = 0; i < judge->findings.count; i++) {
		const struct finding *finding = judge->findings.items[i];
		if (finding->evidence.last == number && kinds[finding->identity.kind].level == KIND_ERROR)
			return finding;
	}
	return NULL;
}

static void note_end(struct training *training, const struct campaign_run *run)
{
	struct buf words = { 0 };
	buf_add_string(&words, "under control: ");
	outcome_words(&words, &run->result);
	train_note_failure(training, words.data, &run->capture->streams[1].kept);
}

static void note_harm(struct training *training, const struct finding *harm)
{
	const struct buf none = { 0 };
	const struct buf *summary = &harm->presentation.summary;
	train_note_failure(
		training,
		mem_format("under control: %s", summary->data ? summary->data : kinds[harm->identity.kind].title),
		&none);
}

/* Returns an enum training_judgement, or a negative errno with err set. */
static int judge(struct session *session, const struct campaign_run *run, const struct lesson *lesson, struct err *err)
{
	struct training *training = session->training;
	struct controlled *self = &session->controlled;
	struct buf said = { 0 };
	char *how = NULL;
	enum training_judgement ending = judge_end(training->request, &run->result);
	detected_count(&self->judge, run, lesson->report, lesson->report_bytes);
	const struct finding *harm = find_harm(&self->judge, run->number);
	if (ending != TRAINING_CORRECT) {
		note_end(training, run);
		return ending;
	}
	if (harm) {
		note_harm(training, harm);
		return TRAINING_HARM;
	}
	if (!session->check.words.count)
		return TRAINING_CORRECT;
	int code = check_run(&session->check, run, training->is_stopped, &how, &said, err);
	if (code == 0)
		train_note_failure(training, mem_format("under control: the check ended with %s", how), &said);
	buf_release(&said);
	free(how);
	return code < 0 ? code : code ? TRAINING_CORRECT : TRAINING_CHECK;
}

/* Not what the program does seems to be the reason, but that it is controlled, if no schedule was correct. */
static void count_vain(struct session *session, const struct training_run *run)
{
	struct controlled *self = &session->controlled;
	struct training *training = session->training;
	self->vain = run->judgement == TRAINING_CORRECT ? 0 : self->vain + 1;
	if (run->judgement == TRAINING_LOST || run->judgement == TRAINING_LONG)
		training->no_control =
			mem_copy_string(run->judgement == TRAINING_LOST ? "one could not be controlled to its end"
									: "one did not end in time");
	else if (self->vain == TRAINING_VAIN)
		training->no_control = mem_format("%u in a row were not correct", TRAINING_VAIN);
}

static int take(void *context, const struct campaign_run *run, struct lesson *lesson, struct err *err)
{
	struct session *session = context;
	struct controlled *self = &session->controlled;
	struct training *training = session->training;
	struct training_run result = { .number = training->run_count + 1,
				       .kind = TRAINING_CONTROLLED,
				       .seconds = run->seconds };
	self->made++;
	int code = judge(session, run, lesson, err);
	if (code < 0)
		return code;
	result.judgement = (enum training_judgement)code;
	lesson->is_failure = result.judgement != TRAINING_CORRECT;
	code = train_learn(session, &self->file, &result, err);
	if (code == 0 && (code = train_clear(&self->file)) < 0)
		err_set(err, -code, "cannot empty the file for histories: %s", strerror(-code));
	if (code < 0)
		return code;
	train_count(training, &result);
	count_vain(session, &result);
	return training->no_control || train_is_over(session) ? 1 : 0;
}

static int prepare(struct session *session, struct err *err)
{
	struct controlled *self = &session->controlled;
	const struct training_request *request = session->training->request;
	struct run_request run = RUN_REQUEST_INIT;
	run.program = request->program;
	run.switched = request->switched;
	run.timing = "strict";
	run.is_detecting = run.is_audit = true;
	trace_init(&self->trace);
	self->is_ready = true;
	int code = train_make(&self->file, 0, err);
	if (code == 0)
		code = run_describe(&self->trace, &run, err);
	if (code == 0)
		code = sandbox_make(&self->sandbox, err);
	if (code < 0)
		return code;
	char *options = mem_format("%s:train=%s", self->trace.options, self->file.path);
	free(self->trace.options);
	self->trace.options = options;
	self->trace.request.event_budget = EVENT_BUDGET;
	self->log = mem_format("%s/log", self->sandbox.path);
	self->planner =
		planner_named_new(request->strategy ? request->strategy : planner_names[0],
				  plan_first_seed(session->training->learned->run_count + 1), 0, &self->judge.cycles);
	return 0;
}

/* A training is possible without control, so what stands in its way is only noted. */
static int give_up(struct training *training, const struct err *why)
{
	training->no_control = mem_copy_string(why->message);
	return 0;
}

int train_schedules(struct session *session, uint64_t count, struct err *err)
{
	struct controlled *self = &session->controlled;
	struct training *training = session->training;
	const struct training_request *request = training->request;
	struct err problem = ERR_INIT;
	uint64_t left = request->runs ? request->runs - training->run_count : count, made = self->made;
	if (training->counts[TRAINING_CUT]) {
		training->no_control = mem_copy_string("the program does not end by itself");
		return 0;
	}
	if (!self->is_ready && prepare(session, &problem) < 0)
		return give_up(training, &problem);
	int input = train_open_input(request, err);
	if (input < 0)
		return input;
	struct campaign campaign = {
		.trace = &self->trace,
		.setup = { .flags = HEDDLE_CONTROL_RECORD,
			   .trace_path = self->log,
			   .is_unattended = true,
			   .has_own_session = true,
			   .quiet_seconds = QUIET_SECONDS,
			   .outside_seconds = OUTSIDE_SECONDS,
			   .fair_after = FAIR_AFTER },
		.planner = self->planner,
		.jobs = 1,
		.runs = left < count ? left : count,
		.before = self->made,
		.capture_room = session->check.words.count ? MAX_CHECK_OUTPUT : TRAIN_CAPTURE_ROOM,
		.input_fd = input,
		.is_stopped = training->is_stopped,
		.take = take,
		.context = session,
	};
	if (session->deadline) {
		double seconds = session->deadline - time_now_seconds();
		campaign.seconds = seconds > 0.01 ? seconds : 0.01;
	}
	int code = campaign_serve(&campaign, &problem);
	close(input);
	if (code < 0 && (code == -EINTR || self->made > made)) {
		*err = problem;
		return code;
	}
	if (code < 0)
		return give_up(training, &problem);
	if (self->made == made && !training->no_control && campaign.end == CAMPAIGN_PLANNED)
		training->no_control = mem_copy_string("the strategy has no more");
	return 0;
}

void train_schedules_release(struct controlled *self)
{
	if (!self->is_ready)
		return;
	if (self->planner)
		self->planner->free(self->planner);
	sandbox_remove(&self->sandbox);
	free(self->log);
	judge_release(&self->judge);
	train_file_release(&self->file);
	trace_free(&self->trace);
}
