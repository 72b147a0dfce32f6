/*
 * record.h: what a test writes into the store: its start, each finding before it is shown, and their final states.
 *
 * The state of a finding:
 *   new         seen by one test, or came back after it was fixed, in whichever build
 *   known       seen again by another test
 *   fixed       not seen in enough schedules of builds that are newer than the last one that showed it
 *   suppressed  a suppression of the last test that saw it matched, and no test without that suppression could have seen it since
 * A build is newer than another if it was first used later. Schedules count for a finding if they are of the same program with the
 * same arguments that it was seen in, and if the test could see findings of its kind.
 */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include "store/running.h"
#include "store/store.h"

/* What is tested. The caller owns the strings, which must stay until the test is ended. */
struct store_subject {
	const char *identity;  /* of the build: hexadecimal digits */
	const char *weave;     /* of a woven program; null: it is not */
	const char *program;   /* path, relative to the working directory if it is below it */
	const char *arguments; /* without the program's name, each with a newline before it */
	const char *strategy;
	uint64_t seed;
};

struct store_test {
	struct store *store; /* the caller's */
	struct store_subject subject;
	int64_t mark;             /* see running.h */
	int64_t id, build, group; /* rows */
};

/* Adds the test, and gives it a mark that is unique in the store, even if the file system has no locks. Returns 0, or a negative errno with
 * err set. There is nothing to release. */
int store_begin_test(struct store_test *self, struct store *store, struct running *running,
		     const struct store_subject *subject, struct err *err);

/* A place involved in the finding, as struct finding_site. */
struct store_site {
	const char *file, *function, *variable, *access; /* null: not known */
	uint32_t line, column, thread;
	bool is_near;                             /* the line is that of a neighbour */
	const char *thread_name, *before, *after; /* null: not known */
	uint64_t event;                           /* of the trace; 0: not known */
	bool is_beside;
	const char *code;                /* of the line, as the build had it (base/source.h); null: not known */
	const char *proof, *proof_locks; /* null: none */
};

struct store_seen {
	const char *kind, *key; /* identifies it within its build */
	const char *fingerprint, *context;
	/* Of a failure: key and fingerprint by its place alone, which it has in stores before version 10; null: not a failure. */
	const char *old_key, *old_fingerprint;
	const char *summary, *details; /* for people, escaped */
	const struct store_site *sites;
	size_t site_count;
	uint64_t schedule; /* the number of the first one that showed it */
	const char *strategy;
	uint64_t seed;
	const char *trace; /* relative to the store's folder; null: none */
	const char *parts; /* digest of the files that the trace was made with; "": not known */
	uint64_t event;    /* of the trace, at which it is seen; 0: at its end */
	bool is_spare;     /* the trace is only kept if there is none of this build and these parts */
};

/* What is already known about it. */
enum store_standing {
	STORE_FIRST,
	STORE_AGAIN,
	STORE_CAME_BACK, /* it was fixed, and a newer build shows it */
	STORE_REVERTED,  /* it was fixed, and a build that was tested before that shows it */
	STORE_FIXED,     /* only when read from the store: it was not seen since */
	STORE_SUPPRESSED,
};

/* Writes between the two reach the disk together: use this for many findings at once, since each single write waits for
 * the disk. A write that fails is undone on its own. Both return 0, or a negative errno with err set; without a group,
 * and in case of the second, nothing of it was written. */
int store_group_begin(struct store_test *self, struct err *err);
int store_group_end(struct store_test *self, struct err *err);

/* Adds the finding, or records that it was seen again. What is known about it, and what it needs, stays when an earlier
 * trace of the same build is better (see sweep.h). A test does this once for each. Returns 0 with *id and *standing
 * set, or a negative errno with err set and nothing changed. */
int store_see(struct store_test *self, const struct store_seen *seen, int64_t *id, enum store_standing *standing,
	      struct err *err);

/* Makes it suppressed, by a line of that text, or known again: null. Returns 0, or a negative errno with err set. */
int store_set_suppressed(struct store_test *self, int64_t id, const char *suppression, struct err *err);

/* What a failure needs. All but the text are as in struct store_seen, of the schedule that is kept. */
struct store_needs {
	const char *text; /* what must run between what, for people, escaped */
	const char *summary, *details;
	const struct store_site *sites;
	size_t site_count;
	const char *trace, *parts; /* as struct store_seen */
	uint64_t event;
	uint32_t preemptions;
	uint32_t early; /* sleeps and time-outs that must end early */
	bool is_fewest; /* it is known that fewer do not suffice */
};

/* Replaces the trace of the sighting by the given one: nothing refers to the old one any more. Returns 0, or a negative errno with err set. */
int store_set_needs(struct store_test *self, int64_t id, const struct store_needs *needs, struct err *err);

/* How often a finding was seen, and in which group it is. */
struct store_count {
	int64_t id;
	int64_t head;      /* the finding at the head of the group */
	const char *rules; /* that made it: words */
	uint64_t seen, variants;
	uint64_t soonest; /* the first schedule that showed it, by number; 0: as it was stored */
};

struct store_end {
	const struct store_count *counts;
	size_t count;
	uint64_t schedules;       /* that ended and were examined */
	const char *const *kinds; /* that could be seen; null ends the list */
	const char
		*suppressions; /* the texts of all suppressions in use, each between newlines: "\na\nb\n"; "": none */
	/* Schedules without it before a finding is fixed, at least 1; a finding that was seen in fewer than 3 of that
	 * many needs more. */
	uint64_t fixed_after;
};

/* A finding that newer builds did not show in `unseen` schedules. */
struct store_fixed {
	int64_t id;
	uint64_t unseen;
};

/* Returns 0, or a negative errno with err set and nothing changed. fixed: gets what is fixed now; the caller frees it in any case. */
int store_end_test(struct store_test *self, const struct store_end *end, struct store_fixed **fixed, size_t *count,
		   struct err *err);

#endif
