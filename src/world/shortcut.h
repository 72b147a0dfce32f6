/*
 * shortcut.h: plain accesses of woven objects under control. Each call of a stub (heddle/abi.h) is redirected to a few
 * instructions made for that call alone, which contain its address and its site, and continue at an entry of the mode
 * (rt/shortcut.h). So no lookup by the return address is needed.
 */
#ifndef WORLD_SHORTCUT_H
#define WORLD_SHORTCUT_H

#include "rt/object.h"
#include "rt/shortcut.h"
#include "world/world.h"

/* Redirects all calls of the object to copies of the entries. number: returns the number of a site; null if sites have
 * no numbers. Quiet calls (HEDDLE_SITE_PROVED) are replaced by no operation; in a detailed run those with
 * HEDDLE_SITE_QUIET lead to code that changes no register and records the access. Returns 0 or a negative errno; on
 * failure no function of the object may be switched. A process has only one mode. */
int shortcut_attach(const struct object *object, const struct shortcut_code *code,
		    uint32_t (*number)(const struct heddle_site *site));

/* Makes the call that returns to `after` hot: from here on the countdown ends at each of its accesses. Returns 0, also
 * if it is hot already, or a negative errno. */
int shortcut_make_hot(const char *after);

/* From here on quiet accesses are reported to the observer, by code that changes no register. Returns 0 or a negative
 * errno. shortcut_is_quiet_reported returns whether this was done. */
int shortcut_report_quiet(void);
bool shortcut_is_quiet_reported(void);

/* Reports quiet calls again that were too frequent since the last event, and so were no longer reported. */
void shortcut_end_silence(void);

#endif
