/* expose.h: tells strategy expose about accesses that are no events, in a run that reports them
 * (shortcut_report_quiet). */
#ifndef WORLD_SCHEDULE_EXPOSE_H
#define WORLD_SCHEDULE_EXPOSE_H

#include "rt/object.h"

/* Call it when the current thread makes such an access at a hot site; threads cannot be held back before it. Does
 * nothing under other strategies. */
void expose_touched(const volatile void *address, const struct heddle_site *site);

#endif
