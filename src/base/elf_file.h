/*
 * elf_file.h: an ELF file of x86-64 in memory, read with suspicion: every offset and size is checked against the file.
 * Only what the tools need: what kind of file it is, its loaded segments, its notes, its sections and symbols. It is
 * our only ELF reader: code that needs more (DWARF, hundreds of thousands of symbols) uses libelf and libdw, and the
 * runtime, which has no libraries, has its own minimal reader in src/rt.
 */
#ifndef BASE_ELF_FILE_H
#define BASE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define ELF_FILE_SEGMENTS 64u

struct elf_file {
	char *path; /* escaped for messages */
	struct buf bytes;
	Elf64_Ehdr header;
	Elf64_Phdr segments[ELF_FILE_SEGMENTS]; /* of all kinds */
	uint32_t segment_count;
	uint32_t section_count,
		names; /* names: the section that has the names of sections; 0 sections if they are not to be trusted */
	bool is_mapped; /* bytes are the file's own pages */
};

/* Reads the file (caller's storage). Returns 0, or a negative errno with err set: not found, a folder, not ELF, another
 * architecture, damaged. Release it in any case. */
int elf_file_read(struct elf_file *elf, const char *path, struct err *err);

/* The same without reading all of it: the file is mapped read-only. For files that nobody truncates meanwhile, such as libraries that
 * the program is about to map itself. */
int elf_file_view(struct elf_file *elf, const char *path, struct err *err);

/* The same with a writable mapping: changes to its bytes change the file. */
int elf_file_map(struct elf_file *elf, const char *path, struct err *err);
void elf_file_release(struct elf_file *elf);

/* Returns -EINVAL with the error "... is damaged or cut short: WHAT" and a hint. */
int elf_file_damaged(const struct elf_file *elf, const char *what, struct err *err);

/* Whether it is a program that needs no loader. False for libraries. */
bool elf_file_is_static(const struct elf_file *elf);

/* The bytes at an address of the loaded program, and how many follow in the same segment of the file; null when the
 * address is not in the file. */
const unsigned char *elf_file_at(const struct elf_file *elf, uint64_t address, size_t *left);

/* The note with that owner and type: its descriptor, its size, and its address. Null when there is none. */
const unsigned char *elf_file_note(const struct elf_file *elf, const char *owner, uint32_t type, size_t *size_bytes,
				   uint64_t *address);

/* The build-id that the linker gave it; null when there is none. */
const unsigned char *elf_file_build_id(const struct elf_file *elf, size_t *size_bytes);

/* The path of the loader that it names; null when it names none. */
const char *elf_file_loader(const struct elf_file *elf);

/* The header and the name of section number index; false after the last one, or when they are not to be trusted. */
bool elf_file_section(const struct elf_file *elf, uint32_t index, Elf64_Shdr *section, const char **name);

/* The first section of that name; false when there is none. */
bool elf_file_find_section(const struct elf_file *elf, const char *name, Elf64_Shdr *section);

/* The sh_size bytes of a section; null when they are not in the file. */
const unsigned char *elf_file_content(const struct elf_file *elf, const Elf64_Shdr *section);

/* Symbol number index of a table of symbols, and its name, null when it has none, unless name is null; false after the last one. */
bool elf_file_symbol(const struct elf_file *elf, const Elf64_Shdr *table, uint64_t index, Elf64_Sym *symbol,
		     const char **name);

/* For a file mapped by elf_file_map: a writable pointer to a place in its bytes; and the header of a section. */
char *elf_file_writable(struct elf_file *elf, const unsigned char *at);
void elf_file_set_section(struct elf_file *elf, uint32_t index, const Elf64_Shdr *section);

#endif
