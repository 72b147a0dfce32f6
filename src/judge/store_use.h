/*
 * store_use.h: how commands open the store, and how they name programs in it.
 */
#ifndef JUDGE_STORE_USE_H
#define JUDGE_STORE_USE_H

#include "judge/finding.h"
#include "store/read.h"

/* Opens the store at this path (null: the usual one). Reports on standard error when a damaged store was
 * moved aside. Returns 0 with *store set, or a negative errno with err set. */
int store_use(const char *store_path, enum store_use use, struct store **store, struct err *err);

/* Opens an existing store for writing; creates none. */
int store_use_existing(const char *asked, struct store **store, struct err *err);

/* Returns the number of the finding whose id a user wrote, or 0 with err set if the text is no id. */
int64_t store_read_id(const char *text, struct err *err);

/* Returns the value of --store with which a command finds the store in use now, or null if it finds it without the
 * option. */
const char *store_option(const char *store_path);

/* Returns the path of a program in the form of the store: relative to the working directory if it is below it. The
 * caller frees it. */
char *store_program_path(const char *program);

/* Returns the present path of a program in the store: the path in the evidence (trace; null: there is none), or the
 * path in the store, taken from the working directory or from the folder that the store is in. If the program is in
 * none of these places, returns the path in the store. The caller frees it. */
char *store_program_now(const char *store_path, const char *program, const char *trace);

/* Returns the identity of a file in the form of the store, as hexadecimal digits, or null if it cannot be read. The
 * caller frees it. */
char *store_identity(const char *path);

/*
 * Finds the best existing trace of a finding (store/sweep.h) for the build that was seen last, and the event at which
 * the finding shows (0: the end). Returns 0 with *path set, which the caller frees; or a negative errno with err set if
 * there is no such finding or its evidence is gone.
 */
int store_find_trace(const char *store_path, int64_t id, char **path, uint64_t *event, struct err *err);

/* The run of a data race to use. */
enum store_order {
	STORE_ORDER_SHOWN, /* the run that shows its consequence; the recorded one if nothing fails */
	STORE_ORDER_OTHER, /* a run with the opposite order of the accesses */
	STORE_ORDER_SEEN,  /* the run in which it was found, whatever the verdict */
};

/* Does the same as store_find_trace for a data race that was classified. For other findings, STORE_ORDER_SHOWN gives
 * the result of store_find_trace, and STORE_ORDER_OTHER gives -ENOENT with err set. *input and *marks must be null
 * before the call. *input gets the input of the run, not escaped, if it is not that of the test; *marks gets the
 * positions of its accesses (struct store_verdict). The caller frees both. */
int store_find_order(const char *store_path, int64_t id, enum store_order order, char **path, uint64_t *event,
		     char **input, char **marks, struct err *err);

/* Fills in the kind and the sites of a finding, which must be { 0 }. Call finding_clear in any case. Returns 0, or a
 * negative errno with err set. */
int store_find_sites(const char *store_path, int64_t id, struct finding *finding, struct err *err);

/* A callback for store_places: adds a place of the store to a finding, which is its context. */
void store_add_site(void *finding, const struct store_place *place);

#endif
