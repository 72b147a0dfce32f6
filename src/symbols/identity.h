/*
 * identity.h: which builds took part in a run, and whether they are still the same. A file is known by its ELF build
 * id, or by a hash of its contents when it has none.
 */
#ifndef SYMBOLS_IDENTITY_H
#define SYMBOLS_IDENTITY_H

#include <stdbool.h>

#include "base/err.h"
#include "trace/trace.h"

/* Adds the file, unless it is there already. One that cannot be read is left out. */
void identity_add(struct trace *trace, const char *path);

/* Adds the program, its loader, and after the run the files in the "module" lines of the report. The runtime may be installed
 * elsewhere when the trace is replayed: it is added without its folder, and a different one is no error. */
void identity_add_program(struct trace *trace);
void identity_add_modules(struct trace *trace);

/* Whether the runtime differs from the one that the trace was made with. */
bool identity_runtime_differs(const struct trace *trace);

/* A digest that is equal for traces of the same files, in the sense of identity_check. */
#define IDENTITY_ROOM 33u
void identity_digest(const struct trace *trace, char digits[IDENTITY_ROOM]);

/* Checks that no file has changed. Returns 0, or a negative errno with err set: -ESTALE when one is another build, with the file
 * and both identities. */
int identity_check(const struct trace *trace, struct err *err);

#endif
