/*
 * pair_seen.h: which accesses of a pair a run made, and what ordered those that touch common bytes. The tool cannot know it otherwise: detection
 * reports what is not ordered only.
 */
#ifndef WORLD_SCHEDULE_PAIR_SEEN_H
#define WORLD_SCHEDULE_PAIR_SEEN_H

#include "world/world.h"

void pair_seen_start(void);

/* The current thread stands before an access of the pair, which it makes next. More than once for one access is harmless. Nothing is
 * done under other strategies. */
void pair_seen(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);

#endif
