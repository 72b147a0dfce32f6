/*
 * probe.h: chosen sites of an object in programs whose threads run in parallel. Each call of a chosen site leads to a probe made
 * for it (as the shortcuts of world/shortcut.h), every other call in the functions that are switched becomes an instruction that does
 * nothing. Functions without a chosen site stay as they are.
 *
 * Invariants:
 *  1. Calls are redirected before any function of the object is switched, so no thread runs what is changed.
 *     Assured by tests/cli/guard-runtime.t.
 */
#ifndef PARALLEL_PROBE_H
#define PARALLEL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/object.h"

/*
 * In front of the code of a probe, which puts the address of the access into r11 and jumps to the entry of the mode. An entry finds it
 * by the return address on the stack: the call there, the five bytes before it, leads to the code. It may change r10, r11 and the flags, and
 * must set the first two to 0.
 */
struct __attribute__((packed)) probe {
	const void *own; /* the mode's, */
	uint32_t number; /* and so are these */
	uint32_t place;
};

/* What a mode does about sites. */
struct probe_mode {
	void (*entry)(void);
	/* Whether the site is chosen; then fills the probe. Only while an object is attached. */
	bool (*choose)(const struct object *object, const struct heddle_site *site, struct probe *probe);
	/* Whether the function is switched: it has a chosen site. */
	bool (*selects)(const struct object *object, const struct heddle_function *function);
};

/* Redirects the calls of the functions that are switched. Returns how many lead to probes, or a negative errno. */
long probe_attach(const struct object *object, const struct probe_mode *mode);

#endif
