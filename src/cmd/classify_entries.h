/*
 * classify_entries.h: what heddle classify was asked about and what became of it: races of the store, reports of other tools,
 * candidates of heddle check. Each is a line of text and an entry of the JSON; together they decide the exit status.
 */
#ifndef CMD_CLASSIFY_ENTRIES_H
#define CMD_CLASSIFY_ENTRIES_H

#include "base/mem.h"
#include "campaign/pairs.h"
#include "cmd/test_say.h"
#include "judge/race_log.h"

/* What became of an entry, apart from the class of what was classified. */
enum classify_result {
	CLASSIFY_UNDECIDED,   /* nothing: there was no time, or no verdict */
	CLASSIFY_CLASSIFIED,  /* it has a class */
	CLASSIFY_ORDERED,     /* it is no race: class VERDICT_ORDERED */
	CLASSIFY_NOT_REACHED, /* no schedule showed it */
	CLASSIFY_NO_MATCH,    /* the program does not have its accesses */
	CLASSIFY_RESULT_COUNT
};

/* One access, as whoever reported it calls it. Strings are its own, not escaped; null: not known. */
struct classify_side {
	const char *access; /* "read": a constant */
	char *file, *function;
	uint32_t line;
};

/* Strings are its own. */
struct classify_entry {
	char *source; /* what names it for people, escaped: "tsan.log:12", "candidate 3"; null: a finding of the store */
	char *log;    /* the file of the report; null: none */
	uint64_t line;    /* in the log; of a candidate its number; 0: neither */
	const char *tool; /* that reported it: a constant; null: Heddle */
	uint64_t times;   /* how often it was reported; at least 1 */
	struct classify_side sides[2];
	size_t pair;   /* in the list of pairs; SIZE_MAX: it is not in it */
	char *inexact; /* how the match is inexact, escaped; null: it is exact */
	bool is_said;  /* it was printed */

	enum classify_result result;
	bool has_class;
	enum verdict_class class;
	uint64_t id;                            /* of the finding; 0: none */
	char *verdict;                          /* a sentence without its subject, escaped */
	uint64_t schedules, reached[2], common; /* as of struct test_pair */
	uint64_t witnesses, instances, inputs;  /* as of struct verdict */
	char *input;                            /* that it comes from, escaped; null: that of the test */
	bool is_from_log;                       /* likewise */
	uint64_t unanswered;                    /* likewise */
};

/* Start with { 0 }. */
struct classify_entries {
	struct classify_entry *items;
	size_t count;
	struct strings unclassified; /* what logs have that is not classified: "tsan.log: ...", escaped */
	uint64_t cut;                /* reports that end before their second access, or that there was no room for */
	uint64_t without_sites;      /* candidates before the last that are no two accesses */
};

/* Appends an entry, times 1 and without a pair; valid until the next call. */
struct classify_entry *classify_add(struct classify_entries *self);
/* What the verdict on the race is based on. */
void classify_take_verdict(struct classify_entry *entry, const struct finding *race);
void classify_entries_release(struct classify_entries *self);

/* Appends "tsan.log:12: write at a.c:3 and read at a.c:7: H1 is harmless ...". */
void classify_tell(struct buf *out, const struct classify_entry *entry);

/* Appends the summary: how many there are of each class. */
void classify_tell_summary(struct buf *out, const struct classify_entries *self);

/* The exit status: docs/MANUAL.md. */
int classify_status(const struct classify_entries *self);

/* Appends the JSON: docs/FORMATS.md. */
void classify_json(struct buf *out, const struct classify_entries *self, char *const *program, size_t word_count);

#endif
