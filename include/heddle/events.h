/*
 * events.h: properties of kinds of events, for both the runtime and the tools; one row of the table for each kind that is in enum heddle_event_kind.
 * Not part of the ABI: nothing here is stored.
 *
 * EACH(ID, word, object, lock, flow)
 *   word    what happens, in reports
 *   object  HEDDLE_OBJECT_...: what the event is about. Its word and its name in the program follow from that
 *   lock    TAKES, and waits until it has it; TRIES, and never waits; RELEASES; NONE: it is not about a lock
 *   flow    what the event does with its object, for the strategy reads-from: SEES what an earlier event left there, LEAVES something that a
 *           later one sees, BOTH, or NONE. Which of them an atomic access does depends on its site
 */
#ifndef HEDDLE_EVENTS_H
#define HEDDLE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/* clang-format off */
/* EACH(ID, word, named): what events are about; its word in reports; enum heddle_named of the names that the program has for it, or 0. */
#define HEDDLE_OBJECTS(EACH) \
	EACH(NOTHING,   "nothing",            0) /* of kinds that this version does not know */ \
	EACH(MEMORY,    "memory",             0) \
	EACH(ATOMIC,    "atomic",             0) \
	EACH(THREAD,    "thread",             0) \
	EACH(YIELD,     "yield",              0) \
	EACH(SLEEP,     "sleep",              0) \
	EACH(MUTEX,     "mutex",              HEDDLE_NAMED_LOCK) \
	EACH(CONDITION, "condition variable", HEDDLE_NAMED_CONDITION) \
	EACH(RWLOCK,    "read-write lock",    HEDDLE_NAMED_LOCK) \
	EACH(SPIN,      "spin lock",          HEDDLE_NAMED_LOCK) \
	EACH(BARRIER,   "barrier",            HEDDLE_NAMED_BARRIER) \
	EACH(SEMAPHORE, "semaphore",          HEDDLE_NAMED_SEMAPHORE) \
	EACH(ONCE,      "once",               HEDDLE_NAMED_ONCE) \
	EACH(FUTEX,     "futex",              0) \
	EACH(SYSCALL,   "system call",        0) /* its number */ \
	EACH(SIGNAL,    "signal",             0) /* its number */ \
	EACH(SKIPPED,   "skipped call",       0) /* of a call that was skipped */

#define HEDDLE_EVENTS(EACH) \
	EACH(READ,              "read",           MEMORY,    NONE,     SEES) \
	EACH(WRITE,             "write",          MEMORY,    NONE,     LEAVES) \
	EACH(ATOMIC,            "atomic",         ATOMIC,    NONE,     BOTH) \
	EACH(THREAD_START,      "start",          THREAD,    NONE,     NONE) \
	EACH(THREAD_END,        "end",            THREAD,    NONE,     NONE) \
	EACH(THREAD_CREATE,     "create thread",  THREAD,    NONE,     NONE) \
	EACH(THREAD_JOIN,       "join",           THREAD,    NONE,     NONE) \
	EACH(THREAD_DETACH,     "detach",         THREAD,    NONE,     NONE) \
	EACH(THREAD_CANCEL,     "cancel",         THREAD,    NONE,     NONE) \
	EACH(YIELD,             "yield",          YIELD,     NONE,     NONE) \
	EACH(SLEEP,             "sleep",          SLEEP,     NONE,     NONE) \
	EACH(MUTEX_LOCK,        "lock",           MUTEX,     TAKES,    SEES) \
	EACH(MUTEX_TRYLOCK,     "try lock",       MUTEX,     TRIES,    SEES) \
	EACH(MUTEX_UNLOCK,      "unlock",         MUTEX,     RELEASES, LEAVES) \
	EACH(COND_WAIT,         "wait",           CONDITION, NONE,     SEES) \
	EACH(COND_SIGNAL,       "signal",         CONDITION, NONE,     LEAVES) \
	EACH(COND_BROADCAST,    "broadcast",      CONDITION, NONE,     LEAVES) \
	EACH(RWLOCK_READ_LOCK,  "read lock",      RWLOCK,    TAKES,    SEES) \
	EACH(RWLOCK_WRITE_LOCK, "write lock",     RWLOCK,    TAKES,    SEES) \
	EACH(RWLOCK_UNLOCK,     "unlock",         RWLOCK,    RELEASES, LEAVES) \
	EACH(SPIN_LOCK,         "spin lock",      SPIN,      TAKES,    SEES) \
	EACH(SPIN_UNLOCK,       "spin unlock",    SPIN,      RELEASES, LEAVES) \
	EACH(BARRIER_WAIT,      "barrier",        BARRIER,   NONE,     BOTH) \
	EACH(SEM_WAIT,          "semaphore wait", SEMAPHORE, NONE,     SEES) \
	EACH(SEM_POST,          "semaphore post", SEMAPHORE, NONE,     LEAVES) \
	EACH(ONCE,              "once",           ONCE,      NONE,     NONE) \
	EACH(FUTEX,             "futex",          FUTEX,     NONE,     NONE) \
	EACH(SYSCALL,           "call",           SYSCALL,   NONE,     NONE) \
	EACH(SIGNAL,            "signal",         SIGNAL,    NONE,     NONE) \
	EACH(SKIPPED,           "skip",           SKIPPED,   NONE,     NONE)
/* clang-format on */

#define HEDDLE_EVENT_ONE(ID, word, object, lock, flow) +1
_Static_assert(1 HEDDLE_EVENTS(HEDDLE_EVENT_ONE) == HEDDLE_EVENT_COUNT, "each kind of event but NONE has a row");

#define HEDDLE_OBJECT_ID(ID, word, named) HEDDLE_OBJECT_##ID,
enum heddle_object_kind { HEDDLE_OBJECTS(HEDDLE_OBJECT_ID) HEDDLE_OBJECT_COUNT };
enum heddle_lock_use { HEDDLE_LOCK_NONE, HEDDLE_LOCK_TAKES, HEDDLE_LOCK_TRIES, HEDDLE_LOCK_RELEASES };
enum heddle_flow { HEDDLE_FLOW_NONE, HEDDLE_FLOW_SEES, HEDDLE_FLOW_LEAVES, HEDDLE_FLOW_BOTH };

struct heddle_event_traits {
	uint8_t object; /* enum heddle_object_kind */
	uint8_t lock;   /* enum heddle_lock_use */
	uint8_t flow;   /* enum heddle_flow */
};

/* The row of a kind; kinds of other versions are about nothing and do nothing. */
static inline struct heddle_event_traits heddle_event_traits(uint32_t kind)
{
#define HEDDLE_EVENT_ROW(ID, word, object, lock, flow)                                                                 \
	[HEDDLE_EVENT_##ID] = { HEDDLE_OBJECT_##object, HEDDLE_LOCK_##lock, HEDDLE_FLOW_##flow },
	static const struct heddle_event_traits rows[HEDDLE_EVENT_COUNT] = { HEDDLE_EVENTS(HEDDLE_EVENT_ROW) };
	return rows[kind < HEDDLE_EVENT_COUNT ? kind : HEDDLE_EVENT_NONE];
}

static inline enum heddle_object_kind heddle_event_object(uint32_t kind)
{
	return (enum heddle_object_kind)heddle_event_traits(kind).object;
}

/* Whether an event of the kind is an access of woven code: its code is the address of a struct heddle_site. */
static inline bool heddle_event_is_access(uint32_t kind)
{
	enum heddle_object_kind object = heddle_event_object(kind);
	return object == HEDDLE_OBJECT_MEMORY || object == HEDDLE_OBJECT_ATOMIC;
}

/* What an event of the kind does with a lock. */
static inline enum heddle_lock_use heddle_event_lock_use(uint32_t kind)
{
	return (enum heddle_lock_use)heddle_event_traits(kind).lock;
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
