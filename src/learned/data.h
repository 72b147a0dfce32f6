/*
 * data.h: training data: the places and histories that correct runs of a program showed. They are stored in a file
 * (docs/FORMATS.md). They are also valid for other builds of the program, for the places that have the same keys there.
 *
 * Invariants:
 *  1. A file is replaced as a whole, and no other training writes it meanwhile.
 *     Assured by tests/cli/train.t.
 *  2. A damaged file is refused: every number in it is checked.
 *     Assured by tests/unit/learned.t.
 */
#ifndef LEARNED_DATA_H
#define LEARNED_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/map.h"
#include "learned/build.h"
#include "model/belonging.h"
#include "trace/train.h"

/* A file with more places or histories than these is refused. */
#define MAX_LEARNED_PLACES (1u << 20)
#define MAX_LEARNED_HISTORIES (1u << 22)

/* A woven file that took part in trainings. */
struct learned_object {
	char *path;
	uint8_t build[16];
	uint64_t runs;
};

struct learned_history {
	uint32_t place, count; /* places are numbered from 1 */
	uint32_t *places;      /* [count] */
	bool is_whole;         /* see model/belonging.h */
	uint64_t runs;         /* number of runs that showed it */
	uint64_t last_run;     /* the last run that showed it, counted since the data were read */
};

struct learned {
	char *program; /* the program that was run; null: none yet */
	struct learned_object *objects;
	size_t object_count;
	struct learned_place *places; /* place N is element N - 1 */
	uint32_t place_count, place_room;
	struct learned_history *histories;
	size_t history_count, history_room;
	uint64_t run_count;
	uint64_t *gains; /* of each run: by how many members the belonging sets grew */
	size_t gain_count;
	uint64_t members;
	struct map place_index, history_index; /* by key: index + 1 */
};

/* Start with { 0 }. */
void learned_release(struct learned *self);

/* Returns the number of the place with this key, or 0 if there is none. */
uint32_t learned_find(const struct learned *self, const char *key);

/* Adds a copy of the place, unless there is one with this key. Returns the number of the place, or 0 if there is no
 * room. */
uint32_t learned_add_place(struct learned *self, const struct learned_place *place, const char *key);

/* Adds to the count of accesses of the place, and marks it if is_marked. Does nothing if number is 0. */
void learned_count(struct learned *self, uint32_t number, uint64_t accesses, bool is_marked);

/* Adds a copy of a history that runs showed. If a place occurs in it more than once, only the first occurrence is kept.
 * run: the number of the run that showed it, in which it counts once; 0: none. */
void learned_add_history(struct learned *self, const struct learned_history *history, uint64_t run);

/* Adds a woven file that took part in that many runs. */
void learned_add_object(struct learned *self, const char *path, const uint8_t build[16], uint64_t runs);

/* Ends a correct run: counts it and the members that it added to the belonging sets. Returns the number of these
 * members. */
uint64_t learned_end_run(struct learned *self);

/* Adds everything in the other training data, which stay as they are. */
void learned_merge(struct learned *self, const struct learned *from);

/* Returns the histories in the form of the model. The caller frees the items, which refer to self. */
struct belonging_histories learned_histories(const struct learned *self);

/* The number of places in all; of the selected ones, which have a belonging set; and of the members of all sets. */
struct learned_totals {
	uint32_t places, selected;
	uint64_t members;
};
struct learned_totals learned_totals(const struct learned *self);

/* The builds that were opened, each once. Start with { 0 }. */
struct learned_builds {
	struct build *items;
	size_t count;
};

void learned_builds_release(struct learned_builds *self);

/* Adds the histories of a run. Opens the builds that it needs and adds them to builds. The caller calls
 * learned_end_run. Returns 0, or a negative errno with err set: -ESTALE when a file is not the build that ran. */
int learned_add_run(struct learned *self, struct learned_builds *builds, const struct train_run *run, struct err *err);

/* Read and write a file of training data. Writing replaces the file atomically and durably. Both return 0, or a
 * negative errno with err set: -ENOENT when there is no file to read, -EPROTO when a newer version wrote it, -EBADMSG
 * when it is damaged. */
int learned_read(struct learned *self, const char *path, struct err *err);
int learned_write(const struct learned *self, const char *path, struct err *err);

/* Returns the path of the program's file in the store; the caller frees it. */
char *learned_path(const char *store_folder, const char *program);

/* Makes the folder of a file in the store, if it is missing. Returns 0, or a negative errno with err set. */
int learned_make_folder(const char *path, struct err *err);

/* Locks a file that will be replaced, by means of a lock file in the same folder, which learned_unlock removes. Returns
 * a descriptor for learned_unlock, or a negative errno with err set: -EBUSY when another training holds the lock. */
int learned_lock(const char *path, struct err *err);
void learned_unlock(const char *path, int lock);

#endif
