/*
 * finding.h: the findings of a campaign. A finding is identified by its kind and its key: the same bug seen again is
 * the same finding. Not for concurrent use.
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

/* A place in the source that is part of a finding. Strings are not escaped; null: not known. */
struct finding_site {
	const char *file, *function, *variable;
	uint32_t line, column; /* the line as line.h has it, here and elsewhere */
	uint32_t number;       /* 1 + the number of the woven site in its program or library; 0: it is not a site */
	const char *access;    /* "read", "lock": a constant */
	const char *caller; /* the place that called its function, for comparison; "": it has none; null: not known */
	bool is_range;      /* a copy, or another access to a range */
	uint32_t thread;
	bool is_beside;                     /* the thread is not in the deadlock itself, but waits for one that is */
	const char *thread_name;            /* the name of the thread or of its start function; null: not known */
	uint64_t event;                     /* in the evidence; 0: not known */
	bool has_value, is_changed;         /* the value is known; it changed */
	uint64_t value_before, value_after; /* of what was accessed */
	/* The property of the access that heddle-cc proved: "private", "ordered", "locked", "promised"; a constant;
	 * null: none. */
	const char *proof;
	const char *proof_locks; /* names of the locks that the proof rests on; null: none, or not known */
	struct strings held;     /* display names of the locks that the thread held; only with an event */
	/* The code of the line in that build (base/source.h); null: not known, or not looked up (scene_find_code). */
	const char *code;
};

/* A related event that is not one of the finding's sites: memory was allocated or freed, or a thread was created. */
enum finding_act_kind { FINDING_ALLOCATED, FINDING_FREED, FINDING_CREATED };
struct finding_act {
	enum finding_act_kind kind;
	uint32_t by, thread;         /* the thread that did it; the thread that was created */
	uint64_t event;              /* the last event before it, in the evidence */
	const char *by_name;         /* name of the thread that did it, as thread_name of a site */
	const char *file, *function; /* null: not known */
	uint32_t line;
	const char *caller; /* as in a site */
	const char *code;   /* as in a site */
};

/* A place in the program's own code on the call chain of the function in which a failure is. Strings as for sites. */
struct finding_caller {
	const char *file, *function;
	uint32_t line;
};

/* A call on one of the stacks of a finding, for suppressions. Strings as for sites. */
struct finding_call {
	const char *function, *linkage; /* readable; and the linkage name, if different */
	const char *file, *path;        /* of the source: as in sites, and the full path */
	const char *module;             /* the file that was mapped */
	uint32_t stack;                 /* calls of one stack follow each other, innermost first */
	bool is_system;                 /* a function of the system's libraries */
};

struct suppression;

/* The origin of a finding: the end of a run, or a line of detection, about which a second pass can find out more. */
enum finding_origin { FINDING_OF_END, FINDING_OF_RACE, FINDING_OF_MEMORY, FINDING_OF_ORDERS };

/* A thread took the second of two locks while it held the first. */
struct finding_order {
	uint32_t thread;
	uint64_t event; /* at which it took the second */
	struct heddle_lock_pair pair;
};

/* The identity of a finding: what distinguishes it from others in this test, in the store and in other builds, and its
 * state in the store and in the suppressions. */
struct finding_identity {
	enum finding_kind kind;
	char *key;
	char *old_key;        /* of a failure: without its callers, as in version 0.1.0; null: the same as key */
	char *places;         /* of a lock order: where the threads would wait; null: not a lock order */
	char *locks;          /* of a lock order inside a library: its locks, as places do not identify it */
	char *name;           /* the kind and a hash of the key and of the program: "data-race-1f3a09bc" */
	char fingerprint[33]; /* stable across tests and builds; "": not known yet */
	uint64_t group;       /* the number of the finding at the head of its group; 0: not known */
	uint32_t rules;       /* that made the group: 1 << enum group_rule */
	uint64_t number;      /* in the store: 1 for H1; 0: it is not stored */
	enum store_standing standing;          /* its state in the store before this test */
	const struct suppression *suppression; /* the one that suppresses it, not owned; null: none does */
	bool is_look;                          /* made to look again at a suppressed finding */
	uint32_t looks;                        /* number of such looks */
};

/* The evidence of a finding: the schedules in which it was seen, the trace of one of them, and the facts that it
 * shows. */
struct finding_evidence {
	/* The numbers of the first and the last examined schedule that showed it, and how many did. */
	uint64_t first, last, seen;
	uint64_t soonest;          /* the smallest number of a schedule that showed it */
	uint64_t schedules;        /* how many schedules could have shown it; 0: not known yet */
	uint64_t variants;         /* pairs of accesses of a race that are reported as one; 0 counts as 1 */
	bool is_strict;            /* a schedule in which no sleep or time-out ended early showed it */
	struct plan plan;          /* of the first schedule */
	char *trace;               /* path of the trace; null: none */
	char parts[IDENTITY_ROOM]; /* digest of the builds in the trace (identity_digest); "": not known */
	struct verdict verdict;    /* of a data race; see has_verdict */
	bool has_verdict;
	uint64_t consequence; /* of a harmful data race: the number of the failure that it leads to; 0: not known */
	bool is_from_log;     /* the run that shows it got its inputs from a log and cannot be repeated live */
	bool is_slow; /* a run that shows it computes until it is cut off, so it is not run again for other purposes */
	bool is_reduced;      /* the trace is of a schedule with as few preemptions as could be found ... */
	bool is_fewest;       /* ... and there is none with fewer that fails */
	bool is_from_earlier; /* an earlier test found that schedule */
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
	struct lock_cycle *cycle; /* of a lock order; not owned; null: not a lock order */
	bool is_relock;           /* a deadlock of one thread, which waits for a lock that it holds */
	uint64_t output_sum;      /* if output differs: of the output of the first schedule */
	uint32_t proof_flags;     /* enum heddle_site_flag of its proved accesses; 0: none are proved */
	struct finding_site *sites;
	size_t site_count;
	struct finding_act *acts;
	size_t act_count;
	struct finding_caller *callers; /* of a failure, innermost first */
	size_t caller_count;
	struct finding_call *calls; /* only when the judge collects them */
	size_t call_count;
	struct strings globals;    /* likewise: names of the accessed variable, if it has a symbol */
	struct strings objects;    /* likewise: display names of the accessed objects */
	const char *global_module; /* of that symbol; in owned; null: there is none */
	struct strings owned;      /* the strings of sites, acts and calls */
};

/* The text that people read. */
struct finding_presentation {
	struct buf summary; /* one line without its end, escaped for a terminal */
	struct buf details; /* lines, escaped */
	struct buf needs;   /* lines, escaped: which events must run between which others */
	struct buf verdict; /* of a classified data race: one sentence without its subject, escaped */
	struct buf input;   /* of a race that matters only with another input: that input, escaped; empty: none */
	struct buf why;     /* of a harmless race: sentences that say why, escaped; empty: not known */
	struct buf mark;    /* of a classified race: lines about a person's own verdict, escaped; empty: none */
	struct buf
		difference;  /* of one whose orders print different things: lines that show it, escaped; empty: none */
	char *first_summary; /* the summary that was reported first, from other evidence; null: none yet */
	const char *object;  /* display name of the object; owned by the evidence; null: not known */
	struct strings advice;   /* advice for reports; empty until they are made */
	bool is_explained;       /* it has a report of its own: no other finding with its cause explains it */
	struct buf report;       /* lines for the end of a test: stacks, threads, advice; empty: none */
	struct buf course;       /* of a failure: what its schedule needs, threads, advice; empty: none */
	struct buf interleaving; /* JSON: see interleaving.h; empty: none */
};

struct finding {
	struct finding_identity identity;
	struct finding_evidence evidence;
	struct finding_presentation presentation;
};

/* Start with { 0 }. */
struct findings {
	const char *program; /* identity of the program, for names; the caller's; null: not known */
	struct finding **items;
	size_t count;
	struct map by_key;
};

/* Returns the finding with this key. If there is none, creates it and sets *is_new. Counts that the schedule showed it,
 * each schedule once. The key is copied. */
struct finding *findings_see(struct findings *self, enum finding_kind kind, const char *key, uint64_t schedule,
			     bool *is_new);
/* Counts that the schedule showed the finding, each schedule once. */
void finding_seen(struct finding *self, uint64_t schedule);
void findings_release(struct findings *self);

/* Returns the finding of the same kind as `other` whose sites are all among those of `other`, or null if there is none.
 * Only the kind and the sites of `other` are used. */
const struct finding *findings_matching(const struct findings *self, const struct finding *other);

/* Releases its description: summary, details, sites, acts and calls. */
void finding_forget(struct finding *self);

/* Releases everything in it, but not the finding itself. */
void finding_clear(struct finding *self);

/* Returns the finding with this key, or null. */
struct finding *findings_get(const struct findings *self, enum finding_kind kind, const char *key);

/* Adds another key for the finding. */
void findings_add_key(struct findings *self, struct finding *finding, const char *key);

/* Changes its key, and thereby its name; the old key still finds it. */
void findings_rename(struct findings *self, struct finding *finding, const char *key);

/* Merges a finding into another, which gets its keys, schedules and variants. The first is freed. */
void findings_merge(struct findings *self, struct finding *finding, struct finding *into);

/* Moves the finding number at (from 0) of another set to the end of this one. */
void findings_move(struct findings *self, struct findings *from, size_t at);

/* Appends what a reduced failure needs: "needs 1 preemption:" and the lines after it. */
void finding_describe_needs(struct buf *out, const struct finding *self);

/* Appends a value of the program in a readable base: small numbers in decimal, large ones (addresses, patterns) in
 * hexadecimal. */
void finding_describe_value(struct buf *out, uint64_t value);

/* Adds a site; strings are copied. */
void finding_add_site(struct finding *self, const struct finding_site *site);

/* Whether one of its lines is that of a neighbour: see line.h. */
bool finding_has_near(const struct finding *self);

/* Adds an act; strings are copied. */
void finding_add_act(struct finding *self, const struct finding_act *act);

/* The first act of that kind, for a creation that of the given thread; null: there is none. */
const struct finding_act *finding_act(const struct finding *self, enum finding_act_kind kind, uint32_t thread);

/* Adds a caller; strings are copied. */
void finding_add_caller(struct finding *self, const struct finding_caller *caller);

/* Adds a call; strings are copied. */
void finding_add_call(struct finding *self, const struct finding_call *call);

/* Whether it is a call of free or realloc whose argument is not a live block. */
bool finding_is_bad_free(const struct finding *self);

/* Returns a copy of the string that lives as long as the finding; null for null. */
const char *finding_keep(struct finding *self, const char *string);

#endif
