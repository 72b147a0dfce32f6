/*
 * kinds.h: the kinds of findings, as reports for other tools need them: how bad they are, and words for people who have not met
 * them yet.
 */
#ifndef REPORT_KINDS_H
#define REPORT_KINDS_H

#include <stdbool.h>
#include <stddef.h>

struct json;

/* In the order of what is shown first. The words are those of SARIF. */
enum kind_level { KIND_ERROR, KIND_WARNING, KIND_NOTE, KIND_LEVEL_COUNT };

extern const char *const kind_level_words[KIND_LEVEL_COUNT];

struct kind {
	const char *word;    /* as in JSON: "data-race" */
	const char *name;    /* an identifier: "DataRace" */
	const char *title;   /* one line, with a full stop */
	const char *about;   /* what it is and why it matters */
	const char *help;    /* what to do about it */
	const char *tags[4]; /* null: no more */
	enum kind_level level;
	bool is_candidate; /* found without running: it may be, or not */
};

#define KIND_COUNT 13u

/* The last one is for kinds that this version does not know. */
extern const struct kind kinds[KIND_COUNT];

/* The number in kinds of a finding's kind. */
size_t kind_of(const struct json *finding);

/* From this score on, of 100, a candidate is a warning. */
#define KIND_LIKELY_SCORE 50u

/* How bad the finding is: by its class where it has one, of candidates by their score, else by its kind. */
enum kind_level kind_level(const struct json *finding);

#endif
