/*
 * store.h: the findings of tests, kept from one test to the next: a folder, .heddle in the working directory, with a
 * database (heddle.db) and evidence (evidence/). Several processes may use one store at once; when a call that writes
 * has returned, the data is durable, whatever happens to the process. Not for use by two threads.
 *
 * The database keeps a rollback journal and no write-ahead log: writes are few, and so it can be read in a read-only
 * folder, and copied as one file.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define STORE_FOLDER ".heddle"
#define STORE_DATABASE "heddle.db"

struct store;

enum store_use { STORE_READ, STORE_WRITE };

/* The folder of the store: store_path if that is not null, else HEDDLE_STORE, else .heddle. Not to be freed. */
const char *store_folder(const char *store_path);

/*
 * Opens the database of the folder; for writing, a missing database is created, but not the folder. One of an older
 * version is migrated. A damaged one is renamed and a new one is created: then *note is a line about that for people,
 * else null; caller frees. Returns 0, or a negative errno with err set: -ENOENT when there is none to read, -EPROTO
 * when it is of a newer version.
 */
int store_open(const char *folder, enum store_use use, struct store **store, char **note, struct err *err);

/* The same for a database file, to read. One that is damaged is an error, and stays. */
int store_open_file(const char *path, struct store **store, struct err *err);

/* Null is fine. */
void store_close(struct store *store);

/* The number of an id as users write it, "H12" or "h12"; 0 if it is not an id. */
int64_t store_parse_id(const char *text);

#endif
