/* reason.h: why a data race is harmless (model/reason.h), in words. */
#ifndef NARRATE_REASON_H
#define NARRATE_REASON_H

#include "judge/reason.h"

/* Appends a sentence about the reason and one about who reads the memory, escaped; nothing when there is no reason. scene: that of
 * the look. */
void reason_tell(struct buf *out, const struct reason_look *look, struct scene *scene);

#endif
