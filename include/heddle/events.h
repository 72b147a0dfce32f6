/*
 * events.h: properties of kinds of events, for both the runtime and the tools; one row of the table for each kind that is in enum heddle_event_kind.
 * Not part of the ABI: nothing here is stored.
 *
 * EACH(ID, word, object, lock)
 *   word    what happens, in reports
 *   object  HEDDLE_OBJECT_...: what the event is about. Its word and its name in the program follow from that
 *   lock    TAKES, and waits until it has it; TRIES, and never waits; RELEASES; NONE: it is not about a lock
 */
#ifndef HEDDLE_EVENTS_H
#define HEDDLE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

enum heddle_object_kind {
	HEDDLE_OBJECT_NOTHING, /* of kinds that this version does not know */
	HEDDLE_OBJECT_MEMORY,
	HEDDLE_OBJECT_ATOMIC,
	HEDDLE_OBJECT_THREAD,
	HEDDLE_OBJECT_YIELD,
	HEDDLE_OBJECT_SLEEP,
	HEDDLE_OBJECT_MUTEX,
	HEDDLE_OBJECT_CONDITION,
	HEDDLE_OBJECT_RWLOCK,
	HEDDLE_OBJECT_SPIN,
	HEDDLE_OBJECT_BARRIER,
	HEDDLE_OBJECT_SEMAPHORE,
	HEDDLE_OBJECT_ONCE,
	HEDDLE_OBJECT_FUTEX,
	HEDDLE_OBJECT_SYSCALL, /* its number */
	HEDDLE_OBJECT_SIGNAL,  /* its number */
	HEDDLE_OBJECT_SKIPPED, /* of a call that was skipped */
};

/* clang-format off */
#define HEDDLE_EVENTS(EACH) \
	EACH(READ,              "read",           MEMORY,    NONE) \
	EACH(WRITE,             "write",          MEMORY,    NONE) \
	EACH(ATOMIC,            "atomic",         ATOMIC,    NONE) \
	EACH(THREAD_START,      "start",          THREAD,    NONE) \
	EACH(THREAD_END,        "end",            THREAD,    NONE) \
	EACH(THREAD_CREATE,     "create thread",  THREAD,    NONE) \
	EACH(THREAD_JOIN,       "join",           THREAD,    NONE) \
	EACH(THREAD_DETACH,     "detach",         THREAD,    NONE) \
	EACH(THREAD_CANCEL,     "cancel",         THREAD,    NONE) \
	EACH(YIELD,             "yield",          YIELD,     NONE) \
	EACH(SLEEP,             "sleep",          SLEEP,     NONE) \
	EACH(MUTEX_LOCK,        "lock",           MUTEX,     TAKES) \
	EACH(MUTEX_TRYLOCK,     "try lock",       MUTEX,     TRIES) \
	EACH(MUTEX_UNLOCK,      "unlock",         MUTEX,     RELEASES) \
	EACH(COND_WAIT,         "wait",           CONDITION, NONE) \
	EACH(COND_SIGNAL,       "signal",         CONDITION, NONE) \
	EACH(COND_BROADCAST,    "broadcast",      CONDITION, NONE) \
	EACH(RWLOCK_READ_LOCK,  "read lock",      RWLOCK,    TAKES) \
	EACH(RWLOCK_WRITE_LOCK, "write lock",     RWLOCK,    TAKES) \
	EACH(RWLOCK_UNLOCK,     "unlock",         RWLOCK,    RELEASES) \
	EACH(SPIN_LOCK,         "spin lock",      SPIN,      TAKES) \
	EACH(SPIN_UNLOCK,       "spin unlock",    SPIN,      RELEASES) \
	EACH(BARRIER_WAIT,      "barrier",        BARRIER,   NONE) \
	EACH(SEM_WAIT,          "semaphore wait", SEMAPHORE, NONE) \
	EACH(SEM_POST,          "semaphore post", SEMAPHORE, NONE) \
	EACH(ONCE,              "once",           ONCE,      NONE) \
	EACH(FUTEX,             "futex",          FUTEX,     NONE) \
	EACH(SYSCALL,           "call",           SYSCALL,   NONE) \
	EACH(SIGNAL,            "signal",         SIGNAL,    NONE) \
	EACH(SKIPPED,           "skip",           SKIPPED,   NONE)
/* clang-format on */

#define HEDDLE_EVENT_ONE(ID, word, object, lock) +1
_Static_assert(1 HEDDLE_EVENTS(HEDDLE_EVENT_ONE) == HEDDLE_EVENT_COUNT, "each kind of event but NONE has a row");

enum heddle_lock_use { HEDDLE_LOCK_NONE, HEDDLE_LOCK_TAKES, HEDDLE_LOCK_TRIES, HEDDLE_LOCK_RELEASES };

/* What an event of the kind does with a lock; kinds of other versions do nothing. */
static inline enum heddle_lock_use heddle_event_lock_use(uint32_t kind)
{
#define HEDDLE_EVENT_LOCK_USE(ID, word, object, lock) [HEDDLE_EVENT_##ID] = HEDDLE_LOCK_##lock,
	static const uint8_t uses[HEDDLE_EVENT_COUNT] = { HEDDLE_EVENTS(HEDDLE_EVENT_LOCK_USE) };
	return kind < HEDDLE_EVENT_COUNT ? (enum heddle_lock_use)uses[kind] : HEDDLE_LOCK_NONE;
}

/* Whether an event of the kind takes a lock, and waits until it has it. Functions that only try are not among them. */
static inline bool heddle_event_takes_lock(uint32_t kind)
{
	return heddle_event_lock_use(kind) == HEDDLE_LOCK_TAKES;
}

/* Whether an event of the kind may have taken a lock: which is known from its result alone. */
static inline bool heddle_event_tries_lock(uint32_t kind)
{
	return heddle_event_lock_use(kind) == HEDDLE_LOCK_TRIES;
}

/* Whether an event of the kind releases a lock. */
static inline bool heddle_event_releases_lock(uint32_t kind)
{
	return heddle_event_lock_use(kind) == HEDDLE_LOCK_RELEASES;
}

#endif
