/*
 * finding.h: what a campaign found. A finding is known by its kind and its key: the same bug seen again is the same
 * finding. Not for use by two threads.
 */
#ifndef JUDGE_FINDING_H
#define JUDGE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"
#include "explore/planner.h"
#include "model/kinds.h"
#include "model/verdict.h"
#include "store/record.h"
#include "symbols/identity.h"
#include "trace/report.h"

/* A place in the source that has a part in it. Strings are not escaped; null: not known. */
struct finding_site {
	const char *file, *function, *variable;
	uint32_t line, column; /* the line as line.h has it, here and elsewhere */
	uint32_t number;       /* 1 + that of the woven site in its program or library; 0: it is none */
	const char *access;    /* "read", "lock": a constant */
	const char *caller; /* the place that called its function, for comparison; "": it has none; null: not known */
	bool is_range;      /* a copy, or another access to a range */
	uint32_t thread;
	bool is_beside;             /* here only because of the others: a thread that waits for one in the deadlock */
	const char *thread_name;    /* what the thread is called, or began in; null: not known */
	uint64_t event;             /* when, in the evidence; 0: not known */
	bool has_value, is_changed; /* what was accessed was before, ... */
	uint64_t value_before, value_after; /* ... and became after */
	const char *
		proof; /* what heddle-cc had proved of the access: "private", "ordered", "locked", "promised"; a constant; null: nothing */
	const char *proof_locks; /* names of the locks that the proof rests on; null: none, or not known */
	struct strings held;     /* the locks that the thread had, as people read them; only with an event */
	const char *
		code; /* of the line, as the build had it (base/source.h); null: not known, or not looked up (scene_find_code) */
};

/* Something that has a part in it without being one of its sites: what became of the memory, where a thread comes from. */
enum finding_act_kind { FINDING_ALLOCATED, FINDING_FREED, FINDING_CREATED };
struct finding_act {
	enum finding_act_kind kind;
	uint32_t by, thread;         /* the thread that did it; the thread that was created */
	uint64_t event;              /* in the evidence: the last one before it */
	const char *by_name;         /* of the thread that did it, as thread_name of a site */
	const char *file, *function; /* null: not known */
	uint32_t line;
	const char *caller; /* as of a site */
	const char *code;   /* as of a site */
};

/* A place of the program's own that called the function which a failure is in, or called its caller. Strings as of sites. */
struct finding_caller {
	const char *file, *function;
	uint32_t line;
};

/* A call of one of the stacks that have a part in it, for suppressions. Strings as of sites. */
struct finding_call {
	const char *function, *linkage; /* readable; and what the linker calls it, where that differs */
	const char *file, *path;        /* of the source, as in sites; and in full */
	const char *module;             /* the file that was mapped */
	uint32_t stack;                 /* calls of one stack follow each other, innermost first */
	bool is_system;                 /* a function of the system's libraries */
};

struct suppression;

/* Whether it is from a line of detection, about which a second pass can find out more. */
enum finding_origin { FINDING_OF_END, FINDING_OF_RACE, FINDING_OF_MEMORY, FINDING_OF_ORDERS };

/* A thread took the second of two locks while it had the first. */
struct finding_order {
	uint32_t thread;
	uint64_t event; /* of the second */
	struct heddle_lock_pair pair;
};

/* Which finding it is: what distinguishes it from others in this test, in the store and in other builds, and what the
 * store and the suppressions say about it. */
struct finding_identity {
	enum finding_kind kind;
	char *key;
	char *old_key;        /* of a failure: without its callers, as version 0.1.0 has it; null: that is the key */
	char *places;         /* of a lock order: where the threads would wait; null: it is none */
	char *locks;          /* of a lock order that is inside a library: its locks, as places say nothing then */
	char *name;           /* the kind and a hash of the key and of what was run: "data-race-1f3a09bc" */
	char fingerprint[33]; /* the same in other tests and builds; "": not known yet */
	uint64_t group;       /* the number of the finding at the head of its group; 0: not known */
	uint32_t rules;       /* 1 << enum group_rule, that made the group */
	uint64_t number;      /* in the store, of H1; 0: it is not there */
	enum store_standing standing;          /* what the store knew of it */
	const struct suppression *suppression; /* that it is suppressed by, not its own; null: it is not */
	bool is_look;                          /* made to look again at one that is suppressed */
	uint32_t looks;                        /* how many there were */
};

/* What shows it: the schedules that had it, the trace of one of them, and what was seen there. */
struct finding_evidence {
	uint64_t first, last, seen; /* schedules: the numbers of the first and the last that had it; how many had it */
	uint64_t schedules;         /* that could have had it; 0: not known yet */
	uint64_t variants;          /* that people see as one: pairs of accesses of a race; 0 counts as 1 */
	bool is_strict;             /* a schedule had it in which no sleep or time-out ended early */
	struct plan plan;           /* of the first */
	char *trace;                /* path of the trace; null: none */
	char parts[IDENTITY_ROOM];  /* what that was made with (identity_tell); "": not known */
	struct verdict verdict;     /* of a data race; see has_verdict */
	bool has_verdict;
	uint64_t
		consequence; /* of a data race that is harmful: the number of the failure that it leads to; 0: not known */
	bool is_slow;        /* a run that shows it computes until it is cut off: it is not run for anything else */
	bool is_reduced;     /* the trace is of a schedule with as few preemptions as could be found ... */
	bool is_fewest;      /* ... and there is none with fewer that fails */
	bool is_from_earlier; /* it was an earlier test that found that schedule */
	uint32_t preemptions;
	uint32_t early; /* sleeps and time-outs that end early in it */

	enum finding_origin origin;
	union {
		struct report_race race;
		struct report_memory memory;
		struct {
			struct finding_order *orders; /* its own */
			size_t order_count;
		};
	};
	struct lock_cycle *cycle; /* of a lock order: not its own; null: it is none */
	bool is_relock;           /* a deadlock of one thread: it waits for what it has */
	uint64_t output_sum;      /* of output that differs: of what the first printed */
	uint32_t proof_flags;     /* enum heddle_site_flag of its accesses that had been proved; 0: none had */
	struct finding_site *sites;
	size_t site_count;
	struct finding_act *acts;
	size_t act_count;
	struct finding_caller *callers; /* of a failure, innermost first */
	size_t caller_count;
	struct finding_call *calls; /* only when the judge collects them */
	size_t call_count;
	struct strings globals;    /* likewise: names of the variable with a symbol that it is about */
	struct strings objects;    /* likewise: display names of what is accessed */
	const char *global_module; /* of its symbol; in owned; null: there is none */
	struct strings owned;      /* the strings of sites, acts and calls */
};

/* What people read of it. */
struct finding_presentation {
	struct buf summary; /* one line without its end, escaped for a terminal */
	struct buf details; /* lines, escaped */
	struct buf needs;   /* lines, escaped: what must run between what */
	struct buf verdict; /* of a data race that was classified: one sentence without its subject, escaped */
	struct buf why;     /* of one that is harmless: sentences that say why, escaped; empty: not known */
	struct buf mark;    /* of one that was classified: lines about a person's own verdict, escaped; empty: none */
	struct buf
		difference; /* of one whose orders print different things: lines that show it, escaped; empty: none */
	char *told;         /* the summary that was reported first, from other evidence; null: none yet */
	const char *object; /* display name of what it is about; owned by the evidence; null: not known */
	struct strings advice;   /* what to try, for reports; empty until they are made */
	bool is_explained;       /* it was reported in full, and not as a member of a group */
	struct buf interleaving; /* JSON: see interleaving.h; empty: none */
};

struct finding {
	struct finding_identity identity;
	struct finding_evidence evidence;
	struct finding_presentation presentation;
};

/* Start with { 0 }. */
struct findings {
	const char *program; /* what is run, for names; the caller's; null: nothing is known of it */
	struct finding **items;
	size_t count;
	struct map by_key;
};

/* The finding with that key, made if need be: then *is_new is set. Counts a schedule once. Key is copied. */
struct finding *findings_see(struct findings *self, enum finding_kind kind, const char *key, uint64_t schedule,
			     bool *is_new);
void findings_release(struct findings *self);

/* The finding of the same kind with the same sites as another, of which only these are known, or whose sites are among them;
 * null: there is none. */
const struct finding *findings_like(const struct findings *self, const struct finding *other);

/* Releases what it was described by: summary, details, sites, acts and calls. */
void finding_forget(struct finding *self);

/* Releases all that it has, but not itself. */
void finding_clear(struct finding *self);

/* The finding with that key, or null. */
struct finding *findings_get(const struct findings *self, enum finding_kind kind, const char *key);

/* It has another key, too. */
void findings_add_key(struct findings *self, struct finding *finding, const char *key);

/* Its key, and so its name, is another one; the old one still leads to it. */
void findings_rename(struct findings *self, struct finding *finding, const char *key);

/* Both are one: all keys of the first lead to the other, which has its schedules and variants, too. The first is freed. */
void findings_merge(struct findings *self, struct finding *finding, struct finding *into);

/* Moves the finding number at (from 0) of another set to the end of this one. */
void findings_move(struct findings *self, struct findings *from, size_t at);

/* Appends what a reduced failure needs: "needs 1 preemption:" and the lines after it. */
void finding_tell_needs(struct buf *out, const struct finding *self);

/* Appends a number of the program's as people read it: counters are small, addresses and patterns are not. */
void finding_tell_value(struct buf *out, uint64_t value);

/* Adds a site; strings are copied. */
void finding_add_site(struct finding *self, const struct finding_site *site);

/* Whether one of its lines is that of a neighbour: see line.h. */
bool finding_has_near(const struct finding *self);

/* Adds an act; strings are copied. */
void finding_add_act(struct finding *self, const struct finding_act *act);

/* The first of that kind, and of a creation of that thread; null: there is none. */
const struct finding_act *finding_act(const struct finding *self, enum finding_act_kind kind, uint32_t thread);

/* Adds a caller; strings are copied. */
void finding_add_caller(struct finding *self, const struct finding_caller *caller);

/* Adds a call; strings are copied. */
void finding_add_call(struct finding *self, const struct finding_call *call);

/* Whether it is a call of free or realloc whose argument is not a live block. */
bool finding_is_bad_free(const struct finding *self);

/* A copy that lives as long as the finding; null stays null. */
const char *finding_keep(struct finding *self, const char *string);

#endif
