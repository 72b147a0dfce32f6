/*
 * state.h: finds the changes of the program's memory since a given moment, to compare the states that two runs lead to
 * (world/schedule/compared.h). A copy of the process keeps the memory of that moment, which costs little: pages that
 * are not written are shared with it.
 *
 * Only the program's own memory counts: writable data of its files and libraries, live blocks of the heap, live parts
 * of stacks with thread-local data, and other private mappings. The memory of the runtime, the heap's own data, freed
 * blocks, libc's descriptions of threads, and memory that is shared with other processes do not count.
 */
#ifndef WORLD_MEMORY_STATE_H
#define WORLD_MEMORY_STATE_H

#include <stdbool.h>

/* Keeps a copy of the memory as it is now. Returns false if no process can be made for it. Call it once in a run. */
bool state_keep(void);

/* Reports the words that changed since then to the tool. Returns false if they cannot be determined. */
bool state_report(void);

/* Releases the copy, if there is one. */
void state_drop(void);

#endif
