/*
 * build.h: maps the sites of one build of a woven file to places (place.h).
 */
#ifndef LEARNED_BUILD_H
#define LEARNED_BUILD_H

#include <stdint.h>

#include "base/err.h"
#include "learned/place.h"
#include "symbols/woven.h"

/* Owns everything in it. */
struct build {
	char *path;
	struct woven *woven;
	struct learned_place *places;
	char **keys; /* of the places */
	uint32_t place_count;
	uint32_t *of_site; /* indexed by site: the index of its place, or BUILD_NONE */
	uint32_t site_count;
};

#define BUILD_NONE UINT32_MAX

/* Opens a woven file and finds its places. Returns 0, or a negative errno with err set; then there is nothing to
 * release. */
int build_open(struct build *self, const char *path, struct err *err);
void build_release(struct build *self);

/* Returns the build id of its tables, which belongs to the build. */
const uint8_t *build_id(const struct build *self);

#endif
