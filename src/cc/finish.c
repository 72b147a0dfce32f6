/*
 * finish.c: the last touch on a woven file, after the second link, in place.
 *  1. Writes the bounds of the tables into struct heddle_object, from the section headers. Linkers offer __start_ and
 *     __stop_ symbols for this, but ld.bfd exports them from libraries, hidden or not.
 *     And a check of what is in them, so that a damaged file is noticed.
 *  2. Takes the aliases that only the weave needs (ir/module.h) out of the symbol table, so that nm, perf and debuggers see
 *     the names the program has. The entries after a removed one move up and the table becomes shorter; nothing else in
 *     the file moves. A file that keeps its relocations (--emit-relocs) refers to symbols by number, and keeps them all.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/elf_file.h"
#include "cc/driver.h"
#include "heddle/abi.h"

static void write_bounds(struct elf_file *elf, char *object, uint64_t address)
{
	static const struct {
		const char *section;
		size_t first, last;
	} tables[] = {
		{ HEDDLE_SECTION_FUNCTIONS, offsetof(struct heddle_object, functions),
		  offsetof(struct heddle_object, functions_end) },
		{ HEDDLE_SECTION_SITES, offsetof(struct heddle_object, sites),
		  offsetof(struct heddle_object, sites_end) },
		{ HEDDLE_SECTION_INLINES, offsetof(struct heddle_object, inlines),
		  offsetof(struct heddle_object, inlines_end) },
		{ HEDDLE_SECTION_CALLS, offsetof(struct heddle_object, calls),
		  offsetof(struct heddle_object, calls_end) },
		{ HEDDLE_SECTION_LINES, offsetof(struct heddle_object, lines),
		  offsetof(struct heddle_object, lines_end) },
		{ HEDDLE_SECTION_CLONES, offsetof(struct heddle_object, clones),
		  offsetof(struct heddle_object, clones_end) },
	};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		Elf64_Shdr section;
		/* A table that is not there is empty, wherever that is. */
		bool is_present = elf_file_find_section(elf, tables[i].section, &section);
		uint64_t start = is_present ? section.sh_addr : address,
			 end = is_present ? start + section.sh_size : start;
		heddle_rel first = (heddle_rel)(start - (address + tables[i].first));
		heddle_rel last = (heddle_rel)(end - (address + tables[i].last));
		memcpy(object + tables[i].first, &first, sizeof first);
		memcpy(object + tables[i].last, &last, sizeof last);
	}
}

static void write_check(struct elf_file *elf, char *object)
{
	static const char *const checked[] = { HEDDLE_SECTION_FUNCTIONS, HEDDLE_SECTION_SITES, HEDDLE_SECTION_INLINES,
					       HEDDLE_SECTION_CALLS };
	uint64_t check = 0;
	for (size_t i = 0; i < sizeof checked / sizeof *checked; i++) {
		Elf64_Shdr section;
		const unsigned char *content =
			elf_file_find_section(elf, checked[i], &section) ? elf_file_content(elf, &section) : NULL;
		check = heddle_check(check, content, content ? section.sh_size : 0);
	}
	memcpy(object + offsetof(struct heddle_object, check), &check, sizeof check);
	check = heddle_check(0, object, offsetof(struct heddle_object, root_check));
	memcpy(object + offsetof(struct heddle_object, root_check), &check, sizeof check);
}

static bool finish_object(struct elf_file *elf)
{
	size_t size, left;
	uint64_t address;
	const unsigned char *note = elf_file_note(elf, HEDDLE_NOTE_NAME, HEDDLE_NOTE_OBJECT, &size, &address);
	if (!note || size < sizeof(struct heddle_note))
		return false;
	heddle_rel distance;
	memcpy(&distance, note + offsetof(struct heddle_note, object), sizeof distance);
	address += offsetof(struct heddle_note, object) + (uint64_t)(int64_t)distance;
	const unsigned char *found = elf_file_at(elf, address, &left);
	if (!found || left < sizeof(struct heddle_object) || memcmp(found, HEDDLE_MAGIC, 8) != 0)
		return false;
	char *object = elf_file_writable(elf, found);
	write_bounds(elf, object, address);
	write_check(elf, object);
	return true;
}

static bool is_alias(const char *name)
{
	return name && (strncmp(name, "__heddle_o.", 11) == 0 || strncmp(name, "__heddle_v.", 11) == 0);
}

static void compact(struct elf_file *elf, uint32_t index, Elf64_Shdr *table)
{
	const unsigned char *content = elf_file_content(elf, table);
	char *symbols = table->sh_size ? elf_file_writable(elf, content) : NULL;
	uint64_t kept = 0, kept_locals = 0;
	Elf64_Sym symbol;
	const char *name;
	for (uint64_t i = 0; elf_file_symbol(elf, table, i, &symbol, &name); i++) {
		if (i && is_alias(name))
			continue;
		memcpy(symbols + kept++ * sizeof symbol, &symbol, sizeof symbol);
		kept_locals += i < table->sh_info;
	}
	table->sh_size = kept * sizeof symbol;
	table->sh_info = (Elf64_Word)kept_locals;
	elf_file_set_section(elf, index, table);
}

static void tidy_symbols(struct elf_file *elf)
{
	Elf64_Shdr table = { 0 }, section;
	uint32_t index = 0;
	const char *name;
	for (uint32_t i = 0; elf_file_section(elf, i, &section, &name); i++)
		if (section.sh_type == SHT_SYMTAB) {
			index = i;
			table = section;
		}
	if (!index || !elf_file_content(elf, &table))
		return;
	for (uint32_t i = 0; elf_file_section(elf, i, &section, &name); i++)
		if (section.sh_type != SHT_SYMTAB && section.sh_link == index)
			return;
	compact(elf, index, &table);
}

int finish_linked(const char *path, struct err *err)
{
	struct elf_file elf;
	int code = elf_file_map(&elf, path, err);
	if (code == 0 && !finish_object(&elf)) {
		code = err_set(err, EPROTO, "the linker dropped Heddle's note from \"%s\"", path);
		err_hint(err,
			 "does a linker script discard .note sections? keep .note.heddle, or link with --heddle-off");
	} else if (code == 0) {
		tidy_symbols(&elf);
	}
	elf_file_release(&elf);
	return code;
}
