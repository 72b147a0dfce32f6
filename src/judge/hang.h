/* hang.h: where a run hangs: in woven code, which computes without an event, or in code that cannot be interrupted. */
#ifndef JUDGE_HANG_H
#define JUDGE_HANG_H

#include "symbols/stack.h"

/* Appends, escaped: "hang: thread 2 computes without an event at queue.c:12 in drain". */
void hang_describe(struct buf *out, const struct report *report, struct symbols *symbols, struct unwinder *unwinder);

/* Whether the thread is in code that is not woven, which is never interrupted, while others could have gone on: it may wait for
 * one of them, and then the program would not hang without Heddle. */
bool hang_may_wait(const struct report *report, struct symbols *symbols, struct unwinder *unwinder);

/* Appends, for such a run, hang_describe and why nothing is known about it. */
void hang_describe_waiting(struct buf *out, const struct report *report, struct symbols *symbols,
			   struct unwinder *unwinder);

/* Appends what to do, if the program has a library that is known to wait in loops; a sentence without its end. */
void hang_describe_library(struct buf *out, const struct report *report);

#endif
