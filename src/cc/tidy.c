/*
 * tidy.c: takes the aliases that only the weave needs (ir/module.h) out of the symbol table of a linked file, so that
 * nm, perf and debuggers see the names the program has. The entries behind a removed one move up in place; the table
 * becomes shorter and nothing else in the file moves. A file that keeps its relocations (--emit-relocs) refers to
 * symbols by number, and is left as it is.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cc/driver.h"

static bool is_inside(size_t size, uint64_t offset, uint64_t bytes)
{
	return offset <= size && bytes <= size - offset;
}

static void compact(char *file, size_t size, Elf64_Shdr *table, const Elf64_Shdr *strings)
{
	Elf64_Sym *symbols = (Elf64_Sym *)(void *)(file + table->sh_offset);
	size_t count = table->sh_size / sizeof *symbols, locals = table->sh_info, kept = 0, kept_locals = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t name = strings->sh_offset + symbols[i].st_name;
		bool is_alias = i && symbols[i].st_name < strings->sh_size && is_inside(size, name, 11) &&
				(memcmp(file + name, "__heddle_o.", 11) == 0 || memcmp(file + name, "__heddle_v.", 11) == 0);
		if (is_alias)
			continue;
		symbols[kept++] = symbols[i];
		kept_locals += i < locals;
	}
	table->sh_size = kept * sizeof *symbols;
	table->sh_info = (Elf64_Word)kept_locals;
}

static void tidy_file(char *file, size_t size)
{
	Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)file;
	if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 ||
	    !is_inside(size, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return;
	Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(file + header->e_shoff), *table = NULL;
	for (size_t i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			table = &sections[i];
	if (!table || table->sh_link >= header->e_shnum || table->sh_offset % 8 ||
	    !is_inside(size, table->sh_offset, table->sh_size) ||
	    !is_inside(size, sections[table->sh_link].sh_offset, sections[table->sh_link].sh_size))
		return;
	for (size_t i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type != SHT_SYMTAB && sections[i].sh_link == (size_t)(table - sections))
			return;
	compact(file, size, table, &sections[table->sh_link]);
}

int tidy_symbols(const char *path, struct err *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat status;
	if (fd < 0 || fstat(fd, &status) < 0) {
		int code = errno;
		if (fd >= 0)
			close(fd);
		return err_set(err, code, "cannot open \"%s\": %s", path, strerror(code));
	}
	size_t size = (size_t)status.st_size;
	char *file = size ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	int code = errno;
	close(fd);
	if (file == MAP_FAILED)
		return err_set(err, code, "cannot map \"%s\": %s", path, strerror(code));
	tidy_file(file, size);
	munmap(file, size);
	return 0;
}
