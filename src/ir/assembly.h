/*
 * assembly.h: what one statement of inline assembly does to memory, read from its text and its constraints. Only what is
 * certain is reported: an instruction whose memory operands or effects are not understood makes the statement opaque.
 *
 * The memory orders are those that code for x86-64 relies on. Locked instructions, and xchg with memory, are sequentially
 * consistent. Other moves, comparisons and the like are atomic when the statement is volatile and clobbers memory, so that the
 * compiler keeps its place too, or has a loop, and so waits: loads acquire, stores release. When an instruction reads
 * and writes without a lock prefix, or a statement without a loop loads and then stores, the write releases and the read
 * is plain, so that the holder of a lock may release it that way. All others are plain. mfence is a fence, as is a locked instruction on the stack; lfence is one that
 * acquires, sfence one that releases.
 */
#ifndef IR_ASSEMBLY_H
#define IR_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ASSEMBLY_OPERANDS = 40, ASSEMBLY_ACCESSES = 8, ASSEMBLY_JUMPS = 8 };

/* An operand, numbered as in the text. */
struct assembly_operand {
	bool is_output;
	bool is_memory;      /* the argument is its address */
	bool is_label;       /* of asm goto */
	int same;            /* the number of the operand that it shares its register with, else its own */
	int argument;        /* number of the call's argument, or -1: an output in a register, or a label */
	int fixed;           /* the general register that it is in: 0 to 15 as processors number them; or -1 */
	uint32_t size_bytes; /* of the value or the memory; 0: not known. Set by the caller */
};

/* One access. Its address is argument + displacement + (index_argument >> index_shift) * scale. */
struct assembly_access {
	int argument; /* -1: a fence */
	int64_t displacement;
	int index_argument; /* -1: none */
	uint8_t index_shift, scale;
	uint8_t kind, order; /* as in struct heddle_site */
	uint32_t size_bytes; /* a power of two up to 64 */
	/* Of a compare and exchange: the argument that must be in memory for it to succeed; -1: not known. */
	int expected_argument;
};

struct assembly {
	struct assembly_operand operands[ASSEMBLY_OPERANDS];
	unsigned operand_count;
	bool clobbers_memory;

	struct assembly_access accesses[ASSEMBLY_ACCESSES];
	unsigned access_count;
	bool is_empty;      /* no instruction at all: a barrier for the compiler if it clobbers memory */
	bool is_opaque;     /* it may access more than that */
	bool uses_own;      /* it accesses the stack or, by a segment, memory of the thread */
	bool takes_address; /* of memory, into a register */
	bool has_labels;    /* operands of asm goto */
	/* Jumps back in it, while it accesses memory: it may wait for another thread. Offsets in the text. */
	unsigned jump_count;
	size_t jumps[ASSEMBLY_JUMPS];
};

/* Reads LLVM's constraint string, and clears the rest. Returns false when there are too many operands. */
bool assembly_operands(struct assembly *assembly, const char *constraints, size_t size_bytes);

/* Reads LLVM's template. The sizes of operands must be set. */
void assembly_read(struct assembly *assembly, const char *text, size_t size_bytes, bool is_intel,
		   bool has_side_effects);

#endif
