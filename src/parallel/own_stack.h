/* own_stack.h: the stack of a thread, for modes that keep facts about memory in tables indexed by address: a new thread
 * may get the stack of a thread that has ended, and the facts about that one must be forgotten. */
#ifndef PARALLEL_OWN_STACK_H
#define PARALLEL_OWN_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Finds the upper part of the calling thread's stack, which is the part that it is likely to use: at most
 * OWN_STACK_BYTES, and only as far down as the stack is mapped without a gap. Not for the first thread, whose stack is
 * the kernel's. Neither calls libc nor reads /proc. */
#define OWN_STACK_BYTES (256u << 10)
void own_stack_find(uintptr_t *start, size_t *size_bytes);

#endif
