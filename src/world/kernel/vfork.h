/*
 * vfork.h: what the child of a vfork does to our memory. It runs in it, for real and outside the world, until it becomes
 * another program or ends; what it wrote (an error number, that exec failed) the program finds afterwards. A replay has
 * no child: so what changed is in the log.
 *
 * Known to change are the stack from the caller on, the thread's own storage, variables, and blocks of the heap; not
 * mappings of more than 8 MB, and not what other threads have on their stacks.
 */
#ifndef WORLD_KERNEL_VFORK_H
#define WORLD_KERNEL_VFORK_H

#include "world/world.h"

/* Before the child exists: saves the contents of memory, when the run is recorded. */
void vfork_before(const struct registers *registers);

/* Afterwards: puts result and what changed into the log, as a call of that number. */
void vfork_after(long number, long result);

/* In a replay, with the record of that call in log_next: applies the child's changes to memory. */
void vfork_replay(void);

#endif
