/*
 * train.h: the file into which the processes of a training run write histories (its format is in heddle/guard.h): makes it, and reads it
 * after the run. The file has no name but /proc/PID/fd/N and vanishes with this process.
 */
#ifndef TRACE_TRAIN_H
#define TRACE_TRAIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "heddle/guard.h"

struct train_file {
	int fd; /* -1: none */
	char *path;
};

/* One woven object that took part in the run. */
struct train_object {
	char *path;
	uint8_t build[16];
	uint32_t first, site_count; /* numbers of sites: first, first + 1, ... */
};

/* What the run showed. Each number of a site in a history is that of a site of an object. */
struct train_run {
	struct train_object *objects; /* by ascending first */
	size_t object_count;
	struct heddle_history *histories;
	size_t history_count;
	uint32_t process_count, switched_count;
	uint64_t lost_objects, lost_histories, displaced;
	uint64_t damaged_count;          /* histories that are not valid */
	struct heddle_train_site *sites; /* by number of the site; */
	uint32_t site_count;             /* of the sites above, number 0 included */
};

/* Makes the file for one run. When there is one already, another takes its place under the same path. Returns 0, or a negative errno with
 * err set. */
int train_make(struct train_file *self, uint32_t seed, struct err *err);
void train_file_release(struct train_file *self);

/* Empties it for the next run of processes that have it mapped: objects keep their numbers. No run writes into it meanwhile. Returns 0 or
 * a negative errno. */
int train_clear(const struct train_file *self);

/* Reads it. What the processes wrote is not trusted. Release the result in any case. */
int train_read(const struct train_file *self, struct train_run *run, struct err *err);
void train_run_release(struct train_run *run);

/* The object of a site and the index of the site in it. */
const struct train_object *train_site(const struct train_run *run, uint32_t number, uint32_t *index);

#endif
