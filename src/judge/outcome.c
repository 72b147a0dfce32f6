/* outcome.c: see outcome.h. */
#include "judge/outcome.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/err.h"
#include "base/text.h"
#include "heddle/abi.h"
#include "judge/hang.h"
#include "symbols/describe.h"
#include "symbols/line.h"
#include "symbols/stack.h"
#include "symbols/symbol.h"

#define THREADS_SHOWN 32u

static const char *const words[] = {
	[HEDDLE_OUTCOME_DEADLOCK] = "deadlock",
	[HEDDLE_OUTCOME_LIVELOCK] = "livelock",
	[HEDDLE_OUTCOME_DIVERGED] = "diverged",
	[HEDDLE_OUTCOME_REFUSED] = "refused",
	[HEDDLE_OUTCOME_EXEC] = "exec",
	[HEDDLE_OUTCOME_HANG] = "hang",
	[HEDDLE_OUTCOME_LOG_FAILED] = "log failed",
	[HEDDLE_OUTCOME_PREFIX] = "stopped",
	[HEDDLE_OUTCOME_UNANSWERED] = "unanswered",
};

#define WORD_COUNT (sizeof words / sizeof *words)

static void signal_words(struct buf *out, int number)
{
	const char *name = strsignal(number);
	buf_format(out, "signal %d (%s)", number, name ? name : "?");
}

void outcome_words(struct buf *out, const struct trace_result *result)
{
	if (result->outcome < WORD_COUNT && words[result->outcome])
		buf_add_string(out, words[result->outcome]);
	else if (result->outcome == HEDDLE_OUTCOME_EXIT)
		buf_format(out, "exit %" PRId32, result->status & 255);
	else if (result->outcome == HEDDLE_OUTCOME_SIGNAL)
		signal_words(out, result->status);
	else if (WIFSIGNALED(result->wait_status)) {
		signal_words(out, WTERMSIG(result->wait_status));
		buf_add_string(out, " from outside");
	} else
		buf_format(out, "unseen exit %d", WEXITSTATUS(result->wait_status));
}

#define NOTE_OPEN "the schedule was cut off: it is not known whether it would have ended"

void outcome_add_open(struct buf *report)
{
	buf_add_string(report, "note " NOTE_OPEN "\n");
}

/* A replay of a hang goes on when its thread does. */
static bool may_be_open(const struct trace_result *result)
{
	return result->outcome == HEDDLE_OUTCOME_LIVELOCK || result->outcome == HEDDLE_OUTCOME_HANG ||
	       result->outcome == HEDDLE_OUTCOME_PREFIX;
}

static bool has_open_note(const struct report *report)
{
	for (size_t i = 0; i < report->note_count; i++)
		if (strcmp(report->notes[i], NOTE_OPEN) == 0)
			return true;
	return false;
}

bool outcome_is_open(const struct trace *trace)
{
	struct report report;
	if (!may_be_open(&trace->result))
		return false;
	report_parse(&report, trace->report.data ? trace->report.data : "", trace->report.size);
	bool is_open = has_open_note(&report);
	report_release(&report);
	return is_open;
}

void outcome_stats(struct buf *out, const struct trace_result *result)
{
	outcome_words(out, result);
	buf_format(out, "; %" PRIu64 " event%s, %" PRIu64 " switch%s, %" PRIu32 " thread%s; event hash %016" PRIx64,
		   result->event_count, result->event_count == 1 ? "" : "s", result->switch_count,
		   result->switch_count == 1 ? "" : "es", result->thread_count, result->thread_count == 1 ? "" : "s",
		   result->event_hash);
}

bool outcome_is_program_end(const struct trace_result *result, int *status)
{
	switch ((enum heddle_outcome)result->outcome) {
	case HEDDLE_OUTCOME_NONE:
		/* Killed from outside: not by the program itself, and not on request. Signals that ask a program to end
		 * are passed on unchanged. */
		*status = EXIT_CANNOT;
		return !(WIFSIGNALED(result->wait_status) && WTERMSIG(result->wait_status) == SIGKILL);
	case HEDDLE_OUTCOME_EXIT:
	case HEDDLE_OUTCOME_SIGNAL:
	case HEDDLE_OUTCOME_EXEC:
		return true;
	case HEDDLE_OUTCOME_DEADLOCK:
	case HEDDLE_OUTCOME_LIVELOCK:
	case HEDDLE_OUTCOME_HANG:
		*status = EXIT_FINDINGS;
		return false;
	case HEDDLE_OUTCOME_DIVERGED:
	case HEDDLE_OUTCOME_REFUSED:
	case HEDDLE_OUTCOME_LOG_FAILED:
	case HEDDLE_OUTCOME_PREFIX:
	case HEDDLE_OUTCOME_UNANSWERED:
		break;
	}
	*status = EXIT_CANNOT;
	return false;
}

struct describer {
	struct buf *out;
	const char *prefix;
	const struct report *report;
	struct symbols *symbols;
	struct unwinder *unwinder;
};

static void describe_thread(struct describer *self, uint32_t index)
{
	const struct report_thread *thread = report_thread(self->report, index);
	struct buf start = { 0 };
	buf_format(self->out, "thread %" PRIu32, index);
	if (thread && thread->name[0]) {
		buf_add_string(self->out, " (");
		text_terminal(self->out, thread->name);
		buf_add_string(self->out, ")");
	} else if (thread && stack_describe_start(&start, self->unwinder, self->symbols, thread)) {
		buf_format(self->out, " (%s)", start.data);
	}
	buf_release(&start);
}

/* Where the program's own code is. Returns false when nothing is known. */
static bool add_own_place(struct describer *self, const struct report_thread *thread)
{
	struct stack_places places;
	stack_of_thread(&places, self->unwinder, self->symbols, thread);
	const struct symbol_place *place = stack_own_place(&places);
	if (!place)
		return false;
	line_add(self->out, place->file, place->line);
	return true;
}

/* What it is called in the line that waits for it, for what has no symbol. */
static void learn_object(struct describer *self, const struct report_thread *thread)
{
	enum heddle_named kind = HEDDLE_NAMED_LOCK;
	if (strncmp(thread->waits, "condition", 9) == 0)
		kind = HEDDLE_NAMED_CONDITION;
	else if (strncmp(thread->waits, "semaphore", 9) == 0)
		kind = HEDDLE_NAMED_SEMAPHORE;
	else if (strncmp(thread->waits, "barrier", 7) == 0)
		kind = HEDDLE_NAMED_BARRIER;
	uint64_t addresses[MAX_STACK_DEPTH];
	struct symbol_calls calls = { addresses, unwind_thread(self->unwinder, thread, addresses, MAX_STACK_DEPTH),
				      .is_unwound = true };
	if (!calls.count)
		calls = (struct symbol_calls){ thread->code, thread->code_count, .is_unwound = true };
	symbols_learn(self->symbols, thread->object, &calls, kind);
}

/* "mutex a", "read-write lock b", "thread 3". A thread that is joined has its number; its address says nothing. */
static void describe_object(struct describer *self, const struct report_thread *thread)
{
	const char *hyphen = strrchr(thread->waits, '-');
	char *what = mem_copy_string(thread->waits);
	if (hyphen)
		what[hyphen - thread->waits] = ' ';
	text_terminal(self->out, what);
	free(what);
	if (strcmp(thread->waits, "thread") == 0 && thread->owner) {
		buf_format(self->out, " %" PRIu32, thread->owner);
	} else if (strcmp(thread->waits, "descriptor") == 0) {
		buf_format(self->out, " %" PRIu64, thread->object);
	} else if (thread->object) {
		buf_add_string(self->out, " ");
		learn_object(self, thread);
		symbols_describe_object(self->out, self->symbols, thread->object);
	}
}

static void describe_wait(struct describer *self, const struct report_thread *thread)
{
	buf_add_string(self->out, "waits for ");
	describe_object(self, thread);
	if (thread->owner && strcmp(thread->waits, "thread") != 0)
		buf_format(self->out, ", held by %s %" PRIu32,
			   thread->owner == thread->index ? "itself, thread" : "thread", thread->owner);
}

static void describe_frames(struct describer *self, const struct report_thread *thread)
{
	struct stack_places places;
	stack_of_thread(&places, self->unwinder, self->symbols, thread);
	for (size_t i = 0; i < places.count && places.items[i].address; i++) {
		buf_format(self->out, "%s  at ", self->prefix);
		stack_describe(self->out, self->symbols, &places.items[i]);
		buf_add_string(self->out, "\n");
	}
}

/* After a crash only the thread that crashed is of interest. */
static void describe_threads(struct describer *self, bool is_crash)
{
	size_t shown = 0, more = 0;
	for (size_t i = 0; i < self->report->thread_count; i++) {
		const struct report_thread *thread = &self->report->threads[i];
		if (strcmp(thread->state, "ended") == 0 || (is_crash && strcmp(thread->state, "running") != 0))
			continue;
		if (shown++ >= THREADS_SHOWN) {
			more++;
			continue;
		}
		buf_add_string(self->out, self->prefix);
		describe_thread(self, thread->index);
		buf_add_string(self->out, " ");
		if (thread->waits) {
			describe_wait(self, thread);
		} else {
			buf_add_string(self->out, "is ");
			text_terminal(self->out, thread->state[0] ? thread->state : "in an unknown state");
		}
		buf_add_string(self->out, "\n");
		describe_frames(self, thread);
	}
	if (more)
		buf_format(self->out, "%sand %zu more threads\n", self->prefix, more);
}

static void describe_cycle(struct describer *self)
{
	const struct report_thread *first = report_cycle(self->report), *at = first;
	if (!first)
		return;
	buf_format(self->out, "%sthe cycle: ", self->prefix);
	do {
		if (at != first)
			buf_add_string(self->out, "; ");
		buf_format(self->out, "thread %" PRIu32 " waits for ", at->index);
		describe_object(self, at);
		buf_add_string(self->out, " (");
		if (!add_own_place(self, at))
			buf_add_string(self->out, "?");
		buf_add_string(self->out, ")");
		if (strcmp(at->waits, "thread") != 0)
			buf_format(self->out, ", held by thread %" PRIu32, at->owner);
		at = report_thread(self->report, at->owner);
	} while (at != first);
	buf_add_string(self->out, "\n");
}

static void describe_headline(struct buf *out, const struct trace_result *result, const char *hang, bool is_open)
{
	static const char *const lines[] = {
		[HEDDLE_OUTCOME_DEADLOCK] = "deadlock: no thread can ever run again",
		[HEDDLE_OUTCOME_LIVELOCK] = "livelock: the program runs on without making progress",
		[HEDDLE_OUTCOME_DIVERGED] = "the replay did not follow the trace",
		[HEDDLE_OUTCOME_REFUSED] = "the program did something that cannot be controlled",
		[HEDDLE_OUTCOME_EXEC] = "the program replaced itself with another one (exec), which was not "
					"controlled",
		[HEDDLE_OUTCOME_LOG_FAILED] = "the log could not be written, so the program was killed",
		[HEDDLE_OUTCOME_PREFIX] = "the replay stopped at the requested event",
		[HEDDLE_OUTCOME_UNANSWERED] = "the log has no answer",
	};
	bool is_known = result->outcome < sizeof lines / sizeof *lines && lines[result->outcome];
	buf_add_string(out, "heddle: ");
	if (hang)
		buf_add_string(out, hang);
	else if (is_open)
		buf_add_string(out, "the recorded schedule ends here");
	else if (is_known)
		buf_add_string(out, lines[result->outcome]);
	else
		outcome_words(out, result);
	buf_format(out, ", after %" PRIu64 " event%s\n", result->event_count, result->event_count == 1 ? "" : "s");
}

void outcome_threads(struct buf *out, const struct report *report, struct symbols *symbols, struct unwinder *unwinder,
		     bool is_crash, const char *prefix)
{
	struct describer describer = { out, prefix, report, symbols, unwinder };
	describe_threads(&describer, is_crash);
}

static void describe_spinning_library(struct buf *out, const struct report *report)
{
	struct buf hint = { 0 };
	hang_describe_library(&hint, report);
	if (hint.size)
		buf_format(out, "heddle: hint: %s\n", hint.data);
	buf_release(&hint);
}

void outcome_report(struct buf *out, const struct trace *trace)
{
	const struct trace_result *result = &trace->result;
	struct report report;
	report_parse(&report, trace->report.data, trace->report.size);
	bool is_quiet = result->outcome == HEDDLE_OUTCOME_EXIT;
	struct symbols *symbols = symbols_new(&report);
	struct unwinder *unwinder = unwinder_new(&report, symbols);
	struct buf hang = { 0 };
	const bool is_open = outcome_is_open(trace), is_hang = result->outcome == HEDDLE_OUTCOME_HANG && !is_open;
	if (is_hang)
		hang_describe(&hang, &report, symbols, unwinder);
	if (!is_quiet)
		describe_headline(out, result, hang.data, is_open);
	buf_release(&hang);
	/* What the note of a hang says is in the headline. */
	for (size_t i = 0; i < report.note_count && !is_hang; i++) {
		buf_add_string(out, "heddle: ");
		text_terminal(out, report.notes[i]);
		buf_add_string(out, "\n");
	}
	for (size_t i = 0; i < report.limit_count; i++) {
		buf_add_string(out, "heddle: note: ");
		text_terminal(out, report.limits[i]);
		buf_add_string(out, "\n");
	}
	for (size_t i = 0; i < report.opaque_count; i++) {
		buf_add_string(out, "heddle: note: ");
		describe_opaque(out, &report.opaque[i]);
		buf_add_string(out, "\n");
	}
	for (size_t i = 0; i < report.missed_count; i++) {
		buf_add_string(out, "heddle: note: ");
		text_terminal(out, report.missed[i]);
		buf_add_string(out, "\n");
	}
	if (is_hang)
		describe_spinning_library(out, &report);
	if (!is_quiet) {
		struct describer describer = { out, "heddle: ", &report, symbols, unwinder };
		describe_cycle(&describer);
		describer.prefix = "heddle:   ";
		describe_threads(&describer, result->outcome == HEDDLE_OUTCOME_SIGNAL);
	}
	unwinder_free(unwinder);
	symbols_free(symbols);
	report_release(&report);
}
