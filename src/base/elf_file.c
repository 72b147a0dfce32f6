/* elf_file.c: see elf_file.h. */
#include "base/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/proc.h"
#include "base/text.h"

int elf_file_damaged(const struct elf_file *elf, const char *what, struct err *err)
{
	err_hint(err, "rebuild it; if it was copied here, compare the copy with the original");
	return err_set(err, EINVAL, "\"%s\" is damaged or truncated: %s", elf->path, what);
}

static int check_path(const struct elf_file *elf, const char *path, struct err *err)
{
	struct stat status;
	if (stat(path, &status) < 0) {
		int code = errno;
		if (code == ENOENT)
			err_hint(err, "specify the path of a program or library that was built with heddle-cc");
		return err_set(err, code, "cannot open \"%s\": %s", elf->path, strerror(code));
	}
	if (S_ISREG(status.st_mode))
		return 0;
	err_hint(err, "specify the path of a program or library that was built with heddle-cc");
	if (S_ISDIR(status.st_mode))
		return err_set(err, EISDIR, "\"%s\" is a directory, not a program", elf->path);
	return err_set(err, EINVAL, "\"%s\" is not a regular file", elf->path);
}

static int check_kind(struct elf_file *elf, struct err *err)
{
	const char *bytes = elf->bytes.data;
	size_t size = elf->bytes.size;
	if (size >= 2 && memcmp(bytes, "#!", 2) == 0) {
		err_hint(err, "specify the program that the script starts");
		return err_set(err, ENOEXEC, "\"%s\" is a script, not an ELF program", elf->path);
	}
	if (size >= 8 && memcmp(bytes, "!<arch>\n", 8) == 0) {
		err_hint(err, "link it into a program with heddle-cc, and specify that program");
		return err_set(err, ENOEXEC, "\"%s\" is an archive, not a program", elf->path);
	}
	if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
		err_hint(err, "specify the path of a program or library that was built with heddle-cc");
		return err_set(err, ENOEXEC, "\"%s\" is not an ELF file", elf->path);
	}
	if (size < EI_NIDENT + 4)
		return elf_file_damaged(elf, "its header is incomplete", err);
	Elf64_Half machine;
	memcpy(&machine, bytes + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
	if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB || machine != EM_X86_64) {
		err_hint(err, "build it for x86-64 with heddle-cc");
		return err_set(err, ENOEXEC, "\"%s\" is for another architecture; Heddle supports only x86-64",
			       elf->path);
	}
	if (size < sizeof elf->header)
		return elf_file_damaged(elf, "its header is incomplete", err);
	memcpy(&elf->header, bytes, sizeof elf->header);
	return 0;
}

static int read_segments(struct elf_file *elf, struct err *err)
{
	const Elf64_Ehdr *header = &elf->header;
	uint64_t size = elf->bytes.size;
	if (header->e_phnum == 0)
		return 0;
	if (header->e_phnum > ELF_FILE_SEGMENTS || header->e_phentsize != sizeof(Elf64_Phdr) ||
	    header->e_phoff > size || size - header->e_phoff < header->e_phnum * sizeof(Elf64_Phdr))
		return elf_file_damaged(elf, "its program headers are incomplete", err);
	elf->segment_count = header->e_phnum;
	memcpy(elf->segments, elf->bytes.data + header->e_phoff, elf->segment_count * sizeof *elf->segments);
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];
		if (segment->p_type != PT_LOAD && segment->p_type != PT_NOTE && segment->p_type != PT_DYNAMIC)
			continue;
		if (segment->p_offset > size || segment->p_filesz > size - segment->p_offset ||
		    segment->p_vaddr + segment->p_filesz < segment->p_vaddr)
			return elf_file_damaged(elf, "a segment extends beyond its end", err);
	}
	return 0;
}

int elf_file_read(struct elf_file *elf, const char *path, struct err *err)
{
	*elf = (struct elf_file){ 0 };
	elf->path = text_terminal_copy(path);
	int code = check_path(elf, path, err);
	if (code == 0)
		code = proc_read_file(path, &elf->bytes, err);
	if (code == 0)
		code = check_kind(elf, err);
	if (code == 0)
		code = read_segments(elf, err);
	return code;
}

void elf_file_release(struct elf_file *elf)
{
	free(elf->path);
	buf_release(&elf->bytes);
	elf->path = NULL;
}

/* Programs that load at any address are marked as such; libraries are not. */
static bool is_marked_as_program(const struct elf_file *elf, const Elf64_Phdr *segment)
{
	for (uint64_t at = 0; segment->p_filesz - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;
		memcpy(&entry, elf->bytes.data + segment->p_offset + at, sizeof entry);
		if (entry.d_tag == DT_FLAGS_1)
			return entry.d_un.d_val & DF_1_PIE;
	}
	return false;
}

bool elf_file_is_static(const struct elf_file *elf)
{
	bool is_library = false;
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		if (elf->segments[i].p_type == PT_INTERP)
			return false;
		if (elf->segments[i].p_type == PT_DYNAMIC)
			is_library = !is_marked_as_program(elf, &elf->segments[i]);
	}
	return !is_library;
}

const unsigned char *elf_file_at(const struct elf_file *elf, uint64_t address, size_t *left)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];
		if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz) {
			uint64_t inside = address - segment->p_vaddr;
			*left = segment->p_filesz - inside;
			return (const unsigned char *)elf->bytes.data + segment->p_offset + inside;
		}
	}
	return NULL;
}

/* Rounded up; sizes in notes are 32 bits, so nothing overflows. */
static uint64_t padded(uint64_t size, uint64_t alignment)
{
	return (size + alignment - 1) & ~(alignment - 1);
}

static const unsigned char *find_note(const struct elf_file *elf, const Elf64_Phdr *segment, const char *owner,
				      uint32_t type, size_t *size_bytes, uint64_t *address)
{
	const unsigned char *start = (const unsigned char *)elf->bytes.data + segment->p_offset;
	uint64_t alignment = segment->p_align == 8 ? 8 : 4, at = 0, end = segment->p_filesz;
	while (at <= end && end - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		memcpy(&note, start + at, sizeof note);
		uint64_t name = at + sizeof note, content = at + padded(sizeof note + note.n_namesz, alignment);
		if (content > end || end - content < note.n_descsz)
			return NULL;
		if (note.n_type == type && note.n_namesz == strlen(owner) + 1 &&
		    memcmp(start + name, owner, note.n_namesz) == 0) {
			*size_bytes = note.n_descsz;
			*address = segment->p_vaddr + content;
			return start + content;
		}
		at = content + padded(note.n_descsz, alignment);
	}
	return NULL;
}

const unsigned char *elf_file_note(const struct elf_file *elf, const char *owner, uint32_t type, size_t *size_bytes,
				   uint64_t *address)
{
	const unsigned char *found = NULL;
	for (uint32_t i = 0; i < elf->segment_count && !found; i++)
		if (elf->segments[i].p_type == PT_NOTE)
			found = find_note(elf, &elf->segments[i], owner, type, size_bytes, address);
	return found;
}

bool elf_file_section(const struct elf_file *elf, uint32_t index, Elf64_Shdr *section, const char **name)
{
	const Elf64_Ehdr *header = &elf->header;
	uint64_t size = elf->bytes.size;
	if (index >= header->e_shnum || header->e_shstrndx >= header->e_shnum ||
	    header->e_shentsize != sizeof *section || header->e_shoff > size ||
	    size - header->e_shoff < header->e_shnum * sizeof *section)
		return false;
	Elf64_Shdr names;
	memcpy(&names, elf->bytes.data + header->e_shoff + header->e_shstrndx * sizeof names, sizeof names);
	memcpy(section, elf->bytes.data + header->e_shoff + index * sizeof *section, sizeof *section);
	if (names.sh_offset > size || names.sh_size > size - names.sh_offset || section->sh_name >= names.sh_size)
		return false;
	*name = elf->bytes.data + names.sh_offset + section->sh_name;
	return memchr(*name, '\0', names.sh_size - section->sh_name) != NULL;
}
