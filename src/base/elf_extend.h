/*
 * elf_extend.h: a copy of a program that needs one more library and carries data. The library comes before all others that the program
 * needs, so that its functions take precedence as if it were preloaded. The data are in memory when the program runs, read-only, in a
 * note. Nothing of the program moves: what is new is behind it, in the file and in memory.
 *
 * Invariants:
 *  1. A copy behaves as the original if the library does nothing.
 *     Assured by tests/cli/bake.t.
 *  2. The table of segments is at the same distance from the start in the file and in memory: kernels before 5.18 tell the loader its
 *     address by that distance.
 *     Assured by tests/cli/bake.t.
 */
#ifndef BASE_ELF_EXTEND_H
#define BASE_ELF_EXTEND_H

#include "base/elf_file.h"

struct elf_extension {
	const char *library; /* name or path, as DT_NEEDED has it */
	const char *owner;   /* of the note */
	uint32_t type;
	struct buf descriptor; /* of the note */
};

/* Appends the bytes of the copy to out. Returns 0, or a negative errno with err set: -ENOEXEC when the file is no dynamically linked program
 * or has such a note already, -E2BIG when there is no room. */
int elf_extend(struct buf *out, const struct elf_file *program, const struct elf_extension *extension, struct err *err);

#endif
