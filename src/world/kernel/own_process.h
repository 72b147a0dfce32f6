/*
 * own_process.h: calls to the outside whose arguments or results lead back to this process: ids of it that stand in
 * structures or belong to descriptors, and its memory as a file. While recording only.
 */
#ifndef WORLD_KERNEL_OWN_PROCESS_H
#define WORLD_KERNEL_OWN_PROCESS_H

#include "world/world.h"

/* The owner that gets the signals of a descriptor (F_SETOWN and the like): the world's ids become the kernel's. Reads
 * the program's memory: a landing must be prepared. A thread of the world cannot be such an owner: that ends the
 * run. */
void own_process_translate(long number, uint64_t arguments[6]);

/* After the call: the kernel's ids become the world's again, and a file that is our own memory, open for writing, is closed:
 * what is written there would not be in the log. */
long own_process_result(long number, const uint64_t arguments[6], long result);

#endif
