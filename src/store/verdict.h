/*
 * verdict.h: what the store knows about the consequences of a data race: the verdict of the last classification
 * (model/verdict.h), with the runs that show it, and what a person decided.
 */
#ifndef STORE_VERDICT_H
#define STORE_VERDICT_H

#include "store/record.h"

/* A verdict. Strings that are read are to be freed: store_verdict_release. What is read is as stored, so it is not to be trusted. */
struct store_verdict {
	char *class;      /* a word of verdict_classes; null: the race was not classified */
	char *text;       /* the sentence, without its subject; escaped when it was written */
	char *reason;     /* why it is harmless, a word of verdict_reason_words; null: not known */
	char *why;        /* the same as sentences, escaped when they were written; null: there are none */
	char *states;     /* a word of verdict_states_words; null: not known */
	char *analyzer;   /* a word of analyzer_words; null: not known */
	char *difference; /* lines about how the outputs of the two orders differ, escaped likewise; null: they do not */
	char *input;      /* that it comes from, escaped likewise; null: that of the test */
	char *parts;      /* what the runs were made with, as of a sighting; "": not known */
	char *build;      /* identity of the build that was classified; only read */
	uint64_t witnesses, instances, seen_instances, inputs;
	int64_t consequence; /* the finding that it leads to; 0: none */
	char *shown_trace; /* of a run that shows what it leads to; null: there is none. Relative to the store's folder */
	char *other_trace;   /* of a run with the other order; null: there is none */
	bool is_from_log;    /* its runs got their inputs from the log, ... */
	uint64_t unanswered; /* ... and so many more ended because that has no answer */
	bool is_other_shown; /* the run that shows it has the other order */
	/* Where the accesses are in these runs: "2@17 3@25", the threads and the numbers of events there were; a number 0 is not known. Null:
	 * neither is known. */
	char *shown_marks, *other_marks;
};

/* A person's own verdict. */
struct store_mark {
	char *word;    /* "benign" or "harmful"; null: there is none */
	char *why;     /* in the person's words */
	int64_t made;  /* seconds since 1970 */
	char *revoked; /* why it does not count any more; null: it does */
};

/* Replaces the verdict on a finding that the test has seen. A mark "benign" is revoked when the class is spec-violated. Returns 0, or a
 * negative errno with err set. */
int store_set_verdict(struct store_test *self, int64_t id, const struct store_verdict *verdict, struct err *err);

/* Whether the trace of a sighting of that finding was made with those parts, or that is not known of one of them. */
bool store_is_made_with(struct store *store, int64_t id, const char *trace, const char *parts);

/* Returns 0, or a negative errno with err set. Both are { 0 } when there is none; release them in any case. */
int store_get_verdict(struct store *store, int64_t id, struct store_verdict *verdict, struct err *err);
int store_get_mark(struct store *store, int64_t id, struct store_mark *mark, struct err *err);
void store_verdict_release(struct store_verdict *self);
void store_mark_release(struct store_mark *self);

/* Sets the mark of a finding, or removes it: word is null. Returns 0; -ENOENT with err set when there is no such finding; or
 * another negative errno with err set. */
int store_set_mark(struct store *store, int64_t id, const char *word, const char *why, struct err *err);

#endif
