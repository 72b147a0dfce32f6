/* calls.c: see calls.h. */
#include "launch/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "launch/code.h"

#define CLONE_ENDING ".heddle"

struct function {
	uint64_t start, end;
	const char *name;
};

struct work {
	const struct elf_file *elf;
	struct calls *calls;
	struct map
		slots; /* address of a word that holds that of a function of another file, in hexadecimal, to its name */
	struct function *functions; /* by start */
	size_t count, room;
};

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

static const char *plain_name(struct work *work, const char *name)
{
	size_t size = strlen(name), ending = strlen(CLONE_ENDING);
	if (size <= ending || strcmp(name + size - ending, CLONE_ENDING) != 0)
		return name;
	char *plain = mem_format("%.*s", (int)(size - ending), name);
	strings_add(&work->calls->owned, plain);
	free(plain);
	return work->calls->owned.items[work->calls->owned.count - 1];
}

static void add_functions(struct work *work, const Elf64_Shdr *table)
{
	Elf64_Sym symbol;
	const char *name;
	for (uint64_t i = 0; elf_file_symbol(work->elf, table, i, &symbol, &name); i++) {
		if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || !name ||
		    !symbol.st_size)
			continue;
		if (work->count == work->room) {
			work->room = work->room ? work->room * 2 : 256;
			work->functions = mem_resize(work->functions, work->room * sizeof *work->functions);
		}
		work->functions[work->count++] =
			(struct function){ symbol.st_value, symbol.st_value + symbol.st_size, plain_name(work, name) };
	}
}

static const char *function_at(const struct work *work, uint64_t address)
{
	size_t low = 0, high = work->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (work->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < work->functions[low - 1].end ? work->functions[low - 1].name : NULL;
}

static void add_slots(struct work *work, const Elf64_Shdr *section)
{
	Elf64_Shdr table;
	const char *name;
	const unsigned char *bytes = elf_file_content(work->elf, section);
	if (!bytes || !elf_file_section(work->elf, section->sh_link, &table, &name))
		return;
	for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section->sh_size; at += sizeof(Elf64_Rela)) {
		Elf64_Rela entry;
		Elf64_Sym symbol;
		char key[20];
		memcpy(&entry, bytes + at, sizeof entry);
		uint64_t type = ELF64_R_TYPE(entry.r_info);
		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    !elf_file_symbol(work->elf, &table, ELF64_R_SYM(entry.r_info), &symbol, &name) || !name)
			continue;
		snprintf(key, sizeof key, "%" PRIx64, entry.r_offset);
		map_set(&work->slots, key, (void *)name);
	}
}

static void read_sections(struct work *work)
{
	Elf64_Shdr section;
	const char *name;
	for (uint32_t i = 0; elf_file_section(work->elf, i, &section, &name); i++) {
		if (section.sh_type == SHT_SYMTAB)
			add_functions(work, &section);
		else if (section.sh_type == SHT_RELA)
			add_slots(work, &section);
	}
	if (work->count)
		qsort(work->functions, work->count, sizeof *work->functions, compare_functions);
}

static uint64_t relative(const unsigned char *bytes, uint64_t behind)
{
	int32_t distance;
	memcpy(&distance, bytes, sizeof distance);
	return behind + (uint64_t)(int64_t)distance;
}

static const char *slot_name(const struct work *work, uint64_t slot)
{
	char key[20];
	snprintf(key, sizeof key, "%" PRIx64, slot);
	return map_get(&work->slots, key);
}

/* The function of another file that the stub at the address jumps to: "jmp *slot(%rip)", with endbr64 or bnd before it. */
static const char *stub_name(const struct work *work, uint64_t address)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t left = 0, at = 0;
	const unsigned char *bytes = elf_file_at(work->elf, address, &left);
	if (!bytes || left < 12)
		return NULL;
	if (memcmp(bytes, endbr64, sizeof endbr64) == 0)
		at = sizeof endbr64;
	if (bytes[at] == 0xf2)
		at++;
	return bytes[at] == 0xff && bytes[at + 1] == 0x25 ? slot_name(work, relative(bytes + at + 2, address + at + 6))
							  : NULL;
}

static void add(struct work *work, uint64_t after, bool is_tail, const char *other, uint64_t target)
{
	struct calls *calls = work->calls;
	const char *caller = function_at(work, after - 1);
	const char *callee = other ? other : function_at(work, target);
	/* A jump within a function is none, and stubs have no callers. */
	if (!callee || (is_tail && (!caller || caller == callee)))
		return;
	if (calls->count == calls->room) {
		calls->room = calls->room ? calls->room * 2 : 256;
		calls->items = mem_resize(calls->items, calls->room * sizeof *calls->items);
	}
	calls->items[calls->count++] = (struct call){ after, caller, callee, other != NULL, is_tail };
}

static void look(struct work *work, uint64_t address, const unsigned char *bytes, unsigned size)
{
	uint64_t after = address + size;
	if (size == 5 && (bytes[0] == 0xe8 || bytes[0] == 0xe9)) {
		uint64_t target = relative(bytes + 1, after);
		add(work, after, bytes[0] == 0xe9, stub_name(work, target), target);
	} else if (size == 6 && bytes[0] == 0xff && (bytes[1] == 0x15 || bytes[1] == 0x25)) {
		const char *other = slot_name(work, relative(bytes + 2, after));
		if (other)
			add(work, after, bytes[1] == 0x25, other, 0);
	}
}

void calls_find(struct calls *self, const struct elf_file *elf)
{
	struct work work = { .elf = elf, .calls = self };
	struct code code;
	read_sections(&work);
	code_decode(&code, elf);
	for (uint64_t at = code.start; at < code.end; at++) {
		size_t left = 0;
		unsigned size = code.sizes[at - code.start];
		const unsigned char *bytes = size ? elf_file_at(elf, at, &left) : NULL;
		if (bytes && left >= size)
			look(&work, at, bytes, size);
	}
	code_release(&code);
	map_release(&work.slots);
	free(work.functions);
}

void calls_release(struct calls *self)
{
	free(self->items);
	strings_release(&self->owned);
	*self = (struct calls){ 0 };
}
