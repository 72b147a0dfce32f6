/*
 * fork.h: the world forks. Since all threads are coroutines on one kernel thread, a raw fork of the process is a copy of
 * the whole world, at any event, and both go on from there.
 */
#ifndef WORLD_FORK_H
#define WORLD_FORK_H

#include "world/world.h"

/*
 * Forks the world at the current event. Returns the child's process id in the original and 0 in the copy, which has no
 * channel of the tool's: it has a private one, writes no log, and ends as the program does. -errno when it cannot.
 */
long world_fork(void);

#endif
