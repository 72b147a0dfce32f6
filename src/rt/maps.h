/* maps.h: reads /proc/self/maps without allocating memory: what is mapped where, and from which file. */
#ifndef RT_MAPS_H
#define RT_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct maps_entry {
	uintptr_t start, end;
	int protection;   /* PROT_* */
	bool is_shared;   /* MAP_SHARED */
	uintptr_t offset; /* in the file */
	const char *path; /* "" for none; valid during the call only; cut at 4095 bytes */
};

/* Whether it is of the runtime's own file. */
bool maps_is_runtime(const struct maps_entry *entry);

/* Calls each for every mapping, in the order of addresses. Returns 0 or a negative errno. */
int maps_read(void (*each)(void *data, const struct maps_entry *entry), void *data);
/* The same, for any thread at any time: needs little of the stack, which may be an alternate one of a signal handler. */
int maps_read_apart(void (*each)(void *data, const struct maps_entry *entry), void *data);

#endif
