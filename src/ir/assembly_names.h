/*
 * assembly_names.h: what instructions and registers of x86-64 are called, as far as it matters for what they do to memory.
 */
#ifndef IR_ASSEMBLY_NAMES_H
#define IR_ASSEMBLY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an instruction does to an operand in memory. */
enum assembly_effect {
	ASSEMBLY_UNKNOWN,
	ASSEMBLY_NOTHING,  /* computes with its address at most */
	ASSEMBLY_READS,    /* reads it, wherever it stands, and writes no register that matters */
	ASSEMBLY_LOADS,    /* reads it; the destination is a register */
	ASSEMBLY_MOVES,    /* writes the destination, reads the source */
	ASSEMBLY_STORES,   /* writes it */
	ASSEMBLY_MODIFIES, /* reads and writes the destination, reads the source */
	ASSEMBLY_SETS_BIT, /* the same; a register as the source is the number of a bit after the destination's address */
	ASSEMBLY_TESTS_BIT, /* reads it, with such a number */
	ASSEMBLY_EXCHANGES, /* reads and writes both; always locked */
	ASSEMBLY_ADDS,      /* reads and writes both */
	ASSEMBLY_COMPARES,  /* compares the destination with rax, and writes it if they are equal */
	ASSEMBLY_COMPARES_PAIR,
	ASSEMBLY_FENCES,
	ASSEMBLY_ACQUIRES, /* a fence that acquires */
	ASSEMBLY_RELEASES,
	ASSEMBLY_JUMPS_TO,
	ASSEMBLY_LEAVES, /* memory that the text does not name, or code that is not in the statement */
};

struct assembly_name {
	enum assembly_effect effect;
	uint32_t size_bytes; /* of the memory; 0: not given by the name */
};

/* By name, in small letters; is_att: names may have a suffix for the size. */
struct assembly_name assembly_name(const char *name, unsigned operand_count, bool is_att);

/* The number of a general register, or -1; *size_bytes is set for vector registers as well. name: without a sign. */
int assembly_register(const char *name, size_t length, uint32_t *size_bytes);

#endif
