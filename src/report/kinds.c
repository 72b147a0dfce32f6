/* kinds.c: see kinds.h. */
#include "report/kinds.h"

#include <string.h>

#include "base/json.h"

const char *const kind_level_words[KIND_LEVEL_COUNT] = {
	[KIND_ERROR] = "error",
	[KIND_WARNING] = "warning",
	[KIND_NOTE] = "note",
};

#define REPLAY "heddle replay runs exactly that schedule again, and with --columns shows it. "

const struct kind kinds[KIND_COUNT] = {
	{ "data-race",
	  "DataRace",
	  "Two threads access the same memory at the same time, and one of them writes.",
	  "Nothing orders the two accesses: no lock that both hold, no atomic operation, no creation or end of a "
	  "thread. What the "
	  "program does then is undefined in C and C++; values are lost, or are read half written.",
	  REPLAY
	  "Let both accesses hold the same lock, or make the variable atomic, or let one thread wait for the other.",
	  { "concurrency", "correctness", "external/cwe/cwe-362" },
	  KIND_WARNING,
	  false },
	{ "deadlock",
	  "Deadlock",
	  "Threads wait for each other and can never run again.",
	  "Each thread of the cycle waits for something that only another thread of it could give.",
	  REPLAY
	  "Where locks are in the cycle, take them in the same order everywhere, and wait for no thread while holding "
	  "what "
	  "it needs. Where a thread waits for a condition variable or a semaphore, look for the signal that never "
	  "comes, or that came before the wait: change and signal with the mutex held, and test before waiting.",
	  { "concurrency", "reliability", "external/cwe/cwe-833" },
	  KIND_ERROR,
	  false },
	{ "lock-order",
	  "LockOrder",
	  "Locks are taken in orders that could deadlock.",
	  "One thread takes the second lock while it has the first, another one the other way round. No schedule that "
	  "was tried "
	  "ended in the deadlock.",
	  REPLAY "Take the locks in the same order everywhere.",
	  { "concurrency", "reliability" },
	  KIND_WARNING,
	  false },
	{ "crash",
	  "Crash",
	  "The program is ended by a signal under some schedule.",
	  "A signal such as SIGSEGV or SIGABRT ended the program. Schedules that end well show that it depends on the "
	  "order in which "
	  "threads run.",
	  REPLAY "The preemptions that the failure needs say what must not happen in between.",
	  { "concurrency", "reliability" },
	  KIND_ERROR,
	  false },
	{ "assertion",
	  "AssertionFailed",
	  "An assertion of the program fails under some schedule.",
	  "The program itself found that something it counts on is not so.",
	  REPLAY "The preemptions that the failure needs say what must not happen in between.",
	  { "concurrency", "correctness" },
	  KIND_ERROR,
	  false },
	{ "memory-error",
	  "MemoryError",
	  "Heap memory is used, or freed once more, that was freed, or that was never allocated.",
	  "Under some schedule the program accesses a block of the heap after it was freed, or memory beside a block.",
	  REPLAY "Free a block only after the last thread that uses it is done with it.",
	  { "concurrency", "correctness", "external/cwe/cwe-416" },
	  KIND_ERROR,
	  false },
	{ "hang",
	  "Hang",
	  "The program makes no progress under some schedule.",
	  "A thread runs on and on without coming to an end, or threads do and nothing comes of it, while other "
	  "schedules end.",
	  REPLAY "Look for a loop that waits for another thread and gives it no chance to run.",
	  { "concurrency", "reliability" },
	  KIND_ERROR,
	  false },
	{ "bad-exit",
	  "BadExit",
	  "The program ends with a status that is not 0 under some schedule.",
	  "The exit status says that the program failed.",
	  REPLAY "The preemptions that the failure needs say what must not happen in between.",
	  { "concurrency", "correctness" },
	  KIND_ERROR,
	  false },
	{ "output-differs",
	  "OutputDiffers",
	  "The program prints something else under some schedule.",
	  "Its output is not that of the other schedules. That may be meant: heddle test --output ignore says so.",
	  REPLAY "If every order is right, say so with --output ignore or give a --check that judges the output.",
	  { "concurrency", "correctness" },
	  KIND_WARNING,
	  false },
	{ "check-failed",
	  "CheckFailed",
	  "The check that was given finds a run wrong.",
	  "The program that heddle test was given with --check did not accept the output or the status of a run.",
	  REPLAY "What the check printed is in the message.",
	  { "concurrency", "correctness" },
	  KIND_ERROR,
	  false },
	{ "data-race-candidate",
	  "DataRaceCandidate",
	  "Two threads could access the same memory at the same time, and one of them writes.",
	  "heddle check found no lock that both accesses hold for certain, and no order of the threads that keeps them "
	  "apart. That is "
	  "known from the program's text alone: it may be that no run does it.",
	  "heddle test looks for a run that does it. heddle check --explain says what is known of two places. Let both "
	  "accesses hold "
	  "the same lock, make the variable atomic, or let one thread wait for the other.",
	  { "concurrency", "correctness", "external/cwe/cwe-362" },
	  KIND_NOTE,
	  true },
	{ "lock-order-candidate",
	  "LockOrderCandidate",
	  "Locks could be taken in orders that deadlock.",
	  "One thread takes the second lock while it has the first, another one the other way round, and nothing that "
	  "is certain "
	  "keeps the two apart. That is known from the program's text alone: it may be that no run does it.",
	  "Take the locks in the same order everywhere. heddle test looks for a run that ends in the deadlock.",
	  { "concurrency", "reliability", "external/cwe/cwe-833" },
	  KIND_NOTE,
	  true },
	{ "other",
	  "Other",
	  "Something that a newer version of Heddle found.",
	  "This version has no words for it.",
	  "Use the version of Heddle that wrote the findings.",
	  { "concurrency" },
	  KIND_WARNING,
	  false },
};

size_t kind_of(const struct json *finding)
{
	const char *word = json_string(finding, "kind");
	size_t at = 0;
	while (at < KIND_COUNT - 1 && (!word || strcmp(kinds[at].word, word) != 0))
		at++;
	return at;
}

/* The words of classes are not fixed yet; these two can mean only one thing. */
enum kind_level kind_level(const struct json *finding)
{
	const char *class = json_string(finding, "class");
	if (class && strcmp(class, "harmful") == 0)
		return KIND_ERROR;
	if (class && strcmp(class, "harmless") == 0)
		return KIND_NOTE;
	const struct kind *kind = &kinds[kind_of(finding)];
	if (kind->is_candidate && json_number(finding, "score") >= KIND_LIKELY_SCORE)
		return KIND_WARNING;
	return kind->level;
}
