/*
 * between.h: what a failure needs, in words: "thread 2 must run between queue.c:12 read q->head and queue.c:13 write q->head
 * of thread 1". From the steps of a reduced schedule (explore/minimise.h) and the events of a replay of it.
 */
#ifndef NARRATE_BETWEEN_H
#define NARRATE_BETWEEN_H

#include "symbols/event_text.h"
#include "trace/steps.h"

/* Appends a line for each step, in the order of the run, escaped for a terminal. A step that the events do not show is left
 * out. Returns 0, or a negative errno: the events cannot be read, or are too many. */
int between_describe(struct buf *out, const struct heddle_step *steps, size_t count, struct events *events,
		     struct event_texts *event_texts);

/* Appends a wait that ends early: "thread 2's sleep of 500 us at queue.c:12". before: the last event of its thread; null: none. */
void between_add_wait(struct buf *out, const struct event *expiry, const struct event *before,
		      struct event_texts *event_texts);

#endif
