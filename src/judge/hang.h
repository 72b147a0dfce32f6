/* hang.h: describes where a run hangs: in woven code that computes without an event, or in code that cannot be
 * interrupted. */
#ifndef JUDGE_HANG_H
#define JUDGE_HANG_H

#include "symbols/stack.h"

/* Appends, escaped: "hang: thread 2 computes without an event at queue.c:12 in drain". */
void hang_describe(struct buf *out, const struct report *report, struct symbols *symbols, struct unwinder *unwinder);

/* Whether the thread is in code that is not woven, which is never interrupted, while other threads could have
 * continued. Then it may be waiting for one of them, and the program would not hang without Heddle. */
bool hang_may_wait(const struct report *report, struct symbols *symbols, struct unwinder *unwinder);

/* For such a run: appends hang_describe, and why it is not known whether it is a hang. */
void hang_describe_waiting(struct buf *out, const struct report *report, struct symbols *symbols,
			   struct unwinder *unwinder);

/* Appends advice if the program uses a library that is known to wait in loops: a sentence without its full stop. */
void hang_describe_library(struct buf *out, const struct report *report);

#endif
