/*
 * seal.h: the mark by which a user's Heddle knows the traces that it made: a keyed hash (HMAC-SHA-256, RFC 2104) over
 * the file. A trace names a program, its arguments, environment and folder, and a replay runs that; so traces that
 * others wrote must be distinguished from what this user ran before.
 *
 * The key is 32 random bytes in $XDG_STATE_HOME/heddle/key, or ~/.local/state/heddle/key, readable by its owner only.
 * It is made when a trace is first written. Where it cannot be stored, this process makes its own key: it recognises
 * its own traces, and no other process does.
 *
 * Invariants:
 *  1. A key that others may read or write, or that belongs to another user, is not used.
 *     Assured by tests/cli/trust.t.
 *  2. Two processes that make the key at the same time end with the same one.
 *     Assured by tests/cli/trust.t.
 */
#ifndef TRACE_SEAL_H
#define TRACE_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define SEAL_SIZE HASH_DIGEST

struct seal {
	struct hash inner;
};

void seal_begin(struct seal *self);
void seal_add(struct seal *self, const void *data, size_t size_bytes);
void seal_end(struct seal *self, uint8_t mark[SEAL_SIZE]);

/* Compares in a time that does not depend on where they differ. */
bool seal_is_same(const uint8_t a[SEAL_SIZE], const uint8_t b[SEAL_SIZE]);

/* Why the key is not stored, so that other processes cannot recognise the traces that this one writes. Null when it is
 * stored. */
const char *seal_problem(void);

#endif
