/*
 * data.h: training data: the places and histories that correct runs of a program showed. They are kept in a file (docs/FORMATS.md), and hold
 * for other builds of the program too, as far as places have the same keys there.
 *
 * Invariants:
 *  1. A file is replaced as a whole, and nobody else writes it meanwhile.
 *     Assured by tests/cli/train.t.
 *  2. A file that is damaged is refused: every number in it is checked.
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

/* More than these is refused. */
#define MAX_LEARNED_PLACES (1u << 20)
#define MAX_LEARNED_HISTORIES (1u << 22)

/* A woven file that took part. */
struct learned_object {
	char *path;
	uint8_t build[16];
	uint64_t runs;
};

struct learned_history {
	uint32_t place, count; /* places are numbered from 1 */
	uint32_t *places;      /* [count] */
	bool is_whole;         /* see model/belonging.h */
	uint64_t runs;         /* that showed it */
	uint64_t last_run;     /* number of the last of them, since the data were read */
};

struct learned {
	char *program; /* what was run; null: nothing yet */
	struct learned_object *objects;
	size_t object_count;
	struct learned_place *places; /* of place N the element N - 1 */
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

/* The number of the place with that key; 0: it is not there. */
uint32_t learned_find(const struct learned *self, const char *key);
uint32_t learned_add_place(struct learned *self, const struct learned_place *place, const char *key);

/* Counts accesses of a place; 0: of none. */
void learned_count(struct learned *self, uint32_t number, uint64_t accesses, bool is_marked);

/* Adds a history that runs showed; places as in the struct. Places that occur twice in it are dropped but for the first time. It belongs to run
 * number run (0: none), in which it counts once. */
void learned_add_history(struct learned *self, const struct learned_history *history, uint64_t run);
void learned_add_object(struct learned *self, const char *path, const uint8_t build[16], uint64_t runs);

/* Ends a correct run: counts it, and what it added. Returns by how many members the sets grew. */
uint64_t learned_end_run(struct learned *self);

/* Adds all that another has. */
void learned_merge(struct learned *self, const struct learned *from);

/* The histories as the model has them; caller frees the items, which refer to self. */
struct belonging_histories learned_histories(const struct learned *self);

/* How many places are in histories that two threads made; sets as many, with that many members. */
struct learned_totals {
	uint32_t places, selected;
	uint64_t members;
};
struct learned_totals learned_totals(const struct learned *self);

/* The builds that are open. Start with { 0 }. */
struct learned_builds {
	struct build *items;
	size_t count;
};

void learned_builds_release(struct learned_builds *self);

/* Adds what a run showed; learned_end_run is the caller's. Returns 0, or a negative errno with err set: -ESTALE when a file is not the build that
 * ran. */
int learned_add_run(struct learned *self, struct learned_builds *builds, const struct train_run *run, struct err *err);

/* Files. Writing replaces the file at once, durably. Both return 0, or a negative errno with err set: -ENOENT when there is none to
 * read, -EPROTO when it is of a newer version, -EBADMSG when it is damaged. */
int learned_read(struct learned *self, const char *path, struct err *err);
int learned_write(const struct learned *self, const char *path, struct err *err);

/* The file of a program in the store: caller frees. */
char *learned_path(const char *store_folder, const char *program);

/* Makes the folder of a file of the store, if it is missing. */
int learned_make_folder(const char *path, struct err *err);

/* Locks a file that will be replaced, by one beside it, which learned_unlock removes. Returns a descriptor, or a negative errno with err
 * set: -EBUSY when another training has it. */
int learned_lock(const char *path, struct err *err);
void learned_unlock(const char *path, int lock);

#endif
