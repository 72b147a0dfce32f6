/*
 * sources.h: where sources are now. Debug information names them as they were called when the program was built:
 * relative to an unknown folder, in a folder that is gone or on another machine, or under a name that was mapped. They
 * are looked for where they are named, then near the program. What is found is remembered.
 */
#ifndef BASE_SOURCES_H
#define BASE_SOURCES_H

#include <stdbool.h>

#include "base/map.h"
#include "base/mem.h"

/* Start with { 0 }, and add folders. */
struct sources {
	struct strings
		folders; /* relative names are tried in these, in this order; the first is the folder that they are relative to */
	struct strings above;                                      /* then in these and their parent folders */
	bool (*is_allowed)(const void *context, const char *path); /* what may be read; null: all */
	const void *context;
	struct map found; /* by name: struct sources_file */
};

struct sources_file {
	char *path;        /* for opening it; null: it was not found */
	bool is_elsewhere; /* found elsewhere than named: it may be a different file of that name */
};

/* The folders are copied, each is tried once. */
void sources_add(struct sources *self, const char *folder);
/* The folder of a program, and those above. */
void sources_add_program(struct sources *self, const char *program);
void sources_release(struct sources *self);

/* Never null; lives as long as the sources. If only a folder, a FIFO or the like has that
 * name, the path is that: source_read reports the problem. */
const struct sources_file *sources_find(struct sources *self, const char *name);

/* The folder of the repository that the working directory is in, without links; null when it is in none. Caller frees. */
char *sources_repository(void);

#endif
