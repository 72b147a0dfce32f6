/*
 * hot.h: hot sites: those of plain accesses at which strategies want to be asked (HEDDLE_CONTROL_HOT), because a race
 * was found there, or for another reason that the tool has. Without hot sites nothing changes: the calls of hot sites are
 * redirected to an entry of their own, and no other code checks for them.
 */
#ifndef WORLD_SCHEDULE_HOT_H
#define WORLD_SCHEDULE_HOT_H

#include "rt/object.h"
#include "world/world.h"

/* A woven object was loaded, and its functions were switched. */
void hot_attach(const struct object *object);

/* From here on the sites of channel.hot are hot. At the start of the strategy. */
void hot_start(void);

bool hot_is(const struct heddle_site *site);

/* For accesses that know their site: makes this event, which is not counted yet, one that is decided, if it is a point. */
void hot_announce(enum heddle_event_kind kind, const struct heddle_site *site);

#endif
