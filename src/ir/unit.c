/* unit.c: see unit.h. */
#include "ir/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/hash.h"

static const char unit_magic[8] = { 'H', 'E', 'D', 'D', 'L', 'E', 'I', 'R' };

/* On disk. Little-endian, as x86-64 is. */
struct header {
	char magic[8];
	uint32_t version;
	uint32_t flags;
	uint64_t size_bytes; /* header, names, IR and padding */
	uint8_t id[16];      /* hash of names and IR as they were before compression */
	uint32_t opt_level;
	uint32_t names_bytes;
	uint64_t packed_bytes;
	uint64_t ir_bytes;
	uint64_t lines_bytes; /* after the IR, and packed together with it */
	uint8_t checksum[16]; /* of everything, with this field zero */
};

/* Bitcode of one source file; more than this is not a program but an attack or a fault. */
enum { LARGEST_IR_BYTES = 1 << 30 };

static void checksum_of(const struct header *header, const char *names, const char *packed, uint8_t checksum[16])
{
	struct header copy = *header;
	struct hash hash;
	memset(copy.checksum, 0, sizeof copy.checksum);
	hash_init(&hash);
	hash_add(&hash, &copy, sizeof copy);
	hash_add(&hash, names, header->names_bytes);
	hash_add(&hash, packed, header->packed_bytes);
	hash_end(&hash, checksum);
}

void unit_tag(const struct unit *unit, char tag[17])
{
	for (int i = 0; i < 8; i++)
		snprintf(tag + 2 * i, 3, "%02x", unit->id[i]);
}

static void add_names(struct buf *names, char kind, const struct strings *list)
{
	for (size_t i = 0; i < list->count; i++) {
		buf_add(names, &kind, 1);
		buf_add(names, list->items[i], strlen(list->items[i]) + 1);
	}
}

int unit_encode(struct unit *unit, struct buf *out, struct err *err)
{
	struct buf names = { 0 };
	buf_add(&names, "s", 1);
	buf_add(&names, unit->source, strlen(unit->source) + 1);
	add_names(&names, 'f', &unit->shared);
	add_names(&names, 't', &unit->escaping_tls);

	struct buf plain = { 0 };
	buf_add(&plain, unit->ir.data, unit->ir.size);
	buf_add(&plain, unit->lines.data, unit->lines.size);
	size_t room = ZSTD_compressBound(plain.size);
	char *packed = mem_alloc(room);
	size_t packed_size = ZSTD_compress(packed, room, plain.data, plain.size, 3);
	buf_release(&plain);
	if (ZSTD_isError(packed_size)) {
		free(packed);
		buf_release(&names);
		return err_set(err, EIO, "cannot compress the IR of \"%s\": %s", unit->source,
			       ZSTD_getErrorName(packed_size));
	}
	struct hash hash;
	hash_init(&hash);
	hash_add(&hash, names.data, names.size);
	hash_add(&hash, unit->ir.data, unit->ir.size);
	hash_end(&hash, unit->id);

	struct header header = { .version = UNIT_VERSION, .flags = unit->flags, .opt_level = unit->opt_level };
	memcpy(header.magic, unit_magic, sizeof unit_magic);
	memcpy(header.id, unit->id, sizeof header.id);
	header.names_bytes = (uint32_t)names.size;
	header.packed_bytes = packed_size;
	header.ir_bytes = unit->ir.size;
	header.lines_bytes = unit->lines.size;
	size_t padding = -(sizeof header + names.size + packed_size) & 7;
	header.size_bytes = sizeof header + names.size + packed_size + padding;
	checksum_of(&header, names.data, packed, header.checksum);

	buf_add(out, &header, sizeof header);
	buf_add(out, names.data, names.size);
	buf_add(out, packed, packed_size);
	buf_add(out, "\0\0\0\0\0\0\0", padding);
	buf_release(&names);
	free(packed);
	return 0;
}

static int read_names(struct unit *unit, const char *names, size_t size, struct err *err)
{
	while (size) {
		size_t length = strnlen(names, size);
		if (length < 1 || length == size)
			return err_set(err, EINVAL, "corrupt names");
		const char *name = names + 1;
		if (names[0] == 's' && !unit->source)
			unit->source = mem_copy_string(name);
		else if (names[0] == 'f')
			strings_add(&unit->shared, name);
		else if (names[0] == 't')
			strings_add(&unit->escaping_tls, name);
		else
			return err_set(err, EINVAL, "corrupt names");
		names += length + 1;
		size -= length + 1;
	}
	return unit->source ? 0 : err_set(err, EINVAL, "corrupt names");
}

int unit_decode(const char *data, size_t size_bytes, size_t *at, struct unit *unit, struct err *err)
{
	/* Linkers pad to the section's alignment between two units. */
	for (int padding = 0; padding < 7 && *at < size_bytes && data[*at] == 0; padding++)
		(*at)++;
	if (*at == size_bytes)
		return 0;
	struct header header;
	size_t left = size_bytes - *at;
	if (left < sizeof header || memcmp(data + *at, unit_magic, sizeof unit_magic) != 0)
		return err_set(err, EINVAL, "it is truncated or corrupt");
	memcpy(&header, data + *at, sizeof header);
	if (header.version != UNIT_VERSION)
		return err_set(err, EPROTO,
			       "it was compiled by another version of Heddle (format %u, this one reads %u)",
			       header.version, UNIT_VERSION);
	const char *names = data + *at + sizeof header;
	const char *packed = names + header.names_bytes;
	if (header.size_bytes > left || header.names_bytes > left || header.packed_bytes > left ||
	    sizeof header + (uint64_t)header.names_bytes + header.packed_bytes > header.size_bytes ||
	    header.ir_bytes > LARGEST_IR_BYTES || header.lines_bytes > LARGEST_IR_BYTES)
		return err_set(err, EINVAL, "it is truncated or corrupt");
	uint8_t checksum[16];
	checksum_of(&header, names, packed, checksum);
	if (memcmp(checksum, header.checksum, sizeof checksum) != 0)
		return err_set(err, EINVAL, "it is corrupt (wrong checksum)");
	memcpy(unit->id, header.id, sizeof unit->id);
	unit->flags = header.flags;
	unit->opt_level = header.opt_level;
	int code = read_names(unit, names, header.names_bytes, err);
	if (code)
		return code;
	size_t wanted = header.ir_bytes + header.lines_bytes;
	char *plain = mem_alloc(wanted);
	size_t got = ZSTD_decompress(plain, wanted, packed, header.packed_bytes);
	if (!ZSTD_isError(got) && got == wanted) {
		buf_add(&unit->ir, plain, header.ir_bytes);
		buf_add(&unit->lines, plain + header.ir_bytes, header.lines_bytes);
	}
	free(plain);
	if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		return err_set(err, ENOMEM, "not enough memory to unpack its IR");
	if (unit->ir.size != header.ir_bytes)
		return err_set(err, EINVAL, "it is corrupt (the IR cannot be unpacked)");
	*at += header.size_bytes;
	return 1;
}

void unit_release(struct unit *unit)
{
	free(unit->source);
	strings_release(&unit->shared);
	strings_release(&unit->escaping_tls);
	buf_release(&unit->ir);
	buf_release(&unit->lines);
	*unit = (struct unit){ 0 };
}
