/* assembly_instruction.c: what an instruction does to its operands in memory, and to registers that addresses are made of. See
 * assembly_priv.h. */
#include <ctype.h>
#include <string.h>

#include "heddle/abi.h"
#include "ir/assembly_names.h"
#include "ir/assembly_priv.h"

enum does { DOES_READ = 1, DOES_WRITE = 2, DOES_LOCK = 4, DOES_COMPARE = 8, DOES_PLAIN = 16 };

static bool is_same_place(const struct assembly_access *a, const struct assembly_access *b)
{
	return a->argument == b->argument && a->displacement == b->displacement &&
	       a->index_argument == b->index_argument && a->index_shift == b->index_shift && a->scale == b->scale;
}

static void touch(struct reader *reader, const struct assembly_access *where, unsigned does)
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
	at->is_compared = at->is_locked || at->is_written ? false : does & DOES_COMPARE;
	at->where.expected_argument = where->expected_argument;
	at->is_rewritten |= at->is_read && does & DOES_WRITE;
	at->is_read |= (does & DOES_READ) != 0;
	at->is_written |= (does & DOES_WRITE) != 0;
	at->is_locked |= (does & DOES_LOCK) != 0;
	at->is_plain |= (does & DOES_PLAIN) != 0 || where->size_bytes > 8;
	at->is_torn |= (does & (DOES_READ | DOES_WRITE | DOES_LOCK)) == (DOES_READ | DOES_WRITE);
}

static void fence(struct reader *reader, uint8_t order)
{
	struct assembly_access where = { .argument = -1, .index_argument = -1, .expected_argument = -1 };
	where.order = order;
	touch(reader, &where, 0);
}

/* The name gives the size, else the other operand's register, else the memory's type. */
static void touch_memory(struct reader *reader, const struct word *words, unsigned count, unsigned index,
			 uint32_t size_bytes, unsigned does)
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
		touch(reader, &where, does);
}

/* bts and its like count bits from the address on: a register as their number may name one that is far away. */
static void add_bit_index(struct reader *reader, const struct word *source, uint32_t size_bytes, struct word *memory)
{
	const struct assembly *self = reader->assembly;
	if (source->place != PLACE_REGISTER)
		return;
	int operand = source->operand >= 0 ? source->operand : assembly_operand_in(self, source->fixed);
	int argument =
		operand >= 0 && assembly_is_original(reader, operand, -1) ? assembly_argument_of(self, operand) : -1;
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
	int operand = assembly_operand_in(reader->assembly, RAX);
	bool is_first = !(reader->written_registers >> RAX & 1);
	return operand >= 0 && is_first ? reader->assembly->operands[operand].argument : -1;
}

/* What the effect does to memory that is operand number index. */
static unsigned does_what(enum assembly_effect effect, bool is_destination, bool is_locked)
{
	unsigned lock = is_locked ? DOES_LOCK : 0;
	switch (effect) {
	case ASSEMBLY_READS:
	case ASSEMBLY_LOADS:
	case ASSEMBLY_TESTS_BIT:
		return DOES_READ;
	case ASSEMBLY_STORES:
		return DOES_WRITE;
	case ASSEMBLY_MOVES:
		return is_destination ? DOES_WRITE : DOES_READ;
	case ASSEMBLY_MODIFIES:
	case ASSEMBLY_SETS_BIT:
		return is_destination ? DOES_READ | DOES_WRITE | lock : DOES_READ;
	case ASSEMBLY_EXCHANGES:
		return DOES_READ | DOES_WRITE | DOES_LOCK;
	case ASSEMBLY_ADDS:
		return DOES_READ | DOES_WRITE | lock;
	case ASSEMBLY_COMPARES:
	case ASSEMBLY_COMPARES_PAIR:
		return DOES_READ | DOES_WRITE | lock | DOES_COMPARE;
	case ASSEMBLY_UNKNOWN:
	case ASSEMBLY_NOTHING:
	case ASSEMBLY_FENCES:
	case ASSEMBLY_ACQUIRES:
	case ASSEMBLY_RELEASES:
	case ASSEMBLY_JUMPS_TO:
	case ASSEMBLY_LEAVES:
		break;
	}
	return 0;
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
	unsigned does = does_what(name.effect, index == destination, reader->has_lock);
	if (name.effect == ASSEMBLY_UNKNOWN)
		does = (self->operands[word->operand].is_output ? DOES_WRITE : DOES_READ) | DOES_PLAIN;
	if (name.effect == ASSEMBLY_COMPARES)
		word->where.expected_argument = expected_argument(reader);
	touch_memory(reader, words, count, index, name.size_bytes, does);
}

static void note_results(struct reader *reader, enum assembly_effect effect, const struct word *words, unsigned count)
{
	static const struct word rax = { .place = PLACE_REGISTER, .operand = -1, .fixed = RAX };
	bool is_only_read = effect == ASSEMBLY_READS || effect == ASSEMBLY_TESTS_BIT;
	for (unsigned i = 0; i < count && !is_only_read; i++)
		if (i == (reader->is_intel ? 0 : count - 1) || effect == ASSEMBLY_EXCHANGES ||
		    effect == ASSEMBLY_ADDS || effect == ASSEMBLY_UNKNOWN)
			assembly_note_written(reader, &words[i]);
	/* The name of an instruction without operands does not say which registers it changes: rdtsc, cpuid. */
	for (int i = 0; i < 4 && effect == ASSEMBLY_UNKNOWN && !count; i++) {
		struct word word = { .place = PLACE_REGISTER, .operand = -1, .fixed = i };
		assembly_note_written(reader, &word);
	}
	if (effect == ASSEMBLY_COMPARES || effect == ASSEMBLY_COMPARES_PAIR)
		assembly_note_written(reader, &rax);
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
static unsigned split(struct reader *reader, const char *text, struct word words[MAX_WORDS])
{
	unsigned count = 0;
	while (*(text = assembly_skip_blanks(text))) {
		size_t length = 0;
		for (int depth = 0; text[length] && (text[length] != ',' || depth); length++) {
			depth += (text[length] == '(') - (text[length] == ')');
			if (text[length] == MARK)
				length += MARK_BYTES - 1;
		}
		if (count == MAX_WORDS) {
			reader->assembly->is_opaque = true;
			break;
		}
		words[count++] = assembly_word(reader, text, length);
		text += length + (text[length] == ',');
	}
	return count;
}

void assembly_instruction(struct reader *reader, const char *start, const char *name_text, const char *text)
{
	struct assembly *self = reader->assembly;
	struct assembly_name name = assembly_name(name_text, *text != 0, !reader->is_intel);
	struct word words[MAX_WORDS];
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
	case ASSEMBLY_UNKNOWN:
	case ASSEMBLY_NOTHING:
	case ASSEMBLY_READS:
	case ASSEMBLY_LOADS:
	case ASSEMBLY_MOVES:
	case ASSEMBLY_STORES:
	case ASSEMBLY_MODIFIES:
	case ASSEMBLY_SETS_BIT:
	case ASSEMBLY_TESTS_BIT:
	case ASSEMBLY_EXCHANGES:
	case ASSEMBLY_ADDS:
	case ASSEMBLY_COMPARES:
	case ASSEMBLY_COMPARES_PAIR: {
		unsigned count = split(reader, text, words);
		for (unsigned i = 0; i < count; i++)
			if (words[i].place >= PLACE_MEMORY)
				touch_word(reader, name, words, count, i);
		note_results(reader, name.effect, words, count);
	}
	}
	reader->has_lock = false;
}
