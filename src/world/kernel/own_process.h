/*
 * own_process.h: calls to the outside whose arguments or results refer to this process: its ids in
 * structures or as owners of descriptors, and its memory as a file. For use while recording only.
 */
#ifndef WORLD_KERNEL_OWN_PROCESS_H
#define WORLD_KERNEL_OWN_PROCESS_H

#include "world/world.h"

/* The owner that gets the signals of a descriptor (F_SETOWN and the like): the world's ids become the kernel's. Reads
 * the program's memory: a landing must be prepared. A thread of the world cannot be such an owner: that ends the
 * run. */
void own_process_translate(long number, uint64_t arguments[6]);

/* After the call: translates the kernel's ids back to the world's, and closes a file that is our own memory if it is
 * open for writing, because data written there would not be in the log. Returns the new result. */
long own_process_result(long number, const uint64_t arguments[6], long result);

#endif
