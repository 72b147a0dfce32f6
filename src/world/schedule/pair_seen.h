/*
 * pair_seen.h: records which accesses of a pair a run made, and what ordered those that touch common bytes. The tool
 * needs this because detection reports only unordered accesses.
 */
#ifndef WORLD_SCHEDULE_PAIR_SEEN_H
#define WORLD_SCHEDULE_PAIR_SEEN_H

#include "world/world.h"

void pair_seen_start(void);

/* Call it when the current thread is about to make an access of the pair. More than one call for one access is
 * harmless. Does nothing under other strategies. */
void pair_seen(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);

#endif
