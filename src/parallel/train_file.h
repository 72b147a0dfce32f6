/*
 * train_file.h: the file into which a training run writes histories (heddle/guard.h): which woven objects take part,
 * and how their sites are numbered. Used by mode train and, in the controlled world, by learn.c.
 */
#ifndef PARALLEL_TRAIN_FILE_H
#define PARALLEL_TRAIN_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "heddle/guard.h"
#include "rt/object.h"

/* Maps the file that the options name, and starts the histories of this process. Returns 0 with *file set, which stays
 * mapped. On failure returns a negative errno; then the runtime is off, and this was reported. */
int train_file_open(struct heddle_train **file);

/* Enters the object into the file. Its sites have the same numbers in all processes of a run. Returns 0, or -1 if there
 * is no room. The caller holds the lock of registration. */
int train_file_enter(const struct object *object);

/* Returns the number of a site, from 1, or 0 if the site belongs to no object that takes part. */
uint32_t train_file_number(const struct heddle_site *site);

/* Calls history_access for each cell of an access to a range, from the cell in which it begins, at most
 * HEDDLE_RANGE_CELLS. Returns a bit for each cell whose history waits for the access to be made; bit 0 is the first
 * cell. */
uint64_t train_file_access_range(uintptr_t address, size_t size_bytes, uint32_t number, uint32_t thread);

#endif
