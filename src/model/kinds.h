/*
 * kinds.h: the kinds of findings: what each is called, how bad it is, what can be done with it, and an explanation for
 * people new to it. A new kind is a row in kinds.def, which explains the column `look` from which judge_LOOK is
 * declared and called, and a file in src/judge with that function. What the runtime detects is reported by
 * src/detect/finding.c and read by src/trace/report_detect.c. Kinds are tested by tests/cli/test.t or a case in tests/detect.
 */
#ifndef MODEL_KINDS_H
#define MODEL_KINDS_H

#include <stddef.h>
#include <stdint.h>

#define KIND(ID, ...) FINDING_##ID,
enum finding_kind {
#include "model/kinds.def"
	FINDING_ALL_COUNT,
	FINDING_KIND_COUNT = FINDING_DATA_RACE_CANDIDATE /* of those that runs show */
};

/* In the order of what is shown first. The words are those of SARIF. */
enum kind_level { KIND_ERROR, KIND_WARNING, KIND_NOTE, KIND_LEVEL_COUNT };

extern const char *const kind_level_words[KIND_LEVEL_COUNT];

enum kind_trait {
	KIND_REDUCIBLE = 1u << 0,   /* it depends on the schedule, so a reduced schedule may show it too */
	KIND_CONSEQUENCE = 1u << 1, /* something else is its cause: races can be suppressed by it */
	KIND_END = 1u << 2,         /* it is the end of a run; if all schedules have it, it may not depend on them */
	KIND_CAUSE = 1u << 3,       /* it may be the cause of a failure at the same line */
	KIND_NEEDS_WEAVE = 1u << 4, /* only woven programs show it */
	KIND_ON_REQUEST = 1u << 5,  /* only looked for on request, which documents do not record */
	KIND_CANDIDATE = 1u << 6,   /* found without running the program, so it may not be real */
};

/* What distinguishes a finding from others of its kind, apart from its places (store/fingerprint.h). */
enum kind_fingerprint {
	KIND_BY_PLACES, /* nothing */
	KIND_BY_ACCESS, /* what was done at its first place */
	KIND_BY_KEY,    /* its key */
	KIND_BY_MEMORY, /* what became of the memory */
};

/* Which tests would see it, so that it counts as gone if they do not. */
enum kind_seen {
	KIND_ALWAYS,
	KIND_WOVEN,          /* those of programs that are woven and switched whole */
	KIND_NO_ORDERS_LEFT, /* those with no unreported lock order: a deadlock is reported instead of its order */
	KIND_UNCHECKED,      /* those without --check */
	KIND_OUTPUT,         /* those that compare outputs */
	KIND_CHECKED,        /* those with --check */
	KIND_NEVER,          /* not a finding of a test */
};

struct kind {
	const char *word; /* as in JSON, and in the names of evidence: "data-race" */
	const char *name; /* an identifier: "DataRace" */
	enum kind_level level;
	uint32_t traits; /* enum kind_trait */
	enum kind_fingerprint fingerprint;
	enum kind_seen seen;
	const char *
		severity; /* "8.1": of 10, as in the Common Vulnerability Scoring System; null: neither memory nor the service can be lost by it */
	const char *title;   /* one line, with a full stop */
	const char *about;   /* what it is and why it matters */
	const char *help;    /* what to do about it */
	const char *tags[4]; /* null: no more */
};

/* The words of those that runs show; null ends them. */
extern const char *const kind_words[FINDING_KIND_COUNT + 1];

/* By enum finding_kind. */
extern const struct kind kinds[FINDING_ALL_COUNT];

/* By its word, of all; FINDING_OTHER when there is no such kind. */
enum finding_kind kind_find(const char *word);

#endif
