/* events.h: properties of kinds of events, for both the runtime and the tools. Not part of the ABI: nothing here is stored. */
#ifndef HEDDLE_EVENTS_H
#define HEDDLE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/* Whether an event of the kind takes a lock, and waits until it has it. Functions that only try are not among them. */
static inline bool heddle_event_takes_lock(uint32_t kind)
{
	return kind == HEDDLE_EVENT_MUTEX_LOCK || kind == HEDDLE_EVENT_RWLOCK_READ_LOCK ||
	       kind == HEDDLE_EVENT_RWLOCK_WRITE_LOCK || kind == HEDDLE_EVENT_SPIN_LOCK;
}

/* Whether an event of the kind releases a lock. */
static inline bool heddle_event_releases_lock(uint32_t kind)
{
	return kind == HEDDLE_EVENT_MUTEX_UNLOCK || kind == HEDDLE_EVENT_RWLOCK_UNLOCK ||
	       kind == HEDDLE_EVENT_SPIN_UNLOCK;
}

#endif
