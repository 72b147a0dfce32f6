/*
 * verdict.h: which race matters, from runs of both orders of its accesses. The classes are those of Portend (Kasikci, Zamfir, Candea: Data
 * Races vs. Data Race Bugs, ASPLOS 2012): the specification is violated in some run, the output differs, k witnesses show no
 * difference, or the other order is impossible.
 *
 * Pure: no input or output, no globals.
 *
 * Invariants:
 *  1. The verdict is a function of the witnesses alone, whatever their order.
 *     Assured by tests/unit/verdict.t.
 *  2. A witness of which nothing is known makes no verdict, neither harmful nor harmless.
 *     Assured by tests/unit/verdict.t.
 */
#ifndef MODEL_VERDICT_H
#define MODEL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/analyzer.h"
#include "model/kinds.h"

enum verdict_class {
	VERDICT_UNDECIDED,       /* nothing is known of the other order, or outputs vary whatever the order */
	VERDICT_SPEC_VIOLATED,   /* a run fails: it crashes, deadlocks, violates an assertion, ... */
	VERDICT_OUTPUT_DIFFERS,  /* the orders print different things, or end with another exit status */
	VERDICT_HARMLESS,        /* no witness shows a difference */
	VERDICT_SINGLE_ORDERING, /* the other order is impossible: something else orders the two */
	VERDICT_ORDERED,         /* no race: of what others reported, and schedules never showed unordered */
	VERDICT_COUNT
};

/* Why a race is harmless, by the categories of the Record/Replay Analyzer's paper (model/analyzer.h), section 5.4; only when facts show it. */
enum verdict_reason {
	REASON_NONE,
	REASON_USER_SYNCHRONISATION,
	REASON_DOUBLE_CHECK,
	REASON_BOTH_VALUES_VALID,
	REASON_REDUNDANT_WRITE,
	REASON_DISJOINT_BITS,
	REASON_APPROXIMATE,
	REASON_COUNT
};

/* What became of the order that a run was to have. */
enum witness_order {
	WITNESS_UNKNOWN,    /* the run did not come there */
	WITNESS_MADE,       /* it had it */
	WITNESS_IMPOSSIBLE, /* no thread but the one that was held back could go on */
};

/* A run of one of the two orders. */
struct witness {
	size_t instance; /* which dynamic pair of the accesses: outputs are compared among the runs of one only */
	size_t input;    /* which input: 0 is that of the test */
	size_t pair; /* which two accesses: failures of both orders are compared among the runs of the same two only */
	bool is_swapped; /* the recorded order of the instance is the reverse of that of the first instance */
	bool is_other;   /* the order is the one that the recorded run of the instance did not have */
	bool is_loose;   /* it went on freely from the first access: what it prints is not compared */
	enum witness_order order;
	bool is_lost;        /* how it ends is not known */
	const char *failure; /* what it ends in, or shows: known by this; null: it ends well. The caller's */
	uint64_t failing;    /* the threads that it fails in, as of witness_thread; 0: not known, or none of them */
	int status;          /* of one that ends well: its exit status, ... */
	uint64_t output;     /* ... a sum of what it printed, ... */
	uint64_t effects;    /* ... and one of what it wrote elsewhere: to files and sockets */
	bool is_cut;         /* it was ended behind something that it wrote otherwise than the recorded run */
};

/* A thread in a set of threads. */
static inline uint64_t witness_thread(uint32_t thread)
{
	return 1ull << thread % 64;
}

struct verdict {
	enum verdict_class class;
	size_t others, primaries; /* witnesses of the other order, and of the recorded one */
	size_t instances;         /* that these are of */
	uint64_t seen_instances;  /* that the recorded schedule has; 0: not known. verdict_of leaves it */
	size_t inputs;            /* that witnesses of either order had; at least 1 */
	size_t given_inputs;      /* that they could have had; 0: not known. verdict_of leaves it */
	enum verdict_states states;
	enum analyzer_cause analyzer; /* what the Record/Replay Analyzer's rule alone says */
	enum verdict_reason reason;
	size_t shows;      /* the first witness that makes the class harmful, by its index; SIZE_MAX: none */
	bool is_both;      /* the same failure is seen in both orders */
	bool is_from_log;  /* the runs got their inputs from the log. verdict_of leaves it, and the next one */
	size_t unanswered; /* runs that ended because the log has no answer; they are neither others nor primaries */
	bool is_varied;    /* undecided because outputs differ also among runs of the recorded order */
};

/* What is fixed about a class. */
struct verdict_row {
	const char *word;      /* as in JSON and in stores: "spec-violated". It never changes */
	const char *listed;    /* for people, in tables: "harmful" */
	enum kind_level level; /* how bad a race of it is */
	unsigned harm;         /* more is worse; 0: none that is known */
};

/* By enum verdict_class. */
extern const struct verdict_row verdict_classes[VERDICT_COUNT];

/* As in JSON. */
extern const char *const verdict_states_words[STATES_COUNT]; /* "same"; null for what is not known */
extern const char *const verdict_reason_words[REASON_COUNT]; /* "double-check"; null for none */

/* Where the runs got their inputs from, likewise. */
static inline const char *verdict_source(bool is_from_log)
{
	return is_from_log ? "log" : "live";
}

/* The class of that word; VERDICT_COUNT if it is null, or none that this version knows. */
enum verdict_class verdict_find(const char *word);

/* Whether it is harm that the other is not: a failure is worse than a changed result, and that is worse than all others. */
bool verdict_is_worse(enum verdict_class class, enum verdict_class other);

struct verdict verdict_of(const struct witness *witnesses, size_t count);

#endif
