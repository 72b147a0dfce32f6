/*
 * shortcut.h: plain accesses of woven objects under control. Each call of a stub (heddle/abi.h) is redirected to a few
 * instructions made for that call alone, which know its address and its site, and continue at an entry of the mode
 * (rt/shortcut.h). So nothing has to be looked up by the return address.
 */
#ifndef WORLD_SHORTCUT_H
#define WORLD_SHORTCUT_H

#include "rt/object.h"
#include "rt/shortcut.h"
#include "world/world.h"

/* Redirects all calls of the object to copies of the entries. number: gives a site its number; null for none. Quiet
 * ones (HEDDLE_SITE_PROVED) become no instruction at all or, in a detailed run those with HEDDLE_SITE_QUIET, one that
 * changes no register and records the access. Returns 0 or a negative errno, and then no function of the object may
 * be switched. There is one mode in a process. */
int shortcut_attach(const struct object *object, const struct shortcut_code *code,
		    uint32_t (*number)(const struct heddle_site *site));

/* From here on the countdown ends at each access of the call that returns to after. Returns 0, also if it was hot
 * already, or a negative errno. */
int shortcut_make_hot(const char *after);

/* From here on quiet accesses are reported to the observer, by code that changes no register. Returns 0 or a negative
 * errno. */
int shortcut_report_quiet(void);
bool shortcut_is_quiet_reported(void);

/* Quiet calls that were too frequent since the last event, and so were no longer reported, are reported again. */
void shortcut_end_silence(void);

#endif
