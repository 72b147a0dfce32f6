/* access.h: hooks for woven objects in the controlled world. */
#ifndef WORLD_ACCESS_H
#define WORLD_ACCESS_H

#include "world/world.h"

struct shortcut_code;

/* The hooks, without those of plain accesses, which have entries (world/shortcut.h). */
void access_hooks(struct heddle_hooks *hooks);
/* The current thread makes an access that has no entry: counts it, and decides if the countdown ended. */
void access_announce(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);
/* The same for one to a range; of a vector access under a mask, up to the last element. */
void access_announce_range(enum heddle_event_kind kind, const volatile void *address, size_t size_bytes,
			   const struct heddle_site *site);
/* The same for an atomic one. In a long run, a thread that keeps reading one object lets others run: it waits for
 * others. */
void access_announce_atomic(const volatile void *address, const struct heddle_site *site);
/* Inline assembly with a loop is about to jump back: its access is an event again. */
void access_announce_again(void);
/* The current thread makes an access that is no event: HEDDLE_SITE_PROVED. A detailed run records it, but not all
 * rounds of a loop. Returns false after too many rounds: it should not be called again before the next event. */
bool access_touch(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);
/* The current thread's access is the event at which the countdown ended: others may run before it returns. */
void access_decide(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);
const struct shortcut_code *access_entries(void);

#endif
