/*
 * deed.h: what a thread does at an event, in words: "queue.c:12 lock q.lock". Names come from the sites of woven
 * objects, from debug information, and from symbols.
 */
#ifndef CMD_DEED_H
#define CMD_DEED_H

#include <stddef.h>

#include "base/mem.h"
#include "cmd/report.h"
#include "trace/events.h"

struct deeds;

/* The report must stay. */
struct deeds *deeds_new(const struct report *report);
void deeds_free(struct deeds *deeds);

/* Appends one event, escaped for a terminal. */
void deeds_describe(struct buf *out, struct deeds *deeds, const struct event *event);

/* Appends several accesses of one thread: "queue.c:12-15 7 accesses: n, q->head". */
void deeds_fold(struct buf *out, struct deeds *deeds, const struct event *events, size_t count);

#endif
