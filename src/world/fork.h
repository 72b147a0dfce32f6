/*
 * fork.h: the world forks. Since all threads are coroutines on one kernel thread, a raw fork of the process is a copy
 * of the whole world, at any event, and both continue from there.
 */
#ifndef WORLD_FORK_H
#define WORLD_FORK_H

#include "world/world.h"

/*
 * Forks the world at the current event. Returns the child's process id in the original and 0 in the copy, or a negative
 * errno. The copy has every thread where it stands; its memory, descriptors and log position are its own, but the
 * files, sockets and terminals that the descriptors refer to are shared with the original, as after any fork. Its
 * channel is private and it writes no log; it needs its own means to report anything. To give the copy another
 * strategy, the caller changes world.channel->strategy and seed and calls world_begin_strategy. May be called at an
 * event, that is, from world_slow and the functions that it calls, and before main.
 */
long world_fork(void);

/* Forks at the event channel.fork_at: first the copy runs to its end, then the original continues. */
void fork_here(void);

static inline void fork_if_requested(void)
{
	if (world.channel->fork_at)
		fork_here();
}

/* Call it at the end of a run. In a copy made by fork_if_requested, writes its end to the original's channel; in the
 * original, writes the hash of its memory. */
void fork_report_end(enum heddle_outcome outcome);

#endif
