/* hang.h: where a run hangs: in woven code, which computes without an event, or in code that cannot be interrupted. */
#ifndef CMD_HANG_H
#define CMD_HANG_H

#include "cmd/stack.h"

/* Appends, escaped: "hang: thread 2 computes without an event at queue.c:12 in drain". */
void hang_tell(struct buf *out, const struct report *report, struct symbols *symbols, struct unwinder *unwinder);

#endif
