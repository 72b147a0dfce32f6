/*
 * answers.h: a run that follows a log up to an event and then goes another way: a strategy chooses the threads, and what the program asks of the
 * outside is answered by the rest of the log. Nothing is asked of the outside itself, and nothing is written there but standard output
 * and error, as in a replay.
 *
 * A log has what calls returned, but not what they asked for. So a replay of all of it writes it again with that (HEDDLE_CONTROL_ASKED), and a
 * second run uses it (HEDDLE_CONTROL_ONWARD). A call is answered by the first record that was not used yet and asked for the same:
 *  - reading and accepting: the next of the same open file, socket or pipe, whichever thread asks. Files are known by the call that opened them;
 *  - other calls about a descriptor: the next with the same arguments; those about names: the next with the same name and arguments;
 *  - waiting for several descriptors: the next of the same thread.
 * What looks at a file or at a name (opening and reading, too) is answered only if the program has done to that name, and to the folders in it, what it
 * had done in the recorded run by then; names are compared as text.
 *
 * What is written needs no answer: it is taken as it was in the recorded run, all of it. Neither does what succeeds whatever the outside does, such as
 * closing a descriptor that the recorded run did not close. Calls on pipes and the like that only this process uses
 * keep their order, and a thread waits until the ones before its own were made.
 *
 * A thread that wants input that was never recorded waits, as it would for a client that is silent. When only such threads are left, or a call has no
 * answer, the run ends: HEDDLE_OUTCOME_UNANSWERED.
 *
 * Invariants:
 *  1. The log of the whole run can be replayed like that of any other.
 *     Assured by tests/cli/classify-log.t.
 *  2. No answer depends on what was written otherwise than in the recorded run: to the peer of a socket, to a file that is read, or into a pipe of this
 *     process.
 *     Assured by tests/cli/classify-log.t.
 */
#ifndef WORLD_ANSWERS_H
#define WORLD_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/log.h"
#include "world/world.h"

/* The run follows the log no more. */
static inline bool world_has_turned(void)
{
	return world.has_turned;
}

/* Whether the threads run as the log says: a replay that has not turned. */
static inline bool world_follows_log(void)
{
	return world.is_replaying && !world.has_turned;
}

/* In a replay, when the next record is this call. With HEDDLE_CONTROL_ASKED it writes what the call asks for. */
void answers_note(long number, const uint64_t a[6]);

enum answer {
	ANSWER_GIVEN,       /* log_next is the record */
	ANSWER_LATER,       /* other threads must go on first, or there is none and the call may wait */
	ANSWER_INTERRUPTED, /* a signal came */
};

/* After the turn: answers the call, or waits until it can. Ends the run when the log has no answer. */
enum answer answers_ask(long number, const uint64_t a[6]);

/* After a call in a replay: which files descriptors stand for. And what was written to one. */
void answers_after(long number, const uint64_t a[6], long result);
void answers_said(int fd, const unsigned char *bytes, size_t size);

/* The event at which the run turns; 0: it does not. */
uint64_t answers_turn_event(void);
/* The run turns here. */
void answers_turn(void);

/* Whether a thread waits for an answer. */
bool answers_are_awaited(void);
/* Ends the run: the log has no answer, and why. */
_Noreturn void answers_end(const char *why);

#endif
