/*
 * patch.h: switches functions to their clones by writing a jump over the 5-byte NOP at the entry of the original.
 * Called during registration only, under its lock, before any code of the object but its resolvers has run.
 */
#ifndef RT_PATCH_H
#define RT_PATCH_H

#include <stdbool.h>

#include "rt/object.h"

struct patch_result {
	uint32_t switched_count;
	uint32_t folded_count;  /* shared the code of a function that was switched: the linker folded them */
	uint32_t skipped_count; /* selected, but its entry is not what heddle-cc put there */
};

/* Whether a function is to be switched. */
typedef bool patch_selects(const struct object *object, const struct heddle_function *function);

/* Switches the selected functions; selects null: those that options_selects. Returns 0, or -1 after rt_off. Nothing is written when none is. */
int patch_object(const struct object *object, patch_selects *selects, struct patch_result *result);

/* Whether the system allows code to be changed: memory that was writable may become executable again. */
bool patch_is_allowed(void);

#endif
