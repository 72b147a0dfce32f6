/* elf_file.c: see elf_file.h. */
#include "base/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Numbers that do not fit into the header are in the first section header (gABI, "Sections"). */
static void read_sections(struct elf_file *elf)
{
	const Elf64_Ehdr *header = &elf->header;
	uint64_t size = elf->bytes.size;
	Elf64_Shdr first, names;
	if (header->e_shentsize != sizeof first || header->e_shoff > size || size - header->e_shoff < sizeof first)
		return;
	const char *table = elf->bytes.data + header->e_shoff;
	memcpy(&first, table, sizeof first);
	uint64_t count = header->e_shnum ? header->e_shnum : first.sh_size;
	uint32_t index = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
	if (count > UINT32_MAX || count > (size - header->e_shoff) / sizeof first || index >= count)
		return;
	memcpy(&names, table + index * sizeof names, sizeof names);
	if (!elf_file_content(elf, &names))
		return;
	elf->section_count = (uint32_t)count;
	elf->names = index;
}

static int read_headers(struct elf_file *elf, struct err *err)
{
	int code = check_kind(elf, err);
	if (code == 0)
		code = read_segments(elf, err);
	if (code == 0)
		read_sections(elf);
	return code;
}

int elf_file_read(struct elf_file *elf, const char *path, struct err *err)
{
	*elf = (struct elf_file){ 0 };
	elf->path = text_terminal_copy(path);
	int code = check_path(elf, path, err);
	if (code == 0)
		code = proc_read_file(path, &elf->bytes, err);
	return code == 0 ? read_headers(elf, err) : code;
}

/* An empty file cannot be mapped, and need not be: read_headers says what it is. */
static int map_bytes(struct elf_file *elf, const char *path, bool is_written, struct err *err)
{
	struct stat status;
	int fd = open(path, (is_written ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "cannot open \"%s\": %s", elf->path, strerror(errno));
	int code = fstat(fd, &status) < 0 ? errno : 0;
	if (!code && status.st_size) {
		void *bytes = mmap(NULL, (size_t)status.st_size, is_written ? PROT_READ | PROT_WRITE : PROT_READ,
				   is_written ? MAP_SHARED : MAP_PRIVATE, fd, 0);
		elf->is_mapped = bytes != MAP_FAILED;
		code = elf->is_mapped ? 0 : errno;
		if (elf->is_mapped)
			elf->bytes = (struct buf){ .data = bytes, .size = (size_t)status.st_size };
	}
	close(fd);
	return code ? err_set(err, code, "cannot map \"%s\": %s", elf->path, strerror(code)) : 0;
}

static int map_file(struct elf_file *elf, const char *path, bool is_written, struct err *err)
{
	*elf = (struct elf_file){ 0 };
	elf->path = text_terminal_copy(path);
	int code = check_path(elf, path, err);
	if (code == 0)
		code = map_bytes(elf, path, is_written, err);
	return code == 0 ? read_headers(elf, err) : code;
}

int elf_file_view(struct elf_file *elf, const char *path, struct err *err)
{
	return map_file(elf, path, false, err);
}

int elf_file_map(struct elf_file *elf, const char *path, struct err *err)
{
	return map_file(elf, path, true, err);
}

void elf_file_release(struct elf_file *elf)
{
	free(elf->path);
	if (elf->is_mapped)
		munmap(elf->bytes.data, elf->bytes.size);
	else
		buf_release(&elf->bytes);
	*elf = (struct elf_file){ 0 };
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

const unsigned char *elf_file_build_id(const struct elf_file *elf, size_t *size_bytes)
{
	uint64_t address;
	const unsigned char *id = elf_file_note(elf, "GNU", NT_GNU_BUILD_ID, size_bytes, &address);
	return id && *size_bytes ? id : NULL;
}

const char *elf_file_loader(const struct elf_file *elf)
{
	for (uint32_t i = 0; i < elf->segment_count; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];
		if (segment->p_type == PT_INTERP && segment->p_offset < elf->bytes.size &&
		    memchr(elf->bytes.data + segment->p_offset, '\0', elf->bytes.size - segment->p_offset))
			return elf->bytes.data + segment->p_offset;
	}
	return NULL;
}

static void section_header(const struct elf_file *elf, uint32_t index, Elf64_Shdr *section)
{
	memcpy(section, elf->bytes.data + elf->header.e_shoff + (uint64_t)index * sizeof *section, sizeof *section);
}

/* A name in a table of names; null when it does not end there. */
static const char *name_in(const struct elf_file *elf, const Elf64_Shdr *names, uint64_t at)
{
	const char *content = (const char *)elf_file_content(elf, names);
	return content && at < names->sh_size && memchr(content + at, '\0', names->sh_size - at) ? content + at : NULL;
}

bool elf_file_section(const struct elf_file *elf, uint32_t index, Elf64_Shdr *section, const char **name)
{
	Elf64_Shdr names;
	if (index >= elf->section_count)
		return false;
	section_header(elf, elf->names, &names);
	section_header(elf, index, section);
	*name = name_in(elf, &names, section->sh_name);
	return *name != NULL;
}

bool elf_file_find_section(const struct elf_file *elf, const char *name, Elf64_Shdr *section)
{
	const char *found;
	for (uint32_t i = 0; elf_file_section(elf, i, section, &found); i++)
		if (strcmp(found, name) == 0)
			return true;
	return false;
}

const unsigned char *elf_file_content(const struct elf_file *elf, const Elf64_Shdr *section)
{
	uint64_t size = elf->bytes.size;
	if (section->sh_type == SHT_NOBITS || section->sh_offset > size || section->sh_size > size - section->sh_offset)
		return NULL;
	return (const unsigned char *)elf->bytes.data + section->sh_offset;
}

bool elf_file_symbol(const struct elf_file *elf, const Elf64_Shdr *table, uint64_t index, Elf64_Sym *symbol,
		     const char **name)
{
	const unsigned char *content = elf_file_content(elf, table);
	if (!content || index >= table->sh_size / sizeof *symbol)
		return false;
	memcpy(symbol, content + index * sizeof *symbol, sizeof *symbol);
	if (name && table->sh_link < elf->section_count) {
		Elf64_Shdr names;
		section_header(elf, table->sh_link, &names);
		*name = name_in(elf, &names, symbol->st_name);
	} else if (name) {
		*name = NULL;
	}
	return true;
}

char *elf_file_writable(struct elf_file *elf, const unsigned char *at)
{
	size_t offset = (size_t)(at - (const unsigned char *)elf->bytes.data);
	if (!elf->is_mapped || offset >= elf->bytes.size)
		BUG("a place to write to that is not in a mapped file");
	return elf->bytes.data + offset;
}

void elf_file_set_section(struct elf_file *elf, uint32_t index, const Elf64_Shdr *section)
{
	if (!elf->is_mapped || index >= elf->section_count)
		BUG("no section %u of a mapped file", index);
	memcpy(elf->bytes.data + elf->header.e_shoff + (uint64_t)index * sizeof *section, section, sizeof *section);
}
