/* operations.h: the operations of a run in words: tables of operations, system calls and threads; and all of it as JSON. */
#ifndef NARRATE_OPERATIONS_H
#define NARRATE_OPERATIONS_H

#include "base/mem.h"
#include "trace/operations.h"

/* Appends the tables, with at most top system calls and top threads, and what is not counted. */
void operations_text(struct buf *out, const struct operations *operations, uint64_t top);

/* Appends one JSON object with every thread. program ends with null. */
void operations_json(struct buf *text, const struct operations *operations, char **program);

#endif
