/*
 * probe.h: observes only chosen sites of an object, in programs whose threads run in parallel. The call at each chosen
 * site is redirected to a probe made for that site (like the shortcuts of world/shortcut.h). Every other call in the
 * switched functions is replaced by an instruction that does nothing. Functions without a chosen site are not switched.
 *
 * Invariants:
 *  1. Calls are redirected before any function of the object is switched, so no thread runs code while it is changed.
 *     Assured by tests/cli/guard-runtime.t.
 */
#ifndef PARALLEL_PROBE_H
#define PARALLEL_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/object.h"

/*
 * The data of a probe. They lie in front of its code, which puts the address of the access into r11 and jumps to the
 * entry of the mode. The entry finds them by the return address on the stack: the five bytes before that address are
 * the call of the probe's code. An entry may change r10, r11 and the flags, and must set r10 and r11 to 0 before it
 * returns.
 */
struct __attribute__((packed)) probe {
	const void *own; /* all three members belong to the mode */
	uint32_t number;
	uint32_t place;
};

/* How a mode chooses and handles sites. */
struct probe_mode {
	void (*entry)(void);
	/* Whether the site is chosen; if so, fills the probe. Called only by probe_attach. */
	bool (*choose)(const struct object *object, const struct heddle_site *site, struct probe *probe);
	/* Whether the function has a chosen site and will be switched. */
	bool (*selects)(const struct object *object, const struct heddle_function *function);
};

/* Redirects the calls in the functions that will be switched. Call it while the lock of registration is held. Returns
 * how many calls lead to probes, or a negative errno. */
long probe_attach(const struct object *object, const struct probe_mode *mode);

#endif
