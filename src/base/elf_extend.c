/*
 * elf_extend.c: see elf_extend.h. Two segments are added behind all others: a writable one, because the loader writes into the dynamic
 * section, with
 *
 *	the table of segments, the dynamic section, the strings of the dynamic section
 *
 * and a read-only one with the note.
 */
#include "base/elf_extend.h"

#include <errno.h>
#include <string.h>

#define PAGE 4096u
#define MAX_IMAGE ((uint64_t)1 << 32) /* bytes of the copy: what the program reserves for zeros is a hole in it */
#define NEW_SEGMENTS 3u               /* two to load, and the note */

struct image {
	const struct elf_file *program;
	const struct elf_extension *extension;
	uint64_t bias;             /* address - place in the file, of the first segment and of what is added */
	uint64_t start;            /* of what is added, in the file */
	uint64_t dynamic, strings; /* in the file */
	uint64_t dynamic_bytes, strings_bytes, writable_bytes;
	uint64_t note, note_bytes;
	Elf64_Phdr segments[ELF_FILE_SEGMENTS + NEW_SEGMENTS];
	uint32_t segment_count;
	struct buf entries, names; /* of the new dynamic section */
};

static uint64_t align(uint64_t number, uint64_t to)
{
	return (number + to - 1) / to * to;
}

static const Elf64_Phdr *find_segment(const struct elf_file *program, uint32_t type)
{
	for (uint32_t i = 0; i < program->segment_count; i++)
		if (program->segments[i].p_type == type)
			return &program->segments[i];
	return NULL;
}

static int not_possible(const struct elf_file *program, const char *why, struct err *err)
{
	return err_set(err, ENOEXEC, "\"%s\" cannot be extended: %s", program->path, why);
}

/* What the new dynamic section has: the new library, then all that the old one had. */
static int read_dynamic(struct image *self, struct err *err)
{
	const struct elf_file *program = self->program;
	const Elf64_Phdr *segment = find_segment(program, PT_DYNAMIC);
	size_t left = 0;
	const unsigned char *at = segment ? elf_file_at(program, segment->p_vaddr, &left) : NULL;
	uint64_t strings = 0, strings_bytes = 0;
	size_t count = at ? (segment->p_filesz < left ? segment->p_filesz : left) / sizeof(Elf64_Dyn) : 0;
	Elf64_Dyn entry = { .d_tag = DT_NEEDED };
	buf_add(&self->entries, &entry, sizeof entry);
	for (size_t i = 0; i < count; i++) {
		memcpy(&entry, at + i * sizeof entry, sizeof entry);
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB)
			strings = entry.d_un.d_ptr;
		if (entry.d_tag == DT_STRSZ)
			strings_bytes = entry.d_un.d_val;
		buf_add(&self->entries, &entry, sizeof entry);
	}
	if (!strings || !strings_bytes)
		return not_possible(program, "it is not linked dynamically", err);
	const unsigned char *names = elf_file_at(program, strings, &left);
	if (!names || left < strings_bytes)
		return elf_file_damaged(program, "the names of its libraries", err);
	buf_add(&self->names, names, strings_bytes);
	buf_add(&self->names, self->extension->library, strlen(self->extension->library) + 1);
	entry = (Elf64_Dyn){ .d_tag = DT_NULL };
	buf_add(&self->entries, &entry, sizeof entry);
	self->dynamic_bytes = self->entries.size;
	self->strings_bytes = self->names.size;
	return 0;
}

static int lay_out(struct image *self, struct err *err)
{
	const struct elf_file *program = self->program;
	uint64_t end = 0;
	bool is_found = false;
	for (uint32_t i = 0; i < program->segment_count; i++) {
		const Elf64_Phdr *segment = &program->segments[i];
		if (segment->p_type != PT_LOAD)
			continue;
		if (!is_found && (segment->p_offset != 0 || segment->p_vaddr % PAGE != 0))
			return not_possible(program, "its first segment does not begin with the file", err);
		if (!is_found)
			self->bias = segment->p_vaddr;
		is_found = true;
		end = segment->p_vaddr + segment->p_memsz > end ? segment->p_vaddr + segment->p_memsz : end;
	}
	if (!is_found || end < self->bias || end - self->bias > MAX_IMAGE || program->bytes.size > MAX_IMAGE)
		return not_possible(program, "it is too large", err);
	self->start = align(end - self->bias, PAGE);
	if (self->start < program->bytes.size)
		self->start = align(program->bytes.size, PAGE);
	self->dynamic = align(self->start + (program->segment_count + NEW_SEGMENTS) * sizeof(Elf64_Phdr), 16);
	self->strings = self->dynamic + self->dynamic_bytes;
	self->writable_bytes = self->strings + self->strings_bytes - self->start;
	self->note = align(self->start + self->writable_bytes, PAGE);
	return 0;
}

static void place(Elf64_Phdr *segment, const struct image *self, uint64_t at, uint64_t size_bytes)
{
	segment->p_offset = at;
	segment->p_vaddr = segment->p_paddr = at + self->bias;
	segment->p_filesz = segment->p_memsz = size_bytes;
}

static void add_segment(struct image *self, uint32_t type, uint32_t flags, uint64_t at, uint64_t size_bytes,
			uint64_t alignment)
{
	Elf64_Phdr *segment = &self->segments[self->segment_count++];
	*segment = (Elf64_Phdr){ .p_type = type, .p_flags = flags, .p_align = alignment };
	place(segment, self, at, size_bytes);
}

/* Segments to load stay in the order of their addresses. */
static void make_segments(struct image *self)
{
	const uint64_t table_bytes = (self->program->segment_count + NEW_SEGMENTS) * sizeof(Elf64_Phdr);
	for (uint32_t i = 0; i < self->program->segment_count; i++) {
		Elf64_Phdr *segment = &self->segments[self->segment_count++];
		*segment = self->program->segments[i];
		if (segment->p_type == PT_PHDR)
			place(segment, self, self->start, table_bytes);
		if (segment->p_type == PT_DYNAMIC)
			place(segment, self, self->dynamic, self->dynamic_bytes);
	}
	add_segment(self, PT_LOAD, PF_R | PF_W, self->start, self->writable_bytes, PAGE);
	add_segment(self, PT_LOAD, PF_R, self->note, self->note_bytes, PAGE);
	add_segment(self, PT_NOTE, PF_R, self->note, self->note_bytes, 4);
}

static void set_strings(struct image *self)
{
	for (size_t i = 0; i < self->entries.size / sizeof(Elf64_Dyn); i++) {
		Elf64_Dyn *entry = (Elf64_Dyn *)self->entries.data + i;
		if (i == 0)
			entry->d_un.d_val = self->strings_bytes - strlen(self->extension->library) - 1;
		else if (entry->d_tag == DT_STRTAB)
			entry->d_un.d_ptr = self->strings + self->bias;
		else if (entry->d_tag == DT_STRSZ)
			entry->d_un.d_val = self->strings_bytes;
	}
}

/* For debuggers and for tools that read sections. */
static void move_section(const struct image *self, struct buf *out, const Elf64_Shdr *section, uint32_t index,
			 uint64_t at, uint64_t size_bytes)
{
	Elf64_Shdr moved = *section;
	moved.sh_offset = at;
	moved.sh_addr = at + self->bias;
	moved.sh_size = size_bytes;
	memcpy(out->data + self->program->header.e_shoff + (uint64_t)index * sizeof moved, &moved, sizeof moved);
}

static void move_sections(const struct image *self, struct buf *out)
{
	Elf64_Shdr section, strings;
	const char *name;
	for (uint32_t i = 0; elf_file_section(self->program, i, &section, &name); i++) {
		if (section.sh_type != SHT_DYNAMIC)
			continue;
		move_section(self, out, &section, i, self->dynamic, self->dynamic_bytes);
		if (elf_file_section(self->program, section.sh_link, &strings, &name))
			move_section(self, out, &strings, section.sh_link, self->strings, self->strings_bytes);
		return;
	}
}

static void fill(struct buf *out, size_t size)
{
	static const char zeros[PAGE];
	while (out->size < size) {
		const size_t left = size - out->size;
		buf_add(out, zeros, left < sizeof zeros ? left : sizeof zeros);
	}
}

static void write_note(const struct image *self, struct buf *out)
{
	const struct elf_extension *extension = self->extension;
	const size_t owner_bytes = strlen(extension->owner) + 1;
	const Elf64_Nhdr head = { (uint32_t)owner_bytes, (uint32_t)extension->descriptor.size, extension->type };
	const size_t begin = out->size;
	buf_add(out, &head, sizeof head);
	buf_add(out, extension->owner, owner_bytes);
	fill(out, begin + align(sizeof head + owner_bytes, 4));
	buf_add(out, extension->descriptor.data, extension->descriptor.size);
	fill(out, begin + align(out->size - begin, 4));
}

int elf_extend(struct buf *out, const struct elf_file *program, const struct elf_extension *extension, struct err *err)
{
	struct image self = { .program = program, .extension = extension };
	struct buf note = { 0 };
	size_t size;
	uint64_t address;
	int code = 0;
	if (elf_file_note(program, extension->owner, extension->type, &size, &address))
		code = not_possible(program, "it carries such data already", err);
	if (code == 0 && program->segment_count + NEW_SEGMENTS > ELF_FILE_SEGMENTS)
		code = not_possible(program, "it has too many segments", err);
	if (code == 0)
		code = read_dynamic(&self, err);
	if (code == 0)
		code = lay_out(&self, err);
	if (code == 0) {
		write_note(&self, &note);
		self.note_bytes = note.size;
		make_segments(&self);
		set_strings(&self);
		Elf64_Ehdr header = program->header;
		header.e_phoff = self.start;
		header.e_phnum = (uint16_t)self.segment_count;
		const size_t begin = out->size;
		buf_add(out, program->bytes.data, program->bytes.size);
		memcpy(out->data + begin, &header, sizeof header);
		fill(out, begin + self.start);
		buf_add(out, self.segments, self.segment_count * sizeof *self.segments);
		fill(out, begin + self.dynamic);
		buf_add(out, self.entries.data, self.entries.size);
		buf_add(out, self.names.data, self.names.size);
		fill(out, begin + self.note);
		buf_add(out, note.data, note.size);
		move_sections(&self, out);
	}
	buf_release(&note);
	buf_release(&self.entries);
	buf_release(&self.names);
	return code;
}
