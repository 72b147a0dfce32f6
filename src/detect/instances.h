/*
 * instances.h: the dynamic instances of one race, in a replay. Detection reports a pair of places once a run; of one pair that
 * the tool asks for (struct heddle_race_ask) all accesses are compared here, also those that the shadow takes for repetitions. They are counted, and a few are
 * described in the channel.
 *
 * The accesses that are compared are bounded: the first ones and the last ones at each place. So the count is a lower bound for runs with very many.
 */
#ifndef DETECT_INSTANCES_H
#define DETECT_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "detect/shadow.h"
#include "heddle/abi.h"

/* Reads what is asked for in the channel. Returns whether that is anything. */
bool instances_start(void);

/* All of these only when detect.is_watching. */

/* The current thread makes an access. */
void instances_look(uintptr_t address, size_t size_bytes, enum shadow_kind kind, const struct heddle_site *site);
/* The current thread frees memory by a call at code: like a write to it. */
void instances_freed(uintptr_t start, size_t size_bytes, uintptr_t code);
/* What was accessed there is gone. */
void instances_forget(uintptr_t start, size_t size_bytes);

#endif
