/*
 * bake.h: writes a copy of a program that carries guard data (struct heddle_baked) and needs the runtime, so that it guards itself when it
 * is started without a command.
 */
#ifndef LAUNCH_BAKE_H
#define LAUNCH_BAKE_H

#include <stdint.h>

#include "base/err.h"
#include "trace/guard.h"

/* The strings are the caller's. */
struct baking {
	const char *program, *out;
	const char *runtime;  /* as the program names it; null: that of this Heddle, by its path */
	const uint8_t *build; /* [16]: of the program's tables; null: it has none */
	const struct guard_content *content;
};

/* The file appears when it is complete, with the permissions of the program. Returns 0, or a negative errno with err set. */
int bake(const struct baking *self, struct err *err);

#endif
