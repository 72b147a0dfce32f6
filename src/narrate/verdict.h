/* verdict.h: the verdict on a data race (model/verdict.h) in words. */
#ifndef NARRATE_VERDICT_H
#define NARRATE_VERDICT_H

#include "base/mem.h"
#include "model/verdict.h"

/* Appends one sentence without its end: "is harmful: ...". failure: of a race whose specification is violated, in words, escaped; is_other: it is seen with the
 * accesses in the order that the recorded run did not have. */
void verdict_tell(struct buf *out, const struct verdict *verdict, const char *failure, bool is_other);

#endif
