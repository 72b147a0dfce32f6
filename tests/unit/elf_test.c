/* elf_test.c: FILE: prints its sections, symbols, build-id and loader; --view FILE: the same without reading all of it; --write FILE: makes .comment one byte long, in place; --noise COUNT
 * FILE: reads it that often with bytes changed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"
#include "base/proc.h"

static void print_symbols(FILE *to, const struct elf_file *elf, const Elf64_Shdr *table)
{
	Elf64_Sym symbol;
	const char *name;
	for (uint64_t i = 1; elf_file_symbol(elf, table, i, &symbol, &name); i++)
		if (name && *name && ELF64_ST_TYPE(symbol.st_info) != STT_SECTION)
			fprintf(to, "symbol %016" PRIx64 " %s\n", symbol.st_value, name);
}

static void print(FILE *to, const struct elf_file *elf)
{
	Elf64_Shdr section;
	const char *name;
	size_t size, left;
	for (uint32_t i = 1; elf_file_section(elf, i, &section, &name); i++) {
		fprintf(to, "section %s %06" PRIx64 "\n", name, section.sh_size);
		if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
			print_symbols(to, elf, &section);
		const unsigned char *content = elf_file_content(elf, &section);
		unsigned sum = 0;
		for (size_t at = 0; content && at < section.sh_size; at++)
			sum += content[at];
		if (section.sh_flags & SHF_ALLOC && elf_file_at(elf, section.sh_addr, &left))
			sum += *elf_file_at(elf, section.sh_addr + left - 1, &left);
		if (to == stderr)
			fprintf(to, "%u\n", sum);
	}
	const unsigned char *id = elf_file_build_id(elf, &size);
	if (id) {
		fputs("build-id ", to);
		for (size_t i = 0; i < size; i++)
			fprintf(to, "%02x", id[i]);
		fputc('\n', to);
	}
	if (elf_file_loader(elf))
		fprintf(to, "loader %s\n", elf_file_loader(elf));
	fprintf(to, "static %s\n", elf_file_is_static(elf) ? "yes" : "no");
	fprintf(to, "missing %s\n", elf_file_find_section(elf, ".nothing", &section) ? "yes" : "no");
}

static int fail(struct elf_file *elf, const struct err *err)
{
	puts(err->message);
	elf_file_release(elf);
	return 1;
}

static int write_in_place(const char *path)
{
	struct elf_file elf;
	struct err err = ERR_INIT;
	Elf64_Shdr section;
	const char *name;
	if (elf_file_map(&elf, path, &err) < 0)
		return fail(&elf, &err);
	for (uint32_t i = 0; elf_file_section(&elf, i, &section, &name); i++)
		if (strcmp(name, ".comment") == 0) {
			section.sh_size = 1;
			elf_file_set_section(&elf, i, &section);
		}
	elf_file_release(&elf);
	return 0;
}

/* Most changes where they matter: in the headers and in the notes, which are near the beginning, and in the section headers. */
static int noise(const char *path, unsigned long rounds)
{
	struct err err = ERR_INIT;
	struct buf original = { 0 };
	unsigned long read = 0, refused = 0;
	FILE *nowhere = fopen("/dev/null", "w");
	const char *copy = "noise.bin";
	srandom(7);
	if (proc_read_file(path, &original, &err) < 0)
		return 1;
	for (unsigned long i = 0; i < rounds; i++) {
		struct elf_file elf;
		struct err ignored = ERR_INIT;
		char *bytes = mem_alloc(original.size);
		memcpy(bytes, original.data, original.size);
		for (int change = 0; change < 4; change++) {
			size_t room = random() % 2 ? 1024 : 2048;
			size_t at = (size_t)random() % room;
			bytes[room == 1024 ? at : original.size - 1 - at] = (char)random();
		}
		if (proc_write_file(copy, bytes, original.size, &ignored) == 0 && elf_file_read(&elf, copy, &ignored) == 0) {
			print(nowhere, &elf);
			read++;
		} else {
			refused++;
		}
		elf_file_release(&elf);
		free(bytes);
	}
	fclose(nowhere);
	buf_release(&original);
	puts(read && refused ? "some are read, some are refused" : "all are alike");
	return 0;
}

int main(int count, char **arguments)
{
	struct elf_file elf;
	struct err err = ERR_INIT;
	bool is_view = count == 3 && strcmp(arguments[1], "--view") == 0;
	if (count == 3 && !is_view)
		return write_in_place(arguments[2]);
	if (count == 4)
		return noise(arguments[3], strtoul(arguments[2], NULL, 10));
	if ((is_view ? elf_file_view(&elf, arguments[2], &err) : elf_file_read(&elf, arguments[1], &err)) < 0)
		return fail(&elf, &err);
	print(stdout, &elf);
	elf_file_release(&elf);
	return 0;
}
