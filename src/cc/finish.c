/*
 * finish.c: the last touch on a woven file, after the second link, in place.
 *  1. Writes the bounds of the tables into struct heddle_object, from the section headers. Linkers offer __start_ and
 *     __stop_ symbols for this, but ld.bfd exports them from libraries, hidden or not.
 *     And a check of what is in them, so that a damaged file is noticed.
 *  2. Takes the aliases that only the weave needs (ir/module.h) out of the symbol table, so that nm, perf and debuggers see
 *     the names the program has. The entries behind a removed one move up and the table becomes shorter; nothing else in
 *     the file moves. A file that keeps its relocations (--emit-relocs) refers to symbols by number, and keeps them all.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/driver.h"
#include "heddle/abi.h"

struct file {
	char *data;
	size_t size;
	Elf64_Shdr *sections;
	size_t count, names; /* names: the section of section names */
};

static bool is_inside(const struct file *file, uint64_t offset, uint64_t bytes)
{
	return offset <= file->size && bytes <= file->size - offset;
}

static bool has_content(const struct file *file, const Elf64_Shdr *section)
{
	return section->sh_type != SHT_NOBITS && is_inside(file, section->sh_offset, section->sh_size);
}

static bool read_headers(struct file *file)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->data;
	if (file->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) ||
	    header->e_shoff % 8 || !is_inside(file, header->e_shoff, sizeof(Elf64_Shdr)))
		return false;
	file->sections = (Elf64_Shdr *)(void *)(file->data + header->e_shoff);
	/* Numbers that do not fit into the header are in the first section header (gABI, "Sections"). */
	file->count = header->e_shnum ? header->e_shnum : file->sections[0].sh_size;
	file->names = header->e_shstrndx == SHN_XINDEX ? file->sections[0].sh_link : header->e_shstrndx;
	return file->count <= file->size / sizeof(Elf64_Shdr) &&
	       is_inside(file, header->e_shoff, file->count * sizeof(Elf64_Shdr)) && file->names < file->count &&
	       has_content(file, &file->sections[file->names]);
}

static const Elf64_Shdr *find_section(const struct file *file, const char *name)
{
	const Elf64_Shdr *names = &file->sections[file->names];
	size_t size = strlen(name) + 1;
	for (size_t i = 1; i < file->count; i++) {
		uint64_t at = file->sections[i].sh_name;
		if (at < names->sh_size && size <= names->sh_size - at &&
		    memcmp(file->data + names->sh_offset + at, name, size) == 0)
			return &file->sections[i];
	}
	return NULL;
}

/* What is at an address of the loaded program; null when it is not in the file. */
static char *at_address(const struct file *file, uint64_t address, uint64_t bytes)
{
	for (size_t i = 1; i < file->count; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		if ((section->sh_flags & SHF_ALLOC) && has_content(file, section) && address >= section->sh_addr &&
		    address - section->sh_addr <= section->sh_size &&
		    bytes <= section->sh_size - (address - section->sh_addr))
			return file->data + section->sh_offset + (address - section->sh_addr);
	}
	return NULL;
}

static void write_bounds(const struct file *file, char *object, uint64_t address)
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
		const Elf64_Shdr *section = find_section(file, tables[i].section);
		/* A table that is not there is empty, wherever that is. */
		uint64_t start = section ? section->sh_addr : address, end = section ? start + section->sh_size : start;
		heddle_rel first = (heddle_rel)(start - (address + tables[i].first));
		heddle_rel last = (heddle_rel)(end - (address + tables[i].last));
		memcpy(object + tables[i].first, &first, sizeof first);
		memcpy(object + tables[i].last, &last, sizeof last);
	}
}

static void write_check(const struct file *file, char *object)
{
	static const char *const checked[] = { HEDDLE_SECTION_FUNCTIONS, HEDDLE_SECTION_SITES, HEDDLE_SECTION_INLINES,
					       HEDDLE_SECTION_CALLS };
	uint64_t check = 0;
	for (size_t i = 0; i < sizeof checked / sizeof *checked; i++) {
		const Elf64_Shdr *section = find_section(file, checked[i]);
		bool is_there = section && has_content(file, section);
		check = heddle_check(check, is_there ? file->data + section->sh_offset : NULL,
				     is_there ? section->sh_size : 0);
	}
	memcpy(object + offsetof(struct heddle_object, check), &check, sizeof check);
	check = heddle_check(0, object, offsetof(struct heddle_object, root_check));
	memcpy(object + offsetof(struct heddle_object, root_check), &check, sizeof check);
}

/* The note is: three words, the owner's name padded to four bytes, struct heddle_note. */
static bool finish_object(const struct file *file)
{
	enum { DESCRIPTOR = 12 + ((sizeof HEDDLE_NOTE_NAME + 3) & ~3u) };
	const Elf64_Shdr *note = find_section(file, ".note.heddle");
	if (!note || !has_content(file, note) || note->sh_size < DESCRIPTOR + sizeof(struct heddle_note))
		return false;
	heddle_rel distance;
	uint64_t field = DESCRIPTOR + offsetof(struct heddle_note, object);
	memcpy(&distance, file->data + note->sh_offset + field, sizeof distance);
	uint64_t address = note->sh_addr + field + (uint64_t)(int64_t)distance;
	char *object = at_address(file, address, sizeof(struct heddle_object));
	if (!object || memcmp(object, HEDDLE_MAGIC, 8) != 0)
		return false;
	write_bounds(file, object, address);
	write_check(file, object);
	return true;
}

static void compact(const struct file *file, Elf64_Shdr *table)
{
	const Elf64_Shdr *strings = &file->sections[table->sh_link];
	Elf64_Sym *symbols = (Elf64_Sym *)(void *)(file->data + table->sh_offset);
	size_t count = table->sh_size / sizeof *symbols, locals = table->sh_info, kept = 0, kept_locals = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t name = strings->sh_offset + symbols[i].st_name;
		bool is_alias = i && symbols[i].st_name < strings->sh_size && is_inside(file, name, 11) &&
				(memcmp(file->data + name, "__heddle_o.", 11) == 0 ||
				 memcmp(file->data + name, "__heddle_v.", 11) == 0);
		if (is_alias)
			continue;
		symbols[kept++] = symbols[i];
		kept_locals += i < locals;
	}
	table->sh_size = kept * sizeof *symbols;
	table->sh_info = (Elf64_Word)kept_locals;
}

static void tidy_symbols(struct file *file)
{
	Elf64_Shdr *table = NULL;
	for (size_t i = 0; i < file->count; i++)
		if (file->sections[i].sh_type == SHT_SYMTAB)
			table = &file->sections[i];
	if (!table || table->sh_link >= file->count || table->sh_offset % 8 || !has_content(file, table) ||
	    !has_content(file, &file->sections[table->sh_link]))
		return;
	for (size_t i = 0; i < file->count; i++)
		if (file->sections[i].sh_type != SHT_SYMTAB &&
		    file->sections[i].sh_link == (size_t)(table - file->sections))
			return;
	compact(file, table);
}

int finish_linked(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat status;
	if (fd < 0 || fstat(fd, &status) < 0) {
		int code = errno;
		if (fd >= 0)
			close(fd);
		return err_set(err, code, "cannot open \"%s\": %s", path, strerror(code));
	}
	struct file file = { .size = (size_t)status.st_size };
	file.data = file.size ? mmap(NULL, file.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	int code = errno;
	close(fd);
	if (file.data == MAP_FAILED)
		return err_set(err, code, "cannot map \"%s\": %s", path, strerror(code));
	code = 0;
	if (!read_headers(&file) || !finish_object(&file)) {
		code = err_set(err, EPROTO, "the linker dropped Heddle's note from \"%s\"", path);
		err_hint(err,
			 "does a linker script discard .note sections? keep .note.heddle, or link with --heddle-off");
	} else {
		tidy_symbols(&file);
	}
	munmap(file.data, file.size);
	return code;
}
