/* observed.h: connects the world to its observer (rt/observe.h). */
#ifndef WORLD_OBSERVED_H
#define WORLD_OBSERVED_H

#include "rt/object.h"

/* Starts observing the current thread, which must be the first one. Returns 0 or a negative errno. */
int observed_start(void);

/* While the world is observed: accesses of the object go to the observer. Returns 0 or a negative errno, as shortcut_attach. */
int observed_attach(const struct object *object, struct heddle_hooks *hooks);

/* The requested run begins: notifies the observer if there is one, and in an audit also reports quiet accesses to
 * it. */
void observed_begin(void);

#endif
