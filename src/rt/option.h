/*
 * option.h: the runtime's options from the environment. HEDDLE names the mode; HEDDLE_OPTIONS is key=value:key=value
 * with a backslash before a colon or comma that is meant as such. One table in option.c has the keys; help=1 prints
 * it. Read once, at start, under the lock of rt/register.c; constant afterwards.
 */
#ifndef RT_OPTION_H
#define RT_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/abi.h"

/* What a return address of without= means: see world/sync/without.h. */
enum option_without_kind { WITHOUT_CALL = 'c', WITHOUT_INNER = 'i', WITHOUT_OUTER = 'o' };

/* A return address in a woven object. */
struct option_without {
	uint8_t build[16]; /* of the object */
	int32_t distance;  /* from its struct heddle_object */
	uint8_t kind;      /* enum option_without_kind */
};

#define OPTION_PATH_ROOM 512u

struct options {
	/* "" if not given. */
	char count_path[OPTION_PATH_ROOM], note_path[OPTION_PATH_ROOM];
	char operations_path[OPTION_PATH_ROOM], patches_path[OPTION_PATH_ROOM];
	char train_path[OPTION_PATH_ROOM], guard_path[OPTION_PATH_ROOM], guard_log_path[OPTION_PATH_ROOM];
	bool is_verbose;
	bool selects_atomics; /* switch= has "atomics": functions with an atomic access are selected, too */
	uint32_t without_count;
	struct option_without without[HEDDLE_SKIPS];
};

extern struct options options;

/* Reads HEDDLE_OPTIONS. Errors in it are reported on standard error; an error that cannot be ignored calls rt_off. */
void options_parse(const char *text);

/* Whether the site is proved not to race in this run: proofs that rest on synchronisation do not hold if some of it is skipped. */
static inline bool options_prove(const struct heddle_site *site)
{
	return site->flags & HEDDLE_SITE_PROVED && !(options.without_count && site->flags & HEDDLE_SITE_SHARED);
}

/* Whether switch= selects the function with this linkage name. Without switch=, none is. */
bool options_selects(const char *name);

#endif
