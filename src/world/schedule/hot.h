/*
 * hot.h: hot sites: the sites of plain accesses at which strategies are asked (HEDDLE_CONTROL_HOT), because a race
 * was found there, or for another reason of the tool. They cost nothing elsewhere: only the calls of hot sites are
 * redirected to an entry of their own, and no other code checks for them.
 */
#ifndef WORLD_SCHEDULE_HOT_H
#define WORLD_SCHEDULE_HOT_H

#include "rt/object.h"
#include "world/world.h"

/* A woven object was loaded, and its functions were switched. */
void hot_attach(const struct object *object);

/* Makes the sites of channel.hot hot. Call it at the start of the strategy. */
void hot_start(void);

bool hot_is(const struct heddle_site *site);

/* For accesses whose site is known. Ensures that a decision is made at this event, which is not counted yet, if it is a
 * point. */
void hot_announce(enum heddle_event_kind kind, const struct heddle_site *site);

#endif
