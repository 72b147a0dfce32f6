/*
 * gate.h: the path from a clone's stub to a hook. A stub (rt/woven.c) arrives with nothing but its return address, a
 * base address in r11 and the object's context; the entries here find the site and the address, keep every register,
 * and call the hook. An object's gate is opened before any of its functions is switched.
 */
#ifndef RT_GATE_H
#define RT_GATE_H

#include "rt/object.h"

/* Makes the object's context and fills its gate. A hook that is null does nothing. Returns 0, or a negative errno when
 * there is no memory; then nothing of the object may be switched. */
int gate_open(const struct object *object, const struct heddle_hooks *hooks);

#endif
