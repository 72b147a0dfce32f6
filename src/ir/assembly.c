/*
 * assembly.c: see assembly.h. The template becomes text in which each operand is three bytes (a mark, the number, the modifier);
 * that is cut into statements, and each statement into a name and operands.
 */
#include "ir/assembly.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "heddle/abi.h"
#include "ir/assembly_names.h"

enum {
	MARK = 1,
	MARK_BYTES = 3,
	FIRST_NUMBER = 0x80,
	MOST_WORDS = 4,
	MOST_LABELS = 16,
	RAX = 0,
	RSP = 4,
	NO_MODIFIER = '.'
};

/* ---- constraints ---- */

static void read_input(struct assembly *self, struct assembly_operand *operand, const char *text, int *arguments)
{
	operand->is_label = *text == '!';
	operand->is_memory = strchr(text, '*') != NULL;
	if (!operand->is_label)
		operand->argument = (*arguments)++;
	self->has_labels |= operand->is_label;
	if (isdigit((unsigned char)*text)) {
		int same = atoi(text);
		if (same < operand->same) {
			operand->same = same;
			operand->fixed = self->operands[same].fixed;
		}
	}
}

static void read_constraint(struct assembly *self, const char *text, int *arguments)
{
	struct assembly_operand *operand = &self->operands[self->operand_count];
	*operand = (struct assembly_operand){ .same = (int)self->operand_count, .argument = -1, .fixed = -1 };
	const char *name = strchr(text, '{');
	if (name) {
		uint32_t size;
		operand->fixed = assembly_register(name + 1, strcspn(name + 1, "}"), &size);
	}
	if (*text == '=') {
		operand->is_output = true;
		operand->is_memory = strchr(text, '*') != NULL;
		if (operand->is_memory)
			operand->argument = (*arguments)++;
	} else {
		read_input(self, operand, text, arguments);
	}
	self->operand_count++;
}

bool assembly_operands(struct assembly *self, const char *constraints, size_t size_bytes)
{
	char *copy = mem_format("%.*s", (int)size_bytes, constraints), *rest = copy, *text;
	int arguments = 0;
	bool has_room = true;
	*self = (struct assembly){ 0 };
	while (has_room && (text = strsep(&rest, ","))) {
		if (*text == '~')
			self->clobbers_memory |= strcmp(text, "~{memory}") == 0;
		else if ((has_room = self->operand_count < ASSEMBLY_OPERANDS) && *text)
			read_constraint(self, text, &arguments);
	}
	free(copy);
	return has_room;
}

/* ---- the template ---- */

/* What an access is made of, while instructions are read. */
struct touch {
	struct assembly_access where;
	bool is_read, is_written;
	bool is_torn; /* read and written by an instruction that is not locked */
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
	const char *labels[MOST_LABELS];
	size_t label_lengths[MOST_LABELS];
	unsigned label_count;
	bool has_lock, is_aside, has_instructions;
	bool is_lost; /* memory is named in a way that is not understood */
};

static void put(struct reader *reader, char c, size_t offset)
{
	reader->offsets[reader->text.size] = offset;
	buf_add(&reader->text, &c, 1);
}

static void put_operand(struct reader *reader, unsigned number, char modifier, size_t offset)
{
	if (number >= reader->assembly->operand_count) {
		reader->assembly->is_opaque = true;
		number = 0;
	}
	put(reader, MARK, offset);
	put(reader, (char)(FIRST_NUMBER + number), offset);
	put(reader, modifier, offset);
}

/* "${0:k}" or "${:uid}", from behind the brace. Returns what follows. */
static size_t expand_brace(struct reader *reader, const char *text, size_t at, size_t size)
{
	size_t start = at;
	unsigned number = 0;
	while (at < size && isdigit((unsigned char)text[at]))
		number = number * 10 + (unsigned)(text[at++] - '0');
	bool is_operand = at > start;
	char modifier = NO_MODIFIER;
	if (at + 1 < size && text[at] == ':')
		modifier = text[at + 1];
	while (at < size && text[at] != '}')
		at++;
	if (is_operand)
		put_operand(reader, number, modifier, start - 2);
	else
		put(reader, 'u', start - 2); /* a part of a name, the same wherever it stands */
	return at + 1;
}

/* LLVM's template: "$$" is a dollar, "$(att$|intel$)" a choice. */
static void expand(struct reader *reader, const char *text, size_t size)
{
	unsigned variant = 0, wanted = reader->is_intel ? 1 : 0;
	bool is_choice = false;
	for (size_t at = 0; at < size;) {
		bool is_taken = !is_choice || variant == wanted;
		char next = at + 1 < size ? text[at + 1] : 0;
		if (text[at] != '$' || !next) {
			if (is_taken)
				put(reader, text[at], at);
			at++;
		} else if (next == '(' || next == '|' || next == ')') {
			variant = next == '|' ? variant + 1 : 0;
			is_choice = next != ')';
			at += 2;
		} else if (!is_taken) {
			at += 2;
		} else if (next == '{') {
			at = expand_brace(reader, text, at + 2, size);
		} else if (isdigit((unsigned char)next)) {
			size_t start = at++;
			unsigned number = 0;
			while (at < size && isdigit((unsigned char)text[at]))
				number = number * 10 + (unsigned)(text[at++] - '0');
			put_operand(reader, number, NO_MODIFIER, start);
		} else {
			put(reader, next, at);
			at += 2;
		}
	}
}

/* Comments become blanks. */
static void blank_comments(char *text)
{
	for (char *at = text; *at; at++) {
		const char *end = NULL;
		if (*at == MARK) {
			at += MARK_BYTES - 1;
			continue;
		}
		if (at[0] == '/' && at[1] == '*') {
			end = strstr(at, "*/");
			end = end ? end + 2 : at + strlen(at);
		} else if (*at == '#' || (at[0] == '/' && at[1] == '/')) {
			end = at + strcspn(at, "\n");
		}
		for (; at < end; at++)
			*at = ' ';
		if (end)
			at--;
	}
}

/* ---- operands of instructions ---- */

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

static uint32_t size_by_modifier(char modifier)
{
	return modifier == 'b' || modifier == 'h' ? 1
	       : modifier == 'w'                  ? 2
	       : modifier == 'k'                  ? 4
	       : modifier == 'q'                  ? 8
						  : 0;
}

/* The operand that stands for a fixed register when the statement begins; -1: none. */
static int operand_in(const struct assembly *self, int fixed)
{
	for (unsigned i = 0; i < self->operand_count; i++)
		if (self->operands[i].fixed == fixed && self->operands[i].argument >= 0 && !self->operands[i].is_memory)
			return (int)i;
	return -1;
}

/* The argument that the register of this operand holds when the statement begins; -1: none. */
static int argument_of(const struct assembly *self, int operand)
{
	int same = self->operands[operand].same;
	for (unsigned i = 0; i < self->operand_count; i++)
		if (self->operands[i].same == same && self->operands[i].argument >= 0 && !self->operands[i].is_memory)
			return self->operands[i].argument;
	return -1;
}

/* Whether the register still has its first value; and that it must keep it, should there be jumps back. */
static bool is_original(struct reader *reader, int operand, int fixed)
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

static void note_written(struct reader *reader, const struct word *word)
{
	if (word->place != PLACE_REGISTER)
		return;
	if (word->operand >= 0) {
		const struct assembly_operand *operand = &reader->assembly->operands[word->operand];
		reader->written_operands |= 1ul << operand->same;
		if (operand->fixed >= 0)
			reader->written_registers |= 1u << operand->fixed;
	} else if (word->fixed >= 0) {
		int operand = operand_in(reader->assembly, word->fixed);
		reader->written_registers |= 1u << word->fixed;
		if (operand >= 0)
			reader->written_operands |= 1ul << reader->assembly->operands[operand].same;
	}
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
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
		return is_whole && is_original(reader, operand, -1) ? argument_of(self, operand) : -1;
	}
	bool has_sign = *text == '%';
	int fixed = assembly_register(text + has_sign, length - has_sign, &size);
	*is_stack = fixed == RSP;
	int operand = fixed >= 0 && size == 8 ? operand_in(self, fixed) : -1;
	return operand >= 0 && is_original(reader, operand, fixed) ? self->operands[operand].argument : -1;
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
	if (skip_blanks(end) != open)
		return;
	const char *base = skip_blanks(open + 1);
	size_t length = *base == MARK ? MARK_BYTES : strcspn(base, ",) \t");
	const char *rest = skip_blanks(base + length);
	word->where.argument = read_base(reader, base, length, &is_stack);
	word->is_stack = is_stack;
	if (is_stack && *rest == ')')
		word->place = PLACE_OWN;
	if (*rest == ',') {
		const char *index = skip_blanks(rest + 1);
		length = *index == MARK ? MARK_BYTES : strcspn(index, ",) \t");
		word->where.index_argument = read_base(reader, index, length, &is_index_stack);
		word->where.scale = 1;
		rest = skip_blanks(index + length);
		if (*rest == ',') {
			word->where.scale = (uint8_t)strtoul(rest + 1, &end, 0);
			rest = skip_blanks(end);
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
	const char *base = skip_blanks(open + 1);
	size_t length = *base == MARK ? MARK_BYTES : strcspn(base, "+-*] \t");
	const char *rest = skip_blanks(base + length);
	word->where.argument = read_base(reader, base, length, &word->is_stack);
	if (*rest == '+' || *rest == '-') {
		char *end;
		char sign = *rest;
		int64_t number = strtoll(skip_blanks(rest + 1), &end, 0);
		word->where.displacement = sign == '-' ? -number : number;
		rest = end > rest + 1 ? skip_blanks(end) : "";
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
	if (mark > text && skip_blanks(end + (*end == '+')) != mark)
		return false;
	word->size_bytes = operand->size_bytes;
	if (operand->is_memory || modifier == 'a') {
		word->where.argument = operand->argument;
		if (!operand->is_memory)
			word->where.argument = is_original(reader, number, -1) ? argument_of(self, number) : -1;
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

static struct word read_word(struct reader *reader, const char *text, size_t length)
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

/* ---- instructions ---- */

enum deed { DEED_READ = 1, DEED_WRITE = 2, DEED_LOCK = 4, DEED_COMPARE = 8, DEED_PLAIN = 16 };

static bool is_same_place(const struct assembly_access *a, const struct assembly_access *b)
{
	return a->argument == b->argument && a->displacement == b->displacement &&
	       a->index_argument == b->index_argument && a->index_shift == b->index_shift && a->scale == b->scale;
}

static void touch(struct reader *reader, const struct assembly_access *where, unsigned deeds)
{
	struct touch *at = reader->touches, *end = at + reader->touch_count;
	while (at < end && (where->argument < 0 || !is_same_place(&at->where, where)))
		at++;
	if (at == end) {
		if (reader->touch_count == ASSEMBLY_ACCESSES) {
			reader->assembly->is_opaque = true;
			return;
		}
		reader->touch_count++;
		*at = (struct touch){ .where = *where };
	}
	if (where->size_bytes > at->where.size_bytes)
		at->where.size_bytes = where->size_bytes;
	/* More than a comparison of the same memory: whether that succeeded does not matter any more. */
	at->is_compared = at->is_locked || at->is_written ? false : deeds & DEED_COMPARE;
	at->where.expected_argument = where->expected_argument;
	at->is_read |= (deeds & DEED_READ) != 0;
	at->is_written |= (deeds & DEED_WRITE) != 0;
	at->is_locked |= (deeds & DEED_LOCK) != 0;
	at->is_plain |= (deeds & DEED_PLAIN) != 0 || where->size_bytes > 8;
	at->is_torn |= (deeds & (DEED_READ | DEED_WRITE | DEED_LOCK)) == (DEED_READ | DEED_WRITE);
}

static void fence(struct reader *reader, uint8_t order)
{
	struct assembly_access where = { .argument = -1, .index_argument = -1, .expected_argument = -1 };
	where.order = order;
	touch(reader, &where, 0);
}

/* The size is said by the name, else by the other operand's register, else by the memory's type. */
static void touch_memory(struct reader *reader, const struct word *words, unsigned count, unsigned index,
			 uint32_t size_bytes, unsigned deeds)
{
	struct assembly_access where = words[index].where;
	where.size_bytes = size_bytes;
	for (unsigned i = 0; i < count && !where.size_bytes; i++)
		if (i != index && words[i].place == PLACE_REGISTER)
			where.size_bytes = words[i].size_bytes;
	if (!where.size_bytes)
		where.size_bytes = words[index].size_bytes;
	if (!where.size_bytes || where.size_bytes > 64 || where.size_bytes & (where.size_bytes - 1))
		reader->assembly->is_opaque = true;
	else
		touch(reader, &where, deeds);
}

/* bts and its like count bits from the address on: a register as their number may name one that is far away. */
static void add_bit_index(struct reader *reader, const struct word *source, uint32_t size_bytes, struct word *memory)
{
	const struct assembly *self = reader->assembly;
	if (source->place != PLACE_REGISTER)
		return;
	int operand = source->operand >= 0 ? source->operand : operand_in(self, source->fixed);
	int argument = operand >= 0 && is_original(reader, operand, -1) ? argument_of(self, operand) : -1;
	uint32_t size = size_bytes ? size_bytes : source->size_bytes;
	if (argument < 0 || memory->where.index_argument >= 0 || size < 2 || size > 8) {
		memory->place = PLACE_STRANGE;
		return;
	}
	memory->where.index_argument = argument;
	memory->where.index_shift = (uint8_t)(__builtin_ctz(size) + 3);
	memory->where.scale = (uint8_t)size;
}

static int expected_argument(struct reader *reader)
{
	int operand = operand_in(reader->assembly, RAX);
	bool is_first = !(reader->written_registers >> RAX & 1);
	return operand >= 0 && is_first ? reader->assembly->operands[operand].argument : -1;
}

/* What the effect does to memory that is operand number index. */
static unsigned deeds_of(enum assembly_effect effect, bool is_destination, bool is_locked)
{
	unsigned lock = is_locked ? DEED_LOCK : 0;
	switch (effect) {
	case ASSEMBLY_READS:
	case ASSEMBLY_LOADS:
	case ASSEMBLY_TESTS_BIT:
		return DEED_READ;
	case ASSEMBLY_STORES:
		return DEED_WRITE;
	case ASSEMBLY_MOVES:
		return is_destination ? DEED_WRITE : DEED_READ;
	case ASSEMBLY_MODIFIES:
	case ASSEMBLY_SETS_BIT:
		return is_destination ? DEED_READ | DEED_WRITE | lock : DEED_READ;
	case ASSEMBLY_EXCHANGES:
		return DEED_READ | DEED_WRITE | DEED_LOCK;
	case ASSEMBLY_ADDS:
		return DEED_READ | DEED_WRITE | lock;
	case ASSEMBLY_COMPARES:
	case ASSEMBLY_COMPARES_PAIR:
		return DEED_READ | DEED_WRITE | lock | DEED_COMPARE;
	default:
		return 0;
	}
}

static void touch_word(struct reader *reader, struct assembly_name name, struct word *words, unsigned count,
		       unsigned index)
{
	struct assembly *self = reader->assembly;
	struct word *word = &words[index];
	unsigned destination = reader->is_intel ? 0 : count - 1;
	if (word->place == PLACE_OWN) {
		self->uses_own = true;
		if (word->is_stack && (reader->has_lock || name.effect == ASSEMBLY_EXCHANGES))
			fence(reader, HEDDLE_ORDER_SEQ_CST);
		return;
	}
	if (name.effect == ASSEMBLY_NOTHING) {
		self->takes_address = true;
		return;
	}
	if (name.effect == ASSEMBLY_SETS_BIT || name.effect == ASSEMBLY_TESTS_BIT)
		add_bit_index(reader, &words[reader->is_intel ? count - 1 : 0], name.size_bytes, word);
	if (word->place == PLACE_STRANGE || (name.effect == ASSEMBLY_UNKNOWN && !word->is_named)) {
		self->is_opaque = reader->is_lost = true;
		return;
	}
	unsigned deeds = deeds_of(name.effect, index == destination, reader->has_lock);
	if (name.effect == ASSEMBLY_UNKNOWN)
		deeds = (self->operands[word->operand].is_output ? DEED_WRITE : DEED_READ) | DEED_PLAIN;
	if (name.effect == ASSEMBLY_COMPARES)
		word->where.expected_argument = expected_argument(reader);
	touch_memory(reader, words, count, index, name.size_bytes, deeds);
}

static void note_results(struct reader *reader, enum assembly_effect effect, const struct word *words, unsigned count)
{
	static const struct word rax = { .place = PLACE_REGISTER, .operand = -1, .fixed = RAX };
	bool is_only_read = effect == ASSEMBLY_READS || effect == ASSEMBLY_TESTS_BIT;
	for (unsigned i = 0; i < count && !is_only_read; i++)
		if (i == (reader->is_intel ? 0 : count - 1) || effect == ASSEMBLY_EXCHANGES ||
		    effect == ASSEMBLY_ADDS || effect == ASSEMBLY_UNKNOWN)
			note_written(reader, &words[i]);
	/* The name of an instruction without operands does not say which registers it changes: rdtsc, cpuid. */
	for (int i = 0; i < 4 && effect == ASSEMBLY_UNKNOWN && !count; i++) {
		struct word word = { .place = PLACE_REGISTER, .operand = -1, .fixed = i };
		note_written(reader, &word);
	}
	if (effect == ASSEMBLY_COMPARES || effect == ASSEMBLY_COMPARES_PAIR)
		note_written(reader, &rax);
}

static void jump(struct reader *reader, const char *start, const char *target)
{
	struct assembly *self = reader->assembly;
	size_t length = strcspn(target, " \t");
	bool is_back = length > 1 && isdigit((unsigned char)*target) && target[length - 1] == 'b';
	bool is_known = is_back || *target == MARK || (isdigit((unsigned char)*target) && target[length - 1] == 'f');
	for (unsigned i = 0; i < reader->label_count; i++)
		is_back |= reader->label_lengths[i] == length && strncmp(reader->labels[i], target, length) == 0;
	/* A name that was not seen may be one that comes, if only this unit can know it. */
	is_known |= is_back || strncmp(target, ".L", 2) == 0;
	if (!is_known)
		self->is_opaque = true;
	if (!is_back)
		return;
	if (self->jump_count == ASSEMBLY_JUMPS)
		self->is_opaque = true;
	else
		self->jumps[self->jump_count++] = reader->offsets[start - reader->text.data];
}

/* The operands of an instruction: what is between commas that are not in parentheses. */
static unsigned split(struct reader *reader, const char *text, struct word words[MOST_WORDS])
{
	unsigned count = 0;
	while (*(text = skip_blanks(text))) {
		size_t length = 0;
		for (int depth = 0; text[length] && (text[length] != ',' || depth); length++) {
			depth += (text[length] == '(') - (text[length] == ')');
			if (text[length] == MARK)
				length += MARK_BYTES - 1;
		}
		if (count == MOST_WORDS) {
			reader->assembly->is_opaque = true;
			break;
		}
		words[count++] = read_word(reader, text, length);
		text += length + (text[length] == ',');
	}
	return count;
}

/* With its operands at text. start: where it is in the text as a whole. */
static void read_instruction(struct reader *reader, const char *start, const char *name_text, const char *text)
{
	struct assembly *self = reader->assembly;
	struct assembly_name name = assembly_name(name_text, *text != 0, !reader->is_intel);
	struct word words[MOST_WORDS];
	reader->has_instructions = true;
	switch (name.effect) {
	case ASSEMBLY_FENCES:
		fence(reader, HEDDLE_ORDER_SEQ_CST);
		break;
	case ASSEMBLY_ACQUIRES:
		fence(reader, HEDDLE_ORDER_ACQUIRE);
		break;
	case ASSEMBLY_RELEASES:
		fence(reader, HEDDLE_ORDER_RELEASE);
		break;
	case ASSEMBLY_JUMPS_TO:
		jump(reader, start, text);
		break;
	case ASSEMBLY_LEAVES:
		self->is_opaque = true;
		break;
	default: {
		unsigned count = split(reader, text, words);
		for (unsigned i = 0; i < count; i++)
			if (words[i].place >= PLACE_MEMORY)
				touch_word(reader, name, words, count, i);
		note_results(reader, name.effect, words, count);
	}
	}
	reader->has_lock = false;
}

/* A directive: most of them are about other sections, which are no code. */
static void read_directive(struct reader *reader, const char *text)
{
	static const char *const harmless[] = { ".p2align", ".balign", ".align", ".loc", ".cfi_", ".text" };
	if (strncmp(text, ".pushsection", 12) == 0 || strncmp(text, ".section", 8) == 0 ||
	    strncmp(text, ".subsection", 11) == 0) {
		reader->is_aside = true;
	} else if (strncmp(text, ".popsection", 11) == 0 || strncmp(text, ".previous", 9) == 0) {
		reader->is_aside = false;
	} else if (strncmp(text, ".intel_syntax", 13) == 0 || strncmp(text, ".att_syntax", 11) == 0) {
		reader->is_intel = text[1] == 'i';
	} else if (!reader->is_aside) {
		for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
			if (strncmp(text, harmless[i], strlen(harmless[i])) == 0)
				return;
		reader->assembly->is_opaque = true;
	}
}

static size_t name_length(const char *text)
{
	size_t length = 0;
	while (isalnum((unsigned char)text[length]) || (text[length] && strchr("._$", text[length])))
		length++;
	return length;
}

static bool is_prefix(const char *name)
{
	static const char *const names[] = { "rep",    "repe",   "repz",     "repne",    "repnz",
					     "data16", "addr32", "xacquire", "xrelease", "notrack" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void read_statement(struct reader *reader, const char *text)
{
	for (;;) {
		text = skip_blanks(text);
		size_t length = name_length(text);
		if (length && text[length] == ':') {
			if (reader->label_count == MOST_LABELS)
				reader->assembly->is_opaque = true;
			else if (!reader->is_aside) {
				reader->labels[reader->label_count] = text;
				reader->label_lengths[reader->label_count++] = length;
			}
			text += length + 1;
			continue;
		}
		if (!length) {
			reader->assembly->is_opaque |= *text && !reader->is_aside;
			return;
		}
		if (*text == '.') {
			read_directive(reader, text);
			return;
		}
		if (reader->is_aside)
			return;
		char name[24];
		if (length >= sizeof name) {
			reader->assembly->is_opaque = true;
			return;
		}
		for (size_t i = 0; i <= length; i++)
			name[i] = i < length ? (char)tolower((unsigned char)text[i]) : 0;
		const char *rest = skip_blanks(text + length);
		if (strcmp(name, "lock") == 0) {
			reader->has_lock = reader->has_instructions = true;
		} else if (is_prefix(name)) {
			reader->has_instructions = true;
		} else {
			read_instruction(reader, text, name, rest);
			return;
		}
		text = rest;
	}
}

static bool is_left_alone(const struct reader *reader)
{
	return !(reader->base_operands & reader->written_operands) &&
	       !(reader->base_registers & reader->written_registers);
}

static void add_access(struct assembly *self, const struct assembly_access *where, uint8_t kind, uint8_t order)
{
	if (self->access_count == ASSEMBLY_ACCESSES) {
		self->is_opaque = true;
		return;
	}
	struct assembly_access *access = &self->accesses[self->access_count++];
	*access = *where;
	access->kind = kind;
	access->order = order;
}

static void conclude(struct reader *reader)
{
	struct assembly *self = reader->assembly;
	/* A loop in which addresses do not change waits for another thread. */
	bool is_ordered = reader->has_side_effects && (self->clobbers_memory || self->jump_count);
	for (unsigned i = 0; i < reader->touch_count; i++) {
		const struct touch *touch = &reader->touches[i];
		if (touch->where.argument < 0) {
			add_access(self, &touch->where, HEDDLE_ACCESS_FENCE, touch->where.order);
		} else if (touch->is_locked) {
			add_access(self, &touch->where,
				   touch->is_compared ? HEDDLE_ACCESS_ATOMIC_EXCHANGE : HEDDLE_ACCESS_ATOMIC_UPDATE,
				   touch->is_compared ? HEDDLE_ORDER_SEQ_CST | HEDDLE_ORDER_SEQ_CST << 4
						      : HEDDLE_ORDER_SEQ_CST);
		} else {
			/* An instruction that reads and writes without a lock writes at once what it read before. */
			bool is_atomic = is_ordered && !touch->is_plain, is_load = is_atomic && !touch->is_torn;
			if (touch->is_read)
				add_access(self, &touch->where,
					   is_load ? HEDDLE_ACCESS_ATOMIC_READ : HEDDLE_ACCESS_READ,
					   is_load ? HEDDLE_ORDER_ACQUIRE : HEDDLE_ORDER_PLAIN);
			if (touch->is_written)
				add_access(self, &touch->where,
					   is_atomic ? HEDDLE_ACCESS_ATOMIC_WRITE : HEDDLE_ACCESS_WRITE,
					   is_atomic ? HEDDLE_ORDER_RELEASE : HEDDLE_ORDER_PLAIN);
		}
	}
	/* In a loop, addresses must stay what they were when it began. */
	if (self->jump_count && !is_left_alone(reader))
		self->is_opaque = reader->is_lost = true;
	/* What neither names memory nor says that it changes some has none. */
	bool has_memory = self->clobbers_memory || reader->is_lost;
	for (unsigned i = 0; i < self->operand_count; i++)
		has_memory |= self->operands[i].is_memory;
	self->is_opaque &= has_memory;
	if (!self->access_count)
		self->jump_count = 0;
	self->is_empty = !reader->has_instructions && !self->is_opaque;
}

void assembly_read(struct assembly *self, const char *text, size_t size_bytes, bool is_intel, bool has_side_effects)
{
	struct reader reader = { .assembly = self, .is_intel = is_intel, .has_side_effects = has_side_effects };
	reader.offsets = mem_alloc((MARK_BYTES * size_bytes + 1) * sizeof *reader.offsets);
	buf_add(&reader.text, "", 0);
	expand(&reader, text, size_bytes);
	if (reader.text.data && strlen(reader.text.data) == reader.text.size) {
		blank_comments(reader.text.data);
		for (char *at = reader.text.data, *end; at; at = end) {
			end = at + strcspn(at, "\n;");
			end = *end ? end : NULL;
			if (end)
				*end++ = 0;
			read_statement(&reader, at);
		}
	} else if (reader.text.size) {
		self->is_opaque = true;
	}
	conclude(&reader);
	buf_release(&reader.text);
	free(reader.offsets);
}
