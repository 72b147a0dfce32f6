/* own_stack.h: stacks of threads, for modes that keep something about memory in tables by address: a new thread may get the stack of one that has ended. */
#ifndef PARALLEL_OWN_STACK_H
#define PARALLEL_OWN_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Where the stack of this thread is, as far down as is likely to be used: up to OWN_STACK_BYTES, and not beyond what is mapped without a
 * gap. For threads other than the first. Neither asks libc nor reads /proc. */
#define OWN_STACK_BYTES (256u << 10)
void own_stack_find(uintptr_t *start, size_t *size_bytes);

#endif
