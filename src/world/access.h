/* access.h: hooks for woven objects in the controlled world. */
#ifndef WORLD_ACCESS_H
#define WORLD_ACCESS_H

#include "world/world.h"

struct shortcut_code;

/* Fills in the hooks, except those of plain accesses, which have entries (world/shortcut.h). */
void access_hooks(struct heddle_hooks *hooks);
/* Called when the current thread is about to make an access that has no entry: counts it as an event, and makes a
 * decision if the countdown has ended. */
void access_announce(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);
/* The same for an access to a range. The range of a vector access under a mask extends to its last element. */
void access_announce_range(enum heddle_event_kind kind, const volatile void *address, size_t size_bytes,
			   const struct heddle_site *site);
/* The same for an atomic access. In a long run, a thread that keeps reading one object yields, because it waits for
 * others. */
void access_announce_atomic(const volatile void *address, const struct heddle_site *site);
/* Called when inline assembly with a loop is about to jump back: its access is an event again. */
void access_announce_again(void);
/* Called when the current thread is about to make an access that is no event: HEDDLE_SITE_PROVED. A detailed run
 * records it, but not in all rounds of a loop. Returns false after too many rounds: then it should not be called again
 * before the next event. */
bool access_touch(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);
/* Makes the decision when the countdown ended at the current thread's access: other threads may run before it
 * returns. */
void access_decide(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);
/* Returns the entries of plain accesses. */
const struct shortcut_code *access_entries(void);

#endif
