/*
 * place.h: files that appear under their name only when they are complete, and files that have no name at all. Whatever
 * happens to this process, no partial file stays behind.
 */
#ifndef TRACE_PLACE_H
#define TRACE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct place {
	int fd;
	char *path;      /* the final path, with links resolved */
	char *temporary; /* its name until then; null when it has none */
	bool is_direct;  /* not a regular file: written directly */
};

/* All return 0 (or a descriptor, close-on-exec), or a negative errno with err set. */

int place_open(struct place *place, const char *path, struct err *err);

/* Gives the file its name, replacing an existing file; or drops the file. One of these two ends the use of an open place. */
int place_keep(struct place *place, struct err *err);
void place_drop(struct place *place);

/* A file without a name in the folder of that path. */
int place_scratch(const char *path, struct err *err);

/* A file without a name in $TMPDIR (or /tmp) with the first bytes of another. */
int place_spill(int fd, uint64_t size_bytes, struct err *err);

/* Opens a file for reading; reports folders and missing files as errors. */
int place_open_existing(const char *path, int *fd, struct err *err);

#endif
