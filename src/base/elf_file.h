/*
 * elf_file.h: an ELF file of x86-64 in memory, read with suspicion: every offset and size is checked against the file.
 * Only what the tools need: what kind of file it is, its loaded segments, its notes, its sections by name.
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
};

/* Reads the file (caller's storage). Returns 0, or a negative errno with err set: not found, a folder, not ELF, another
 * architecture, damaged. Release it in any case. */
int elf_file_read(struct elf_file *elf, const char *path, struct err *err);
void elf_file_release(struct elf_file *elf);

/* -EINVAL with "... is damaged or cut short: WHAT" and what to do. */
int elf_file_damaged(const struct elf_file *elf, const char *what, struct err *err);

/* Whether it is a program that needs no loader; libraries are not. */
bool elf_file_is_static(const struct elf_file *elf);

/* The bytes at an address of the loaded program, and how many follow in the same segment of the file; null when the
 * address is not in the file. */
const unsigned char *elf_file_at(const struct elf_file *elf, uint64_t address, size_t *left);

/* The note with that owner and type: its descriptor, its size, and its address. Null when there is none. */
const unsigned char *elf_file_note(const struct elf_file *elf, const char *owner, uint32_t type, size_t *size_bytes,
				   uint64_t *address);

/* The header and the name of section number index; false after the last one, or when they are not to be trusted. */
bool elf_file_section(const struct elf_file *elf, uint32_t index, Elf64_Shdr *section, const char **name);

#endif
