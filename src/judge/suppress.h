/*
 * suppress.h: findings that the user does not want reported. Files name them in ThreadSanitizer's syntax, with a few
 * types of Heddle's own: one TYPE:PATTERN per line (docs/FORMATS.md). Not for concurrent use.
 */
#ifndef JUDGE_SUPPRESS_H
#define JUDGE_SUPPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "judge/finding.h"

struct suppress_type;

/* One line. */
struct suppression {
	const struct suppress_type *type;
	const char *file; /* the name as given */
	uint32_t line;
	char *text;          /* TYPE:PATTERN, not escaped */
	const char *pattern; /* in text */
	uint64_t number;     /* of id:H3; 0: the pattern is a name */
	uint64_t matched;    /* findings, also those that an earlier line suppresses */
	uint64_t suppressed; /* findings that it is the first to match */
};

/* Start with { 0 }. */
struct suppressions {
	struct suppression *items;
	size_t count;
	struct strings files;
};

/* Reads the files, or if there are none that of the environment's HEDDLE_SUPPRESSIONS. To be called once, before
 * suppressions_find. Returns 0, or -EINVAL with err set: a file cannot be read, or has a line that is wrong. */
int suppressions_read(struct suppressions *self, const struct strings *files, struct err *err);
void suppressions_release(struct suppressions *self);

/*
 * Returns the first suppression that matches a finding, which must be described in full and have its number; null:
 * there is none. Counts the match, so call it once for each finding, and sets finding->suppression. The result lives as
 * long as self.
 */
const struct suppression *suppressions_find(struct suppressions *self, struct finding *finding);

/* Whether the suppression depends on more than the kind and the places of a finding. */
bool suppress_is_loose(const struct suppression *suppression);

/* Whether some suppression may depend on the calls of such a finding, so that it cannot be decided without them. */
bool suppressions_need_calls(const struct suppressions *self, const struct finding *finding);

/* Whether some suppression matches the finding, which must have its calls; does not count the match. */
bool suppressions_has(const struct suppressions *self, const struct finding *finding);

/* Whether the pattern occurs in the text: * matches anything, ^ at its start is the start of the text, and $ is its
 * end. Null and "" are never matched. Takes time in proportion to both lengths. */
bool suppress_match(const char *pattern, const char *text);

/* Appends a list of the findings that were suppressed, escaped, each line after the prefix. has_ids: with their
 * numbers. */
void suppressions_list_used(struct buf *out, const char *prefix, const struct suppressions *self,
			    const struct findings *findings, bool has_ids);

/* Appends a warning for each suppression that no finding matched. */
void suppressions_list_unused(struct buf *out, const struct suppressions *self);

#endif
