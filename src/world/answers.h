/*
 * answers.h: a run that follows a log up to an event and then turns: from there on a strategy chooses the threads, and
 * the rest of the log answers the program's calls to the outside. As in a replay, no call is made to the outside
 * itself, and nothing is written there except standard output and error.
 *
 * A log has the results of calls, but not their arguments. Therefore a replay of the whole log first writes it again
 * with both (HEDDLE_CONTROL_ASKED), and a second run uses that log (HEDDLE_CONTROL_ONWARD). A call is answered by the
 * first unused record that asks for the same:
 *  - a call that reads or accepts: the next record of the same open file, socket or pipe, whichever thread asks. Files
 *  are identified by the call that opened them; - another call about a descriptor: the next record with the same
 *  arguments; a call about a name: the next record with the same name and arguments; - a call that waits for several
 *  descriptors: the next record of the same thread.
 * A call that looks at a file or at a name (also one that opens or reads) is answered only if the program's changes of
 * that name and of the folders in it up to there are the same as in the recorded run; names are compared as text.
 *
 * A call that writes needs no answer: it succeeds as in the recorded run, with all of its bytes. Calls that always
 * succeed, whatever the outside does, need no answer either, such as closing a descriptor that the recorded run did not
 * close. Calls on pipes and other objects that only this process uses keep their order: a thread waits until the calls
 * before its own were made.
 *
 * A thread that needs input that was never recorded waits, as it would for a silent client. When only such threads are
 * left, or a call has no answer, the run ends with HEDDLE_OUTCOME_UNANSWERED.
 *
 * Invariants:
 *  1. The log of the whole run can be replayed like any other log.
 *     Assured by tests/cli/classify-log.t.
 *  2. No answer depends on data that was written differently than in the recorded run: to the peer of a socket, to a
 *     file that is read, or into a pipe of this process.
 *     Assured by tests/cli/classify-log.t.
 */
#ifndef WORLD_ANSWERS_H
#define WORLD_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/log.h"
#include "world/world.h"

/* Whether the run has turned: it no longer follows the log. */
static inline bool world_has_turned(void)
{
	return world.has_turned;
}

/* Whether the threads run as the log says: a replay that has not turned. */
static inline bool world_follows_log(void)
{
	return world.is_replaying && !world.has_turned;
}

/* Call it in a replay when the next record is this call. With HEDDLE_CONTROL_ASKED, writes the arguments of the call to
 * the log. */
void answers_note(long number, const uint64_t a[6]);

enum answer {
	ANSWER_GIVEN,       /* log_next is the record */
	ANSWER_LATER,       /* other threads must continue first, or there is no answer and the call may wait */
	ANSWER_INTERRUPTED, /* a signal came */
};

/* Call it after the turn. Answers the call, or waits until it can. Ends the run when the log has no answer. */
enum answer answers_ask(long number, const uint64_t a[6]);

/* Call both after a call in a replay: answers_after notes which files the descriptors stand for, answers_said the bytes
 * that were written to a descriptor. */
void answers_after(long number, const uint64_t a[6], long result);
void answers_said(int fd, const unsigned char *bytes, size_t size);

/* Returns the event at which the run turns, or 0 if it does not turn. */
uint64_t answers_turn_event(void);
/* Turns the run at the current event. */
void answers_turn(void);

/* Whether a thread waits for an answer. */
bool answers_are_awaited(void);
/* Ends the run because the log has no answer. why: the reason, for the report. */
_Noreturn void answers_end(const char *why);

#endif
