/*
 * replay.h: a run that follows a log: which thread runs next, which waits end and how much time passes are in its records. The program
 * must do what the log says; where it does not, the replay has diverged and is ended.
 */
#ifndef WORLD_REPLAY_H
#define WORLD_REPLAY_H

#include "world/world.h"

/* Applies the records that are due, and returns the thread that runs next. self: the running thread; null when it cannot
 * continue. */
struct thread *replay_next(struct thread *self);

/* Applies the records that are due; self as for replay_next. */
void replay_due(const struct thread *self);

/* The number of events until the next record is due, or a limit of the replay is reached. */
uint64_t replay_slice(void);

/* Ends the run if the log ends here although a thread could continue: only a livelock does that. */
void replay_end(void);

/* A replay that was asked for a part of the run ends here, and one that has passed the recording's last event left its path
 * before. Records of the log that the replay passed without them say so, too. */
void replay_check_end(void);

#endif
