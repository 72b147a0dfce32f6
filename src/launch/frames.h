/*
 * frames.h: reads the call frame information (.eh_frame) of an ELF file for two facts that a stripped file does
 * not contain elsewhere: where functions begin and end, and where exceptions land. Nothing is executed, everything is checked.
 */
#ifndef LAUNCH_FRAMES_H
#define LAUNCH_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/elf_file.h"

struct frames_range {
	uint64_t start, end; /* addresses as in the program headers */
	bool is_signal;      /* of a signal's return: unwinders look at its bytes */
};

struct frames_visitor {
	void (*range)(void *data, const struct frames_range *range);
	void (*landing)(void *data, uint64_t address);
	void *data;
};

/* Calls the visitor for all entries, in no particular order; stops silently at one that cannot be read. */
void frames_visit(const struct elf_file *elf, const struct frames_visitor *visitor);

#endif
