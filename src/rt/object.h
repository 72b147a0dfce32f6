/*
 * object.h: a woven object in this process, as the modes see it: the distances of struct heddle_object turned into
 * pointers, and what /proc/self/maps says about it. Lives on the stack of __heddle_register.
 */
#ifndef RT_OBJECT_H
#define RT_OBJECT_H

#include <stdint.h>

#include "heddle/abi.h"

#define OBJECT_RANGES 16u

struct object_range {
	uintptr_t start, end;
	int protection;
};

struct object {
	const struct heddle_object *header;
	const struct heddle_build *build;
	const struct heddle_function *functions, *functions_end;
	const struct heddle_site *sites, *sites_end;
	const struct heddle_call *calls, *calls_end;
	const char *clones, *clones_end; /* code */
	struct heddle_gate *gate;
	char path[480];
	/* The executable mappings that hold entries of its functions. */
	struct object_range ranges[OBJECT_RANGES];
	unsigned range_count;
};

/* What a distance names; null for 0. */
static inline const void *object_at(const heddle_rel *distance)
{
	return *distance ? (const char *)distance + *distance : NULL;
}

#endif
