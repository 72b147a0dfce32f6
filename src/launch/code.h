/*
 * code.h: the code of an ELF file of x86-64, decoded once from start to end: where instructions begin, which of them
 * can be executed at another address, and where something may jump to. Where the decoder may have lost
 * synchronisation there are no instructions, only targets; when in doubt, a place is a target.
 *
 * Targets are: what direct jumps and calls name, functions (by symbols and call frame information), landing pads of
 * exceptions, every address of code that an instruction computes or that stands in the data or in a relocation, and
 * what tables of jumps relative to themselves name.
 */
#ifndef LAUNCH_CODE_H
#define LAUNCH_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/elf_file.h"

enum code_mark {
	CODE_TARGET = 1u << 0,  /* of any byte; the others: of the first byte of an instruction */
	CODE_MOVABLE = 1u << 1, /* does the same at another address, and continues after itself or returns */
	CODE_SYSCALL = 1u << 2, /* 0f 05 */
	CODE_LEAVES = 1u << 3,  /* does not continue after itself */
	CODE_PADDING = 1u << 4, /* a NOP or int3 */
};

/* Opaque except to code.c and to callers that read marks and sizes. Release it. */
struct code {
	uint64_t start, end; /* addresses as in the program headers */
	uint8_t *marks;      /* enum code_mark, by address - start */
	uint8_t *sizes;      /* of the instruction that begins there; 0: none does */
};

/* Decodes. A file without code gives start == end. */
void code_decode(struct code *code, const struct elf_file *elf);
void code_release(struct code *code);

#endif
