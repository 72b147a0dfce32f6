/* violation_stack.h: finds the call stack of a thread that was about to violate a set, from the log of a guarded
 * run. */
#ifndef JUDGE_VIOLATION_STACK_H
#define JUDGE_VIOLATION_STACK_H

#include "base/mem.h"
#include "symbols/stack.h"
#include "trace/guard.h"

struct violation_stacks;

/* The log must stay until violation_stacks_free. Mapped files are read when a stack is first requested. */
struct violation_stacks *violation_stacks_new(const struct guard_log *log);
void violation_stacks_free(struct violation_stacks *self);

/* Returns the callers of the function with the access, innermost first; none if the log does not have the stack. The
 * result is valid until the next call. */
const struct stack_places *violation_callers(struct violation_stacks *self, const struct heddle_violation *violation);

/* Appends one of them, escaped for a terminal. */
void violation_caller_describe(struct buf *out, struct violation_stacks *self, const struct stack_place *place);

#endif
