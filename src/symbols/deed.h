/*
 * deed.h: what a thread does at an event, in words: "queue.c:12 lock q.lock". Names come from the sites of woven
 * objects, from debug information, and from symbols.
 */
#ifndef SYMBOLS_DEED_H
#define SYMBOLS_DEED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "trace/events.h"
#include "trace/report.h"

struct deeds;

/* The report must stay. */
struct deeds *deeds_new(const struct report *report);
void deeds_free(struct deeds *deeds);

/* Takes the calls that the events were in: what libraries and headers of the system do is told by the program's own line that
 * called them, then. */
void deeds_take_callers(struct deeds *deeds, struct callers *callers);

/* Learns what the program calls the locks and conditions of these events that have no symbol. Before anything is described. */
void deeds_learn(struct deeds *deeds, const struct event *events, size_t count);

/* Appends one event, escaped for a terminal. */
void deeds_describe(struct buf *out, struct deeds *deeds, const struct event *event);

/* Appends the same without its place. */
void deeds_describe_what(struct buf *out, struct deeds *deeds, const struct event *event);

/* Where the program does it, in its own code where that is known: the file as its debug information names it, and *line; null
 * and 0 when nothing is known. Lives as long as deeds. */
const char *deeds_place(struct deeds *deeds, const struct event *event, uint32_t *line);

/* Whether it is certain that memory is changed there. Atomic accesses that only read do not, and of a compare and exchange it
 * is not known. */
bool deeds_is_change(struct deeds *deeds, const struct event *event);

/* As deeds_place, but null and 0 also when it is the code of a library or of a header of the system that nobody is known to have called. */
const char *deeds_own_place(struct deeds *deeds, const struct event *event, uint32_t *line);

/* The function that does it, by the name that people know, without parameters: of those that are inlined into each other the outermost.
 * Caller frees; null when it has none. */
char *deeds_function(struct deeds *deeds, const struct event *event);

/* Appends the name of what is at an address, escaped; the address when it has none. */
void deeds_describe_address(struct buf *out, struct deeds *deeds, uint64_t address);

/* Appends several accesses of one thread without their places: "7 accesses: n, q->head". */
void deeds_fold_what(struct buf *out, struct deeds *deeds, const struct event *events, size_t count);

/* Appends several accesses of one thread: "queue.c:12-15 7 accesses: n, q->head". */
void deeds_fold(struct buf *out, struct deeds *deeds, const struct event *events, size_t count);

#endif
