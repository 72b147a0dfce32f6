/*
 * calls.h: the direct calls in the code of an ELF file of x86-64, and what they call: a function of the file, or one of another file, by its name. Calls
 * through pointers are not among them. A jump out of a function that is a call whose caller is gone (a tail call) is.
 */
#ifndef LAUNCH_CALLS_H
#define LAUNCH_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elf_file.h"

struct call {
	uint64_t after;     /* address behind the instruction, as in the program headers */
	const char *caller; /* linkage name of the function that has it, without what marks a clone; null: not known */
	const char *callee; /* the same of what is called */
	bool is_other_file; /* callee is in another file */
	bool is_tail;       /* it does not return to after, but to where the caller would */
};

/* Start with { 0 }. Strings are those of the file. */
struct calls {
	struct call *items;
	size_t count, room;
	struct strings owned;
};

/* Decodes the file, which must stay. */
void calls_find(struct calls *self, const struct elf_file *elf);
void calls_release(struct calls *self);

#endif
