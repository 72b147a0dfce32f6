/*
 * state.h: what the program's memory became since a moment: for the comparison of the states that two runs lead to
 * (world/schedule/compared.h). The memory of the moment stays in a copy of the process, which costs little: pages that nobody
 * writes are shared with it.
 *
 * Only the program's own memory counts: writable data of its files and libraries, live blocks of the heap, live parts of
 * stacks with thread-local data, and other private mappings. Not the runtime's, not what the heap knows of its blocks, not freed
 * blocks, not libc's descriptions of threads, and not memory that is shared with other processes.
 */
#ifndef WORLD_MEMORY_STATE_H
#define WORLD_MEMORY_STATE_H

#include <stdbool.h>

/* Keeps the memory as it is now. False when there is no process for it. Once in a run. */
bool state_keep(void);

/* Into the report, for the tool: the words that changed since then. False when that cannot be found out. */
bool state_report(void);

/* Gives the copy back; without one nothing happens. */
void state_drop(void);

#endif
