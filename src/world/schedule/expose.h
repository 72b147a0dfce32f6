/* expose.h: what strategy expose learns of accesses that are no events, in a run that reports them (shortcut_report_quiet). */
#ifndef WORLD_SCHEDULE_EXPOSE_H
#define WORLD_SCHEDULE_EXPOSE_H

#include "rt/object.h"

/* The current thread makes an access of a hot site, which no thread can be held back from. Does nothing under other strategies. */
void expose_touched(const volatile void *address, const struct heddle_site *site);

#endif
