/*
 * pair_seen.h: which accesses of a pair a run made, and what ordered those that touch common bytes. The tool cannot know it otherwise: detection
 * reports what is not ordered only.
 */
#ifndef WORLD_SCHEDULE_PAIR_SEEN_H
#define WORLD_SCHEDULE_PAIR_SEEN_H

#include "world/world.h"

void pair_seen_start(void);

/* The thread stands before an access of the pair, which it makes next. More than once for one access is harmless. */
void pair_seen(const struct thread *self);

#endif
