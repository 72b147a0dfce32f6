/*
 * proof.h: which sites need no hook, because an analysis of the whole program has shown that the access cannot race. The weave
 * asks by unit, function and number of the site in its function; the prover fills it in (analysis/prove.h). A site that
 * is not in it is not proved.
 */
#ifndef IR_PROOF_H
#define IR_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct unit;

/*
 * What need not be announced; each level has all of those before it.
 * - PRIVATE: variables and stack slots at bytes that only one thread ever touches, or that no thread writes.
 * - LOCKED: those that other threads touch as well, but never at the same time, or always with one lock held.
 * - HEAP: such accesses to blocks of the heap, which only memory errors that every schedule has depend on.
 */
enum proof_level { PROOF_NONE, PROOF_PRIVATE, PROOF_LOCKED, PROOF_HEAP };

/*
 * The verdict on a site. All but OPEN have a hook that is no event.
 * - ALONE: no other thread accesses the variable, or none writes it: there is nothing to explain.
 * - UNSHARED: the same for a heap block; accesses to it may explain other failures, as with all that follow.
 * - ORDERED: other threads access it, but never at the same time.
 * - GUARDED: and those that could, always with a lock that is held at both.
 */
enum proof_verdict { PROOF_OPEN, PROOF_ALONE, PROOF_UNSHARED, PROOF_ORDERED, PROOF_GUARDED };

struct proof_function {
	uint32_t count; /* of sites; a function with another number is not the one that was analysed */
	char **locks;   /* by site: the names of locks of GUARDED, or null; null: none are known. Belong to the proof */
	uint8_t verdicts[]; /* enum proof_verdict */
};

/* Start with { 0 }. */
struct proof {
	struct map functions; /* "TAG SYMBOL" -> struct proof_function */
	uint64_t site_count, proved_count;
	char **promised; /* null at the end: those with a + in front are variables that the build says are private; may be null */
	char *objection; /* why nothing is proved, in words; null: none. Belongs to the proof */
};

/* What there is to prove, and what an analysis of the units must know of their link. */
struct proof_input {
	const struct unit *units;
	size_t unit_count;
	bool is_library;
	enum proof_level level;
	const char *foreign;      /* a function of the program's that heddle-cc has not compiled; null: none */
	const struct map *named;  /* symbols that the program defines and other objects can name */
	const struct map *needed; /* symbols that it takes from other objects */
	char **allocators; /* null at the end: those with an @ in front are allocators of the program (whole.h); may be null */
};

/* The place for a function's answers, none proved; it belongs to the proof. A second one for the same function is null. */
struct proof_function *proof_add(struct proof *proof, const char *tag, const char *symbol, uint32_t count);

/* Sets the names of the locks of a site, copied. */
void proof_set_locks(struct proof_function *function, uint32_t site, const char *names);

/* Null when nothing is known of it. proof may be null. */
const struct proof_function *proof_find(const struct proof *proof, const char *tag, const char *symbol);

void proof_release(struct proof *proof);

#endif
