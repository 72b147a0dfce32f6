/*
 * frames.c: see frames.h. The format: Linux Standard Base Core 5.0, 10.6 (.eh_frame); the table of landing pads: the
 * Itanium C++ ABI, Exception Handling Tables.
 */
#include "launch/frames.h"

#include <string.h>

/* Bytes of the file at their address. A read past the end sets is_bad and gives 0. */
struct reader {
	const unsigned char *at, *end;
	uint64_t address; /* of at */
	bool is_bad;
};

enum {
	ENCODING_ABSOLUTE = 0x00,
	ENCODING_ULEB = 0x01,
	ENCODING_U2 = 0x02,
	ENCODING_U4 = 0x03,
	ENCODING_U8 = 0x04,
	ENCODING_SLEB = 0x09,
	ENCODING_S2 = 0x0a,
	ENCODING_S4 = 0x0b,
	ENCODING_S8 = 0x0c,
	ENCODING_FORMAT = 0x0f,
	ENCODING_RELATIVE = 0x10, /* to where the value stands */
	ENCODING_BASE = 0x70,
	ENCODING_NONE = 0xff,
};

static uint64_t read_bytes(struct reader *reader, unsigned count)
{
	uint64_t value = 0;
	if ((size_t)(reader->end - reader->at) < count) {
		reader->is_bad = true;
		return 0;
	}
	memcpy(&value, reader->at, count);
	reader->at += count;
	reader->address += count;
	return value;
}

static uint64_t read_leb(struct reader *reader, bool is_signed)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = read_bytes(reader, 1);
		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			if (is_signed && (byte & 0x40) && shift + 7 < 64)
				value |= ~0ul << (shift + 7);
			return value;
		}
	}
	reader->is_bad = true;
	return 0;
}

static uint64_t read_format(struct reader *reader, unsigned format)
{
	switch (format) {
	case ENCODING_ABSOLUTE:
	case ENCODING_U8:
	case ENCODING_S8:
		return read_bytes(reader, 8);
	case ENCODING_U2:
		return read_bytes(reader, 2);
	case ENCODING_U4:
		return read_bytes(reader, 4);
	case ENCODING_S2:
		return (uint64_t)(int64_t)(int16_t)read_bytes(reader, 2);
	case ENCODING_S4:
		return (uint64_t)(int64_t)(int32_t)read_bytes(reader, 4);
	case ENCODING_ULEB:
		return read_leb(reader, false);
	case ENCODING_SLEB:
		return read_leb(reader, true);
	default:
		reader->is_bad = true;
		return 0;
	}
}

/* A pointer; 0 stays 0, which means none. */
static uint64_t read_encoded(struct reader *reader, unsigned encoding)
{
	uint64_t here = reader->address, value = read_format(reader, encoding & ENCODING_FORMAT);
	if ((encoding & ENCODING_BASE) == ENCODING_RELATIVE)
		return value ? here + value : 0;
	if (encoding & ENCODING_BASE)
		reader->is_bad = true;
	return value;
}

static struct reader reader_at(const struct elf_file *elf, uint64_t address)
{
	size_t left = 0;
	const unsigned char *at = elf_file_at(elf, address, &left);
	return (struct reader){ at, at ? at + left : at, address, !at };
}

/* What the common part says about the format of its functions' parts. */
struct common {
	unsigned pointers, tables;
	bool has_size, is_signal;
};

static bool read_common(struct reader reader, struct common *common)
{
	*common = (struct common){ ENCODING_ABSOLUTE, ENCODING_NONE, false, false };
	uint64_t version = read_bytes(&reader, 1);
	const char *letters = (const char *)reader.at;
	size_t size = strnlen(letters, (size_t)(reader.end - reader.at));
	if (reader.at + size >= reader.end)
		return false;
	reader.at += size + 1;
	reader.address += size + 1;
	read_leb(&reader, false);
	read_leb(&reader, true);
	if (version == 1)
		read_bytes(&reader, 1);
	else
		read_leb(&reader, false);
	for (; *letters; letters++) {
		if (*letters == 'z') {
			common->has_size = true;
			read_leb(&reader, false);
		} else if (*letters == 'R') {
			common->pointers = (unsigned)read_bytes(&reader, 1);
		} else if (*letters == 'L') {
			common->tables = (unsigned)read_bytes(&reader, 1);
		} else if (*letters == 'P') {
			unsigned encoding = (unsigned)read_bytes(&reader, 1);
			read_format(&reader, encoding & ENCODING_FORMAT);
		} else if (*letters == 'S') {
			common->is_signal = true;
		} else {
			return false;
		}
	}
	return !reader.is_bad;
}

static void visit_landings(const struct elf_file *elf, uint64_t table, uint64_t function,
			   const struct frames_visitor *visitor)
{
	struct reader reader = reader_at(elf, table);
	unsigned encoding = (unsigned)read_bytes(&reader, 1);
	uint64_t base = encoding == ENCODING_NONE ? function : read_encoded(&reader, encoding);
	if (read_bytes(&reader, 1) != ENCODING_NONE)
		read_leb(&reader, false);
	encoding = (unsigned)read_bytes(&reader, 1);
	uint64_t size = read_leb(&reader, false);
	if (reader.is_bad || size > (size_t)(reader.end - reader.at))
		return;
	reader.end = reader.at + size;
	while (reader.at < reader.end) {
		read_encoded(&reader, encoding);
		read_encoded(&reader, encoding);
		uint64_t landing = read_encoded(&reader, encoding);
		read_leb(&reader, false);
		if (reader.is_bad)
			return;
		if (landing)
			visitor->landing(visitor->data, base + landing);
	}
}

static void visit_function(const struct elf_file *elf, struct reader reader, const struct common *common,
			   const struct frames_visitor *visitor)
{
	struct frames_range range = { .is_signal = common->is_signal };
	range.start = read_encoded(&reader, common->pointers);
	range.end = range.start + read_format(&reader, common->pointers & ENCODING_FORMAT);
	if (reader.is_bad || range.end <= range.start)
		return;
	visitor->range(visitor->data, &range);
	if (!common->has_size || common->tables == ENCODING_NONE)
		return;
	read_leb(&reader, false);
	uint64_t table = read_encoded(&reader, common->tables);
	if (!reader.is_bad && table)
		visit_landings(elf, table, range.start, visitor);
}

void frames_visit(const struct elf_file *elf, const struct frames_visitor *visitor)
{
	Elf64_Shdr section;
	if (!elf_file_find_section(elf, ".eh_frame", &section) || !(section.sh_flags & SHF_ALLOC))
		return;
	struct reader reader = reader_at(elf, section.sh_addr);
	if (reader.is_bad)
		return;
	if (section.sh_size < (size_t)(reader.end - reader.at))
		reader.end = reader.at + section.sh_size;
	const unsigned char *start = reader.at;
	while (reader.end - reader.at >= 4) {
		uint64_t size = read_bytes(&reader, 4);
		/* 0 ends the list; no toolchain writes the 64-bit form. */
		if (size < 4 || size > (size_t)(reader.end - reader.at))
			return;
		struct reader entry = reader;
		entry.end = entry.at + size;
		reader.at += size;
		reader.address += size;
		size_t place = (size_t)(entry.at - start);
		uint64_t back = read_bytes(&entry, 4);
		if (back == 0 || back > place || place - back + 8 > (size_t)(reader.end - start))
			continue;
		struct reader parent = { start + (place - back) + 8, reader.end, section.sh_addr + (place - back) + 8,
					 false };
		struct common common;
		if (read_common(parent, &common))
			visit_function(elf, entry, &common, visitor);
	}
}
