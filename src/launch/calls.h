/*
 * calls.h: the direct calls in the code of an ELF file of x86-64, and what they call: a function of the file, or one of another file, by its name. Calls
 * through pointers are not among them. Tail calls, which are jumps out of a function, are.
 */
#ifndef LAUNCH_CALLS_H
#define LAUNCH_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elf_file.h"

struct call {
	uint64_t after; /* address after the instruction, as in the program headers */
	const char *
		caller; /* linkage name of the function that contains it, without the suffix of a clone; null: not known */
	const char *callee; /* the same of the called function */
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
