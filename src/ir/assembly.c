/*
 * assembly.c: see assembly.h. The template becomes text in which each operand is three bytes (a mark, the number, the modifier);
 * that is cut into statements, and each statement into a name and operands.
 */
#include "ir/assembly.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/word.h"
#include "heddle/abi.h"
#include "ir/assembly_names.h"
#include "ir/assembly_priv.h"

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

/* ---- statements ---- */

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
	static const char *const names[] = { "rep",    "repe",     "repz",     "repne",   "repnz", "data16",
					     "addr32", "xacquire", "xrelease", "notrack", NULL };
	return word_is_among(name, names);
}

static void read_statement(struct reader *reader, const char *text)
{
	for (;;) {
		text = assembly_skip_blanks(text);
		size_t length = name_length(text);
		if (length && text[length] == ':') {
			if (reader->label_count == MAX_LABELS)
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
		const char *rest = assembly_skip_blanks(text + length);
		if (strcmp(name, "lock") == 0) {
			reader->has_lock = reader->has_instructions = true;
		} else if (is_prefix(name)) {
			reader->has_instructions = true;
		} else {
			assembly_instruction(reader, text, name, rest);
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
			/* An instruction that reads and writes without a lock writes at once what it read before. So do two that are
			 * no loop, which would wait for what it then takes. */
			bool is_update = touch->is_torn || (touch->is_rewritten && !self->jump_count);
			bool is_atomic = is_ordered && !touch->is_plain, is_load = is_atomic && !is_update;
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
