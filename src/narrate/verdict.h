/* verdict.h: the verdict on a data race (model/verdict.h) in words. */
#ifndef NARRATE_VERDICT_H
#define NARRATE_VERDICT_H

#include "judge/finding.h"

/* Appends one sentence about the race without its subject and its end: "is harmful: ...". failure: of a race whose specification is violated, in
 * words, escaped; is_other: seen with the accesses in the order that the recorded run did not have. */
void verdict_tell(struct buf *out, const struct finding *race, const char *failure, bool is_other);

#endif
