/*
 * mode.h: a mode is a small table of functions; rt/register.c picks one by the value of HEDDLE and is the only place
 * that does. No mode tests for another.
 */
#ifndef RT_MODE_H
#define RT_MODE_H

#include "rt/object.h"
#include "rt/patch.h"

/* All are called under the lock of registration. */
struct mode {
	const char *name;
	/* Once a process, after the options are read. Returns 0, or -1 after rt_off. */
	int (*start)(void);
	/* Chooses the hooks of a new object, all null before, before any of its functions is switched. A hook left null
	 * does nothing. A mode may also redirect the calls of plain accesses here. -1: do not switch it. */
	int (*attach)(const struct object *object, struct heddle_hooks *hooks);
	/* The tables of an object are damaged, and what they say of it is wrong: it will not be switched. Null: nothing to do. */
	void (*refused)(const struct object *object);
	/* After its functions were switched. */
	void (*attached)(const struct object *object, const struct patch_result *result);
};

extern const struct mode mode_pass, mode_control;

#endif
