/*
 * event_text.h: what a thread does at an event, in words: "queue.c:12 lock q.lock". Names come from the sites of woven
 * objects, from debug information, and from symbols.
 */
#ifndef SYMBOLS_EVENT_TEXT_H
#define SYMBOLS_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "trace/events.h"
#include "trace/report.h"

struct event_texts;

/* The report must stay. */
struct event_texts *event_texts_new(const struct report *report);
void event_texts_free(struct event_texts *event_texts);

/* Takes over the callers of the events: with them, events in libraries and system headers are described by the program's
 * own line that called them. */
void event_texts_take_callers(struct event_texts *event_texts, struct callers *callers);

/* Learns the program's names for those locks and conditions of these events that have no symbol. Call it before anything
 * is described. */
void event_texts_learn(struct event_texts *event_texts, const struct event *events, size_t count);

/* Appends one event, escaped for a terminal. */
void event_texts_describe(struct buf *out, struct event_texts *event_texts, const struct event *event);

/* Appends the same without its place. */
void event_texts_describe_what(struct buf *out, struct event_texts *event_texts, const struct event *event);

/* Where the program does it, in its own code where that is known: the file as its debug information names it, and *line; null
 * and 0 when nothing is known. Lives as long as event_texts. */
const char *event_texts_place(struct event_texts *event_texts, const struct event *event, uint32_t *line);

/* Whether it is certain that memory is changed there. Atomic accesses that only read do not, and of a compare and exchange it
 * is not known. */
bool event_texts_is_change(struct event_texts *event_texts, const struct event *event);

/* As event_texts_place, but null and 0 also when it is code of a library or of a system header whose caller is not
 * known. */
const char *event_texts_own_place(struct event_texts *event_texts, const struct event *event, uint32_t *line);

/* The readable name, without parameters, of the function that does it: of functions inlined into each other, the outermost.
 * Caller frees; null when it has none. */
char *event_texts_function(struct event_texts *event_texts, const struct event *event);

/* Appends the name of what is at an address, escaped; the address when it has none. */
void event_texts_describe_address(struct buf *out, struct event_texts *event_texts, uint64_t address);

/* Appends several accesses of one thread without their places: "7 accesses: n, q->head". */
void event_texts_fold_what(struct buf *out, struct event_texts *event_texts, const struct event *events, size_t count);

/* Appends several accesses of one thread: "queue.c:12-15 7 accesses: n, q->head". */
void event_texts_fold(struct buf *out, struct event_texts *event_texts, const struct event *events, size_t count);

#endif
