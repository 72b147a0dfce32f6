/*
 * escape.h: which memory no other thread can reach. A pointer escapes when a copy of it may outlive the call it is
 * passed to or be found in memory: stored, returned, converted to an integer, given to inline assembly, or passed to a
 * parameter that is not marked nocapture. The answer is flow-insensitive and errs towards "escapes".
 *
 * What is provably private to the running thread: a stack slot that does not escape, a parameter passed by value that
 * does not escape, and a thread-local variable that does not escape. What is constant cannot be raced on.
 */
#ifndef IR_ESCAPE_H
#define IR_ESCAPE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "base/map.h"
#include "base/ptrmap.h"

struct escape {
	struct ptrmap known;          /* value -> not null when it escapes */
	const struct map *shared_tls; /* names of thread-local variables that escape in some unit; may be null */
	bool is_library;              /* other objects may take the address of exported thread-local variables */
};

void escape_release(struct escape *escape);

/* Whether the address that value holds may be known outside the function (or, for a variable, the unit). */
bool escape_escapes(struct escape *escape, LLVMValueRef value);

/* Whether an access through pointer provably touches only memory that is private to the thread or constant. */
bool escape_is_private(struct escape *escape, LLVMValueRef pointer);

/* The thread-local variable that value is the address of, or null. */
LLVMValueRef escape_thread_local(LLVMValueRef value);

#endif
