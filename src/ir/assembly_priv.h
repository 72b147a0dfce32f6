/* assembly_priv.h: what the files that read inline assembly share. See assembly.h. */
#ifndef IR_ASSEMBLY_PRIV_H
#define IR_ASSEMBLY_PRIV_H

#include <string.h>

#include "base/mem.h"
#include "ir/assembly.h"

enum {
	MARK = 1,
	MARK_BYTES = 3,
	FIRST_NUMBER = 0x80,
	MAX_WORDS = 4,
	MAX_LABELS = 16,
	RAX = 0,
	RSP = 4,
	NO_MODIFIER = '.'
};

/* What an access is made of, while instructions are read. */
struct touch {
	struct assembly_access where;
	bool is_read, is_written;
	bool is_torn;      /* read and written by an instruction that is not locked */
	bool is_rewritten; /* read by one instruction, and then written by another */
	bool is_plain, is_locked, is_compared;
};

struct reader {
	struct assembly *assembly;
	bool is_intel, has_side_effects;
	struct buf text;
	size_t *offsets; /* in the template, of each byte of text */
	struct touch touches[ASSEMBLY_ACCESSES];
	unsigned touch_count;
	uint64_t written_operands; /* in registers */
	uint32_t written_registers;
	uint64_t base_operands; /* that addresses were made of */
	uint32_t base_registers;
	const char *labels[MAX_LABELS];
	size_t label_lengths[MAX_LABELS];
	unsigned label_count;
	bool has_lock, is_aside, has_instructions;
	bool is_lost; /* memory is named in a way that is not understood */
};

enum place { PLACE_REGISTER, PLACE_NUMBER, PLACE_MEMORY, PLACE_OWN, PLACE_STRANGE };

/* An operand as it is written. PLACE_OWN: the stack, or memory of the thread. */
struct word {
	enum place place;
	int operand, fixed; /* of a register: the operand or the general register; -1: not that */
	bool is_named;      /* memory that is an operand itself */
	bool is_stack;
	uint32_t size_bytes; /* of the register, or the memory; 0: not known */
	struct assembly_access where;
};

static inline const char *assembly_skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* ---- assembly_word.c: operands of instructions, as they are written ---- */

struct word assembly_word(struct reader *reader, const char *text, size_t length);
/* The operand that stands for a fixed register when the statement begins; -1: none. */
int assembly_operand_in(const struct assembly *self, int fixed);
/* The argument that the register of this operand holds when the statement begins; -1: none. */
int assembly_argument_of(const struct assembly *self, int operand);
/* Whether the register still has its first value; and that it must keep it, should there be jumps back. */
bool assembly_is_original(struct reader *reader, int operand, int fixed);
void assembly_note_written(struct reader *reader, const struct word *word);

/* ---- assembly_instruction.c ---- */

/* An instruction with its operands at text. start: where it is in the text as a whole. */
void assembly_instruction(struct reader *reader, const char *start, const char *name_text, const char *text);

#endif
