/*
 * without.h: synchronisation that does nothing (heddle test --without): calls that return to addresses of without= in
 * HEDDLE_OPTIONS. A skipped call excludes nobody, orders nothing, and returns what it would return at once: a lock is
 * taken, a wait is over.
 *
 * An address is of one of three kinds. WITHOUT_CALL: the call that returns there is skipped. WITHOUT_INNER: it is in a
 * function of a header, such as that of std::mutex, that was not inlined; it is skipped if its callers, by their frame
 * pointers, are of this kind up to one that is WITHOUT_OUTER, the program's own line.
 *
 * Invariants:
 *  1. The unlock that matches a skipped lock is skipped as well, wherever it is made: that of the thread's innermost
 *     acquisition of the same object. An unlock that matches a real lock never is.
 *     Assured by tests/cli/without.t.
 *  2. A wait on a condition variable whose mutex was skipped neither releases nor takes the mutex.
 *     Assured by tests/cli/without.t.
 */
#ifndef WORLD_SYNC_WITHOUT_H
#define WORLD_SYNC_WITHOUT_H

#include "rt/enter/operation.h"
#include "rt/object.h"
#include "rt/option.h"

/* How an operation relates to skipped synchronisation. */
enum without_role {
	WITHOUT_NOTHING,
	WITHOUT_SKIPPED,  /* it is to be skipped */
	WITHOUT_MATCHING, /* it is the unlock of a skipped lock */
	WITHOUT_UNOWNED,  /* it waits with a mutex whose lock was skipped */
	WITHOUT_COUNTED,  /* it really takes a lock that the thread has already taken by a skipped call */
};

/* Call it when a woven object was loaded: its addresses are known from here on. */
void without_attach(const struct object *object);

/* Returns the role of an operation. Call it only while the world is on. */
enum without_role without_role(const struct operation *operation);

/* The actions for the roles: before the operation is done ... */
void without_skip(struct operation *operation);
void without_match(struct operation *operation);
void without_lend(struct operation *operation);
/* ... and for WITHOUT_COUNTED when it has succeeded. */
void without_count(const struct operation *operation);

#endif
