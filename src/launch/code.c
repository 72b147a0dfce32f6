/*
 * code.c: see code.h. The code is cut into regions at every place that is known to begin a function, and each region is
 * decoded by itself, so that data between functions costs at most the rest of one region. An instruction that cannot be
 * decoded, or that crosses the end of its region, makes the rest of the region unsafe to change.
 */
#include "launch/code.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "launch/frames.h"

/* While decoding. What only looks like an address of code counts when an instruction begins there. */
enum { MARK_PERHAPS = 1u << 5, MARK_REGION = 1u << 6, MARK_HIDDEN = 1u << 7 };

struct numbers {
	uint64_t *items;
	size_t count, room;
};

struct work {
	struct code *code;
	const struct elf_file *elf;
	struct numbers tables; /* addresses outside the code that instructions compute: tables of jumps begin there */
};

static void numbers_add(struct numbers *numbers, uint64_t number)
{
	if (numbers->count == numbers->room) {
		numbers->room = numbers->room ? numbers->room * 2 : 1024;
		numbers->items = mem_resize(numbers->items, numbers->room * sizeof *numbers->items);
	}
	numbers->items[numbers->count++] = number;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static bool is_inside(const struct code *code, uint64_t address)
{
	return address >= code->start && address < code->end;
}

static void mark(struct code *code, uint64_t address, unsigned marks)
{
	if (is_inside(code, address))
		code->marks[address - code->start] |= (uint8_t)marks;
}

static void visit_range(void *data, const struct frames_range *range)
{
	struct code *code = data;
	mark(code, range->start, CODE_TARGET | MARK_REGION);
	mark(code, range->end, MARK_REGION);
	if (!range->is_signal)
		return;
	/* What returns from signals begins a byte before its first instruction, and is not to be changed at all. */
	for (uint64_t at = range->start; at < range->end && is_inside(code, at); at++)
		mark(code, at, MARK_HIDDEN);
}

static void visit_landing(void *data, uint64_t address)
{
	mark(data, address, CODE_TARGET);
}

static void mark_symbols(const struct work *work, const Elf64_Shdr *section)
{
	Elf64_Sym symbol;
	for (uint64_t i = 0; elf_file_symbol(work->elf, section, i, &symbol, NULL); i++) {
		unsigned type = ELF64_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS || type == STT_TLS)
			continue;
		bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
		mark(work->code, symbol.st_value, CODE_TARGET | (is_function ? MARK_REGION : 0u));
	}
}

/* Addresses of code in data, in relocations (their addends) and in absolute tables of jumps are all words at multiples
 * of eight. */
static void mark_words(const struct work *work)
{
	for (uint32_t i = 0; i < work->elf->segment_count; i++) {
		const Elf64_Phdr *segment = &work->elf->segments[i];
		if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X))
			continue;
		const char *bytes = work->elf->bytes.data + segment->p_offset;
		for (uint64_t at = -segment->p_vaddr & 7; at + 8 <= segment->p_filesz; at += 8) {
			uint64_t word;
			memcpy(&word, bytes + at, sizeof word);
			mark(work->code, word, MARK_PERHAPS);
		}
	}
}

static void mark_sections(const struct work *work)
{
	Elf64_Shdr section;
	const char *name;
	for (uint32_t i = 0; elf_file_section(work->elf, i, &section, &name); i++) {
		if (section.sh_type == SHT_DYNSYM || section.sh_type == SHT_SYMTAB)
			mark_symbols(work, &section);
		else if (section.sh_flags & SHF_EXECINSTR)
			mark(work->code, section.sh_addr, MARK_REGION);
	}
}

/* What a relative jump or an address relative to the instruction names. */
static void follow(struct work *work, const ZydisDecodedInstruction *instruction, uint64_t behind)
{
	if (instruction->raw.imm[0].is_relative) {
		mark(work->code, behind + (uint64_t)instruction->raw.imm[0].value.s, CODE_TARGET);
		return;
	}
	uint64_t address = behind + (uint64_t)instruction->raw.disp.value;
	if (is_inside(work->code, address))
		mark(work->code, address, CODE_TARGET);
	else if (instruction->mnemonic == ZYDIS_MNEMONIC_LEA)
		numbers_add(&work->tables, address);
}

static unsigned marks_of(const ZydisDecodedInstruction *instruction, const unsigned char *bytes)
{
	if (instruction->attributes & ZYDIS_ATTRIB_IS_RELATIVE)
		return instruction->meta.category == ZYDIS_CATEGORY_UNCOND_BR ? CODE_LEAVES : 0;
	switch ((int)instruction->meta.category) { /* of a library, which has many: the others are alike */
	case ZYDIS_CATEGORY_SYSCALL:
		return instruction->length == 2 && bytes[0] == 0x0f && bytes[1] == 0x05 ? CODE_SYSCALL : 0;
	case ZYDIS_CATEGORY_RET:
		return CODE_LEAVES | (instruction->mnemonic == ZYDIS_MNEMONIC_RET ? CODE_MOVABLE : 0u);
	case ZYDIS_CATEGORY_UNCOND_BR:
		return CODE_LEAVES;
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
		return CODE_MOVABLE | CODE_PADDING;
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
		return 0;
	case ZYDIS_CATEGORY_INTERRUPT:
		return CODE_LEAVES | (instruction->mnemonic == ZYDIS_MNEMONIC_INT3 ? CODE_PADDING : 0u);
	default:
		if (instruction->mnemonic == ZYDIS_MNEMONIC_UD0 || instruction->mnemonic == ZYDIS_MNEMONIC_UD1 ||
		    instruction->mnemonic == ZYDIS_MNEMONIC_UD2 || instruction->mnemonic == ZYDIS_MNEMONIC_HLT)
			return CODE_LEAVES;
		return CODE_MOVABLE;
	}
}

static void decode_region(struct work *work, const ZydisDecoder *decoder, const unsigned char *bytes, uint64_t start,
			  uint64_t end)
{
	struct code *code = work->code;
	bool is_safe = !(code->marks[start - code->start] & MARK_HIDDEN);
	for (uint64_t at = start; at < end;) {
		ZydisDecodedInstruction instruction;
		const unsigned char *here = bytes + (at - start);
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, ZYAN_NULL, here, end - at, &instruction))) {
			is_safe = false;
			at++;
			continue;
		}
		if (instruction.attributes & ZYDIS_ATTRIB_IS_RELATIVE)
			follow(work, &instruction, at + instruction.length);
		else if (instruction.raw.imm[0].size >= 32)
			mark(code, instruction.raw.imm[0].value.u, MARK_PERHAPS); /* of a file at a fixed address */
		if (is_safe) {
			code->sizes[at - code->start] = instruction.length;
			code->marks[at - code->start] |= (uint8_t)marks_of(&instruction, here);
		}
		at += instruction.length;
	}
}

static void decode_segment(struct work *work, const ZydisDecoder *decoder, const Elf64_Phdr *segment)
{
	struct code *code = work->code;
	const unsigned char *bytes = (const unsigned char *)work->elf->bytes.data + segment->p_offset;
	uint64_t end = segment->p_vaddr + segment->p_filesz;
	for (uint64_t at = segment->p_vaddr; at < end;) {
		uint64_t next = at + 1;
		while (next < end && !(code->marks[next - code->start] & MARK_REGION))
			next++;
		decode_region(work, decoder, bytes + (at - segment->p_vaddr), at, next);
		at = next;
	}
}

/* Tables of 32-bit distances from the table's own start. One ends where the next begins or where an entry does not lead
 * into the code. */
static void mark_tables(struct work *work)
{
	struct numbers *tables = &work->tables;
	if (tables->count)
		qsort(tables->items, tables->count, sizeof *tables->items, compare_numbers);
	for (size_t i = 0; i < tables->count; i++) {
		uint64_t table = tables->items[i];
		if (i > 0 && table == tables->items[i - 1])
			continue;
		size_t left = 0, next = i + 1;
		const unsigned char *at = elf_file_at(work->elf, table, &left);
		while (next < tables->count && tables->items[next] == table)
			next++;
		if (next < tables->count && tables->items[next] - table < left)
			left = tables->items[next] - table;
		for (; at && left >= 4; at += 4, left -= 4) {
			int32_t distance;
			memcpy(&distance, at, sizeof distance);
			uint64_t target = table + (uint64_t)(int64_t)distance;
			if (!is_inside(work->code, target))
				break;
			mark(work->code, target, MARK_PERHAPS);
		}
	}
}

static void settle(struct code *code)
{
	for (uint64_t place = 0; place < code->end - code->start; place++)
		if ((code->marks[place] & MARK_PERHAPS) && code->sizes[place])
			code->marks[place] |= CODE_TARGET;
}

/* Code spans at most this: what is further apart is not one library's. */
#define SPAN_MAX (1ul << 30)

static bool find_span(struct code *code, const struct elf_file *elf)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || segment->p_filesz == 0)
			continue;
		uint64_t end = segment->p_vaddr + segment->p_filesz;
		if (code->end == 0 || segment->p_vaddr < code->start)
			code->start = segment->p_vaddr;
		if (end > code->end)
			code->end = end;
	}
	if (code->end - code->start > SPAN_MAX)
		code->start = code->end = 0;
	return code->end > code->start;
}

void code_decode(struct code *code, const struct elf_file *elf)
{
	*code = (struct code){ 0 };
	if (!find_span(code, elf))
		return;
	code->marks = mem_alloc(code->end - code->start);
	code->sizes = mem_alloc(code->end - code->start);
	struct work work = { .code = code, .elf = elf };
	struct frames_visitor visitor = { visit_range, visit_landing, code };
	frames_visit(elf, &visitor);
	mark_sections(&work);
	mark_words(&work);
	mark(code, elf->header.e_entry, CODE_TARGET);

	ZydisDecoder decoder;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (uint32_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].p_type == PT_LOAD && (elf->segments[i].p_flags & PF_X))
			decode_segment(&work, &decoder, &elf->segments[i]);
	mark_tables(&work);
	settle(code);
	free(work.tables.items);
}

void code_release(struct code *code)
{
	free(code->marks);
	free(code->sizes);
	*code = (struct code){ 0 };
}
