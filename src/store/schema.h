/*
 * schema.h: the tables of a store's database, and how a database of an older version is migrated. docs/FORMATS.md
 * describes the tables.
 *
 * Invariants:
 *  1. A change of the tables is a new step at the end of schema_steps; steps that were released never change.
 *     Assured by tests/cli/store.t.
 *  2. The version of a database (PRAGMA user_version) is the number of steps that made it.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#define STORE_VERSION 14u
#define STORE_APPLICATION_ID 0x48444c45 /* "HDLE" */

/* Step i makes version i + 1 out of version i; several statements each. */
extern const char *const schema_steps[STORE_VERSION];

#endif
