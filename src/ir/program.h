/*
 * program.h: the weave of a whole link. Reads from the output of the first link which units and which functions are
 * part of it, decides which unit provides a function that several define, and weaves the units in parallel, each in a
 * process of its own.
 */
#ifndef IR_PROGRAM_H
#define IR_PROGRAM_H

#include <errno.h>
#include <stdbool.h>

#include "base/err.h"
#include "ir/proof.h"
#include "ir/unit.h"

struct program_options {
	const char *linked; /* output of the first link */
	const char *folder; /* where objects go */
	const char *list;   /* file that gets the objects' paths, one a line, in the order of the units */
	bool is_library;
	unsigned job_count; /* 0: one a core */
	/* Finds out which sites need no hook, unless the level is PROOF_NONE. Not being able to is no failure: then none is proved. */
	void (*prove)(const struct proof_input *input, struct proof *proof);
	enum proof_level proof_level;
	/* Null at the end: tags of units to leave plain; with a = in front, functions whose name the linker redirects
	 * even in the unit that defines them (lld's --wrap); with an @, allocators of the program's own;
	 * with a +, variables that the build says one thread alone uses. */
	char **names;
};

/* The weave itself is at fault, not what it was given. */
#define PROGRAM_FAULT ENOTRECOVERABLE

/* Returns 0, or -errno with err set; -PROGRAM_FAULT when the program could be linked plainly all the same. */
int program_weave(const struct program_options *options, struct err *err);

/* What says which build units are: as in struct heddle_build. */
void program_build_id(const struct unit *units, size_t count, bool is_library, uint8_t id[16]);

/* The units of a program or library that heddle-cc linked, in the order of the link; none when it has none (also because it was
 * stripped). Returns 0 with *units (caller releases each and frees the array) and *count set, or -errno with err set.
 * *is_shared: it is a shared library, not a program. */
int program_units(const char *path, struct unit **units, size_t *count, bool *is_shared, struct err *err);

#endif
