/* verdict.h: the verdict on a data race (model/verdict.h) in words. */
#ifndef NARRATE_VERDICT_H
#define NARRATE_VERDICT_H

#include "judge/finding.h"
#include "store/verdict.h"

/* Appends one sentence about the race without its subject and its end: "is harmful: ...". pair: the accesses of the instance that
 * shows the class; unanswered: why the log had no answer for a run, escaped, or null; failure: of a race whose specification is violated, in words, escaped; is_other: seen with the accesses in the order
 * that the recorded run of that instance did not have. */
void verdict_tell(struct buf *out, const struct finding *race, const struct report_race *pair, const char *unanswered,
		  const char *failure, bool is_other);

/* Appends to the sentence about a harmless race whether the states after both orders are the same. differing: what differs, escaped. */
void verdict_tell_states(struct buf *out, const struct verdict *verdict, const struct strings *differing);

/* Appends a line about the verdict that the store has of a finding, and one about a person's mark. Not escaped. */
void verdict_tell_stored(struct buf *out, int64_t id, const struct store_verdict *verdict);
void verdict_tell_mark(struct buf *out, const struct store_mark *mark);

/* The class for people, in a table, of its word in the store; the word itself if it is not known. */
const char *verdict_listed(const char *word);

#endif
