/* assembly_word.c: operands of instructions: registers, numbers, and addresses in both dialects. See assembly_priv.h. */
#include <ctype.h>
#include <stdlib.h>

#include "ir/assembly_names.h"
#include "ir/assembly_priv.h"

static uint32_t size_by_modifier(char modifier)
{
	return modifier == 'b' || modifier == 'h' ? 1
	       : modifier == 'w'                  ? 2
	       : modifier == 'k'                  ? 4
	       : modifier == 'q'                  ? 8
						  : 0;
}

int assembly_operand_in(const struct assembly *self, int fixed)
{
	for (unsigned i = 0; i < self->operand_count; i++)
		if (self->operands[i].fixed == fixed && self->operands[i].argument >= 0 && !self->operands[i].is_memory)
			return (int)i;
	return -1;
}

int assembly_argument_of(const struct assembly *self, int operand)
{
	int same = self->operands[operand].same;
	for (unsigned i = 0; i < self->operand_count; i++)
		if (self->operands[i].same == same && self->operands[i].argument >= 0 && !self->operands[i].is_memory)
			return self->operands[i].argument;
	return -1;
}

bool assembly_is_original(struct reader *reader, int operand, int fixed)
{
	const struct assembly *self = reader->assembly;
	if (operand >= 0) {
		reader->base_operands |= 1ul << self->operands[operand].same;
		fixed = self->operands[operand].fixed;
		if (reader->written_operands >> self->operands[operand].same & 1)
			return false;
	}
	if (fixed >= 0)
		reader->base_registers |= 1u << fixed;
	return fixed < 0 || !(reader->written_registers >> fixed & 1);
}

void assembly_note_written(struct reader *reader, const struct word *word)
{
	if (word->place != PLACE_REGISTER)
		return;
	if (word->operand >= 0) {
		const struct assembly_operand *operand = &reader->assembly->operands[word->operand];
		reader->written_operands |= 1ul << operand->same;
		if (operand->fixed >= 0)
			reader->written_registers |= 1u << operand->fixed;
	} else if (word->fixed >= 0) {
		int operand = assembly_operand_in(reader->assembly, word->fixed);
		reader->written_registers |= 1u << word->fixed;
		if (operand >= 0)
			reader->written_operands |= 1ul << reader->assembly->operands[operand].same;
	}
}

/* A register as part of an address: the argument that is in it, or -1. */
static int read_base(struct reader *reader, const char *text, size_t length, bool *is_stack)
{
	const struct assembly *self = reader->assembly;
	uint32_t size;
	*is_stack = false;
	if (*text == MARK) {
		int operand = (unsigned char)text[1] - FIRST_NUMBER;
		bool is_whole = length == MARK_BYTES && !self->operands[operand].is_memory;
		return is_whole && assembly_is_original(reader, operand, -1) ? assembly_argument_of(self, operand) : -1;
	}
	bool has_sign = *text == '%';
	int fixed = assembly_register(text + has_sign, length - has_sign, &size);
	*is_stack = fixed == RSP;
	int operand = fixed >= 0 && size == 8 ? assembly_operand_in(self, fixed) : -1;
	return operand >= 0 && assembly_is_original(reader, operand, fixed) ? self->operands[operand].argument : -1;
}

static size_t trimmed(const char *text, size_t length)
{
	while (length && strchr(" \t", text[length - 1]))
		length--;
	return length;
}

/* "8(%0,%1,4)": from what is before the parenthesis and what is in it. */
static void read_att_address(struct reader *reader, const char *text, const char *open, struct word *word)
{
	char *end;
	bool is_stack, is_index_stack;
	word->place = PLACE_STRANGE;
	word->where.displacement = strtoll(text, &end, 0);
	if (assembly_skip_blanks(end) != open)
		return;
	const char *base = assembly_skip_blanks(open + 1);
	size_t length = *base == MARK ? MARK_BYTES : strcspn(base, ",) \t");
	const char *rest = assembly_skip_blanks(base + length);
	word->where.argument = read_base(reader, base, length, &is_stack);
	word->is_stack = is_stack;
	if (is_stack && *rest == ')')
		word->place = PLACE_OWN;
	if (*rest == ',') {
		const char *index = assembly_skip_blanks(rest + 1);
		length = *index == MARK ? MARK_BYTES : strcspn(index, ",) \t");
		word->where.index_argument = read_base(reader, index, length, &is_index_stack);
		word->where.scale = 1;
		rest = assembly_skip_blanks(index + length);
		if (*rest == ',') {
			word->where.scale = (uint8_t)strtoul(rest + 1, &end, 0);
			rest = assembly_skip_blanks(end);
		}
		if (word->where.index_argument < 0)
			return;
	}
	if (*rest == ')' && word->where.argument >= 0)
		word->place = PLACE_MEMORY;
}

/* "dword ptr [rdi + 8]". */
static void read_intel_address(struct reader *reader, const char *text, const char *open, struct word *word)
{
	static const struct {
		const char *name;
		uint32_t size_bytes;
	} sizes[] = { { "byte", 1 }, { "dword", 4 }, { "qword", 8 }, { "xmmword", 16 }, { "word", 2 } };
	word->place = PLACE_STRANGE;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes && text < open; i++)
		if (strncasecmp(text, sizes[i].name, strlen(sizes[i].name)) == 0) {
			word->size_bytes = sizes[i].size_bytes;
			break;
		}
	const char *base = assembly_skip_blanks(open + 1);
	size_t length = *base == MARK ? MARK_BYTES : strcspn(base, "+-*] \t");
	const char *rest = assembly_skip_blanks(base + length);
	word->where.argument = read_base(reader, base, length, &word->is_stack);
	if (*rest == '+' || *rest == '-') {
		char *end;
		char sign = *rest;
		int64_t number = strtoll(assembly_skip_blanks(rest + 1), &end, 0);
		word->where.displacement = sign == '-' ? -number : number;
		rest = end > rest + 1 ? assembly_skip_blanks(end) : "";
	}
	if (*rest == ']')
		word->place = word->is_stack ? PLACE_OWN : word->where.argument >= 0 ? PLACE_MEMORY : PLACE_STRANGE;
}

/* An operand of the statement by itself, with a number before it at most. */
static bool read_operand(struct reader *reader, const char *text, size_t length, struct word *word)
{
	const struct assembly *self = reader->assembly;
	const char *mark = memchr(text, MARK, length);
	char *end;
	if (!mark || mark + MARK_BYTES != text + length)
		return false;
	int number = (unsigned char)mark[1] - FIRST_NUMBER;
	char modifier = mark[2];
	const struct assembly_operand *operand = &self->operands[number];
	int64_t displacement = mark > text ? strtoll(text, &end, 0) : 0;
	if (mark > text && assembly_skip_blanks(end + (*end == '+')) != mark)
		return false;
	word->size_bytes = operand->size_bytes;
	if (operand->is_memory || modifier == 'a') {
		word->where.argument = operand->argument;
		if (!operand->is_memory)
			word->where.argument =
				assembly_is_original(reader, number, -1) ? assembly_argument_of(self, number) : -1;
		word->where.displacement = displacement + (modifier == 'H' ? 8 : 0);
		word->place = word->where.argument >= 0 ? PLACE_MEMORY : PLACE_STRANGE;
		word->is_named = operand->is_memory;
		word->operand = number;
		return true;
	}
	if (mark > text)
		return false;
	word->place = operand->is_label || strchr("cnpPl", modifier) ? PLACE_NUMBER : PLACE_REGISTER;
	word->operand = number;
	if (size_by_modifier(modifier))
		word->size_bytes = size_by_modifier(modifier);
	return true;
}

static bool is_thread_memory(const char *text)
{
	text += *text == '%';
	return strncmp(text, "fs:", 3) == 0 || strncmp(text, "gs:", 3) == 0;
}

struct word assembly_word(struct reader *reader, const char *text, size_t length)
{
	struct word word = { .operand = -1, .fixed = -1, .place = PLACE_NUMBER };
	word.where = (struct assembly_access){ .argument = -1, .index_argument = -1, .expected_argument = -1 };
	length = trimmed(text, length);
	char *copy = mem_format("%.*s", (int)length, text);
	const char *open = strchr(copy, reader->is_intel ? '[' : '(');
	bool has_sign = *copy == '%';
	if (is_thread_memory(copy)) {
		word.place = PLACE_OWN;
	} else if (!reader->is_intel && *copy == '$') {
		word.place = PLACE_NUMBER;
	} else if (read_operand(reader, copy, length, &word)) {
		;
	} else if (open && reader->is_intel) {
		read_intel_address(reader, copy, open, &word);
	} else if (open && !has_sign) {
		read_att_address(reader, copy, open, &word);
	} else if (has_sign || reader->is_intel) {
		word.fixed = assembly_register(copy + has_sign, length - has_sign, &word.size_bytes);
		bool is_number = isdigit((unsigned char)*copy) || *copy == '-';
		word.place = has_sign || word.size_bytes ? PLACE_REGISTER : is_number ? PLACE_NUMBER : PLACE_STRANGE;
	} else {
		word.place = PLACE_STRANGE; /* a name or a number without a sign is an address */
	}
	free(copy);
	return word;
}
