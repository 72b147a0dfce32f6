/*
 * train_file.h: the file that a training run writes histories into (heddle/guard.h), for mode train and for what listens in the controlled world: which
 * woven objects take part, and how their sites are numbered in it.
 */
#ifndef PARALLEL_TRAIN_FILE_H
#define PARALLEL_TRAIN_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "heddle/guard.h"
#include "rt/object.h"

/* Maps the file of the options, and starts the histories of this process. Returns 0 with *file set; or a negative errno: then the runtime is off,
 * which was reported. */
int train_file_open(struct heddle_train **file);

/* The object takes part. The same one has the same numbers in all processes of a run. Returns 0, or -1 if there is no room. Registration
 * calls it, which holds a lock. */
int train_file_enter(const struct object *object);

/* The number of a site, from 1; 0: it is of no object that takes part. */
uint32_t train_file_number(const struct heddle_site *site);

/* The cells of an access to a range: from the one in which it begins, at most HEDDLE_RANGE_CELLS. Calls history_access for each, and returns a bit for each
 * whose history waits. */
uint64_t train_file_access_range(uintptr_t address, size_t size_bytes, uint32_t number, uint32_t thread);

#endif
