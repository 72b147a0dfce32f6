/*
 * lookup.h: finds functions in the libraries behind ours, like dlsym with RTLD_NEXT, but by reading the tables of the
 * loaded objects. So it takes no lock, allocates nothing, leaves dlerror alone, and works as soon as the dynamic linker
 * has loaded everything, before libc has started. Safe in a signal handler; safe in several threads unless a library
 * is being unloaded.
 */
#ifndef RT_ENTER_LOOKUP_H
#define RT_ENTER_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lookup {
	const char *name;
	void *address; /* null: not found */
	uint32_t hash; /* lookup_next's own */
};

/* Fills the address of each that has none yet: what the first object behind ours, in the order of the global scope, has
 * under that name in its default version. */
void lookup_next(struct lookup *lookups, size_t count);

/* The path of the first object in the global scope, except ours, that defines the one name and not the other; "" is the
 * program. Null: the first object that defines the name also defines the other, or none defines it. */
const char *lookup_file(const char *name, const char *but_not);

/* The function of the program itself, not of a library, with this name; null: it has none. */
const void *lookup_program(const char *name);

/* What the name means in the object that contains this code; when no library contains the code, in the program. Null:
 * nothing. */
void *lookup_beside(const char *name, uintptr_t code);

/* Whether the code is in a loaded library whose file name begins like this. */
bool lookup_is_in(const char *name, uintptr_t code);

#endif
