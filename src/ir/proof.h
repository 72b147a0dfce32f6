/*
 * proof.h: which sites need no hook, because an analysis of the whole program has shown that the access cannot race. The weave
 * asks by unit, function and number of the site in its function; who proves fills it in (analysis/prove.h). What is not in it
 * is not proved.
 */
#ifndef IR_PROOF_H
#define IR_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

struct proof_function {
	uint32_t count; /* of sites; a function with another number is not the one that was looked at */
	uint8_t is_proved[];
};

/* Start with { 0 }. */
struct proof {
	struct map functions; /* "TAG SYMBOL" -> struct proof_function */
	uint64_t site_count, proved_count;
};

/* The place for a function's answers, none proved; it belongs to the proof. A second one for the same function is null. */
struct proof_function *proof_add(struct proof *proof, const char *tag, const char *symbol, uint32_t count);

/* Null when nothing is known of it. proof may be null. */
const struct proof_function *proof_find(const struct proof *proof, const char *tag, const char *symbol);

void proof_release(struct proof *proof);

#endif
