/*
 * replay.h: a run that follows a log. The records of the log determine which thread runs next, which waits end and how
 * much time passes. If the program does something that is not in the log, the replay has diverged and ends.
 */
#ifndef WORLD_REPLAY_H
#define WORLD_REPLAY_H

#include "world/world.h"

/* Applies the records that are due, and returns the thread that runs next. self: the running thread; null when it
 * cannot continue. */
struct thread *replay_next(struct thread *self);

/* Applies the records that are due; self as for replay_next. */
void replay_due(const struct thread *self);

/* The number of events until the next record is due, or a limit of the replay is reached. */
uint64_t replay_slice(void);

/* Ends the run if the log ends here although a thread could continue, as the log of a livelock does. */
void replay_end(void);

/* Ends a replay that was requested for a part of the run and has reached the end of that part. Also ends a replay that
 * has diverged without being noticed: one that has passed the last event of the recording, or the event of a record
 * that it has not taken. */
void replay_check_end(void);

#endif
