/*
 * store_use.h: how commands open the store, and how they name programs in it.
 */
#ifndef JUDGE_STORE_USE_H
#define JUDGE_STORE_USE_H

#include "judge/finding.h"
#include "store/read.h"

/* Opens the store at that path (null: the usual one). Reports on standard error when a damaged store was
 * moved aside. Returns 0, or a negative errno with err set. */
int store_use(const char *store_path, enum store_use use, struct store **store, struct err *err);

/* The same, to write to one that is there: none is created. */
int store_use_existing(const char *asked, struct store **store, struct err *err);

/* The number of the finding whose id a user wrote; 0 with err set when that is none. */
int64_t store_read_id(const char *text, struct err *err);

/* What --store must be for a command to find the store in use now; null: it finds it without the option. */
const char *store_option(const char *store_path);

/* The path of a program as the store has it: relative to the working directory if it is below it. Caller frees. */
char *store_program_path(const char *program);

/* Where a program of the store is now, as far as that is known: where the evidence has it (null: there is none), where
 * the store's path of it leads from here, or from the folder that the store is in. If it is in none of these places,
 * the path in the store. Caller frees. */
char *store_program_now(const char *store_path, const char *program, const char *trace);

/* The identity of a file as the store has it, hexadecimal digits; null when it cannot be read. Caller frees. */
char *store_identity(const char *path);

/*
 * The trace of a finding: the path of the best one that is there (store/sweep.h), of the build that was seen last, and the event at which it shows (0: the end). Returns 0 with
 * *path set, caller frees; or a negative errno with err set: there is no such finding, or its evidence is gone.
 */
int store_find_trace(const char *store_path, int64_t id, char **path, uint64_t *event, struct err *err);

/* Which run of a data race to use. */
enum store_order {
	STORE_ORDER_SHOWN, /* the one that shows its consequence; the recorded one if nothing fails */
	STORE_ORDER_OTHER, /* one with the opposite order of the accesses */
	STORE_ORDER_SEEN,  /* the one that it was found in, whatever the verdict */
};

/* The same as store_find_trace for a data race that was classified. Of a finding that was not, STORE_ORDER_SHOWN is what
 * store_find_trace has, and STORE_ORDER_OTHER is -ENOENT with err set. *input, which is null before: gets the input of the run,
 * not escaped, if that is another than the test had; *marks, likewise, where its accesses are (struct store_verdict); caller frees both. */
int store_find_order(const char *store_path, int64_t id, enum store_order order, char **path, uint64_t *event,
		     char **input, char **marks, struct err *err);

/* Fills in the kind and the sites of a finding, which must be { 0 }; finding_clear in any case. Returns 0, or a negative errno with
 * err set. */
int store_find_sites(const char *store_path, int64_t id, struct finding *finding, struct err *err);

/* Adds a place of the store's to a finding, its context: for store_places. */
void store_add_site(void *finding, const struct store_place *place);

#endif
