/*
 * vfork.h: the changes that the child of a vfork makes to our memory. The child runs in this memory, for real and
 * outside the world, until it becomes another program or ends, and the program may read what it wrote, such as the
 * error number of a failed exec. A replay has no child, so the changes are in the log.
 *
 * The log has changes of the stack from the caller on, of the thread's own storage, of variables, and of blocks of the
 * heap; but not of mappings of more than 8 MB, and not of the stacks of other threads.
 */
#ifndef WORLD_KERNEL_VFORK_H
#define WORLD_KERNEL_VFORK_H

#include "world/world.h"

/* Call it before the child exists. Saves the contents of memory if the run is recorded. */
void vfork_before(const struct registers *registers);

/* Call it afterwards. Writes the result and the changes to the log, as a call of that number. */
void vfork_after(long number, long result);

/* In a replay, with the record of that call in log_next: applies the child's changes to memory. */
void vfork_replay(void);

#endif
