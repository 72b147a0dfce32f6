/* wire.c: see wire.h. */
#include "trace/wire.h"

#include <stdlib.h>
#include <string.h>

void wire_add_number(struct buf *out, uint64_t number)
{
	unsigned char bytes[8];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	buf_add(out, bytes, sizeof bytes);
}

void wire_add_block(struct buf *out, const void *data, size_t size_bytes)
{
	wire_add_number(out, size_bytes);
	buf_add(out, data, size_bytes);
}

void wire_add_string(struct buf *out, const char *string)
{
	wire_add_block(out, string ? string : "", string ? strlen(string) : 0);
}

void wire_add_strings(struct buf *out, const struct strings *list)
{
	wire_add_number(out, list->count);
	for (size_t i = 0; i < list->count; i++)
		wire_add_string(out, list->items[i]);
}

struct wire wire_from(const struct buf *bytes)
{
	const unsigned char *start = (const unsigned char *)(bytes->data ? bytes->data : "");
	return (struct wire){ .at = start, .end = start + bytes->size };
}

uint64_t wire_number(struct wire *wire)
{
	uint64_t number = 0;
	if (wire->is_bad || wire->end - wire->at < 8) {
		wire->is_bad = true;
		return 0;
	}
	for (size_t i = 0; i < 8; i++)
		number |= (uint64_t)wire->at[i] << (8 * i);
	wire->at += 8;
	return number;
}

uint32_t wire_number32(struct wire *wire)
{
	uint64_t number = wire_number(wire);
	if (number > UINT32_MAX) {
		wire->is_bad = true;
		return 0;
	}
	return (uint32_t)number;
}

const void *wire_block(struct wire *wire, size_t *size_bytes)
{
	uint64_t size = wire_number(wire);
	const void *block = wire->at;
	if (wire->is_bad || size > (uint64_t)(wire->end - wire->at)) {
		wire->is_bad = true;
		size = 0;
	}
	wire->at += size;
	*size_bytes = (size_t)size;
	return block;
}

char *wire_string(struct wire *wire)
{
	size_t size;
	const void *block = wire_block(wire, &size);
	if (memchr(block, '\0', size)) {
		wire->is_bad = true;
		size = 0;
	}
	char *string = mem_alloc(size + 1);
	memcpy(string, block, size);
	return string;
}

void wire_strings(struct wire *wire, struct strings *list)
{
	/* Each string takes 8 bytes at least, so a false count ends at the end of the bytes. */
	for (uint64_t count = wire_number(wire); count && !wire->is_bad; count--) {
		char *string = wire_string(wire);
		strings_add(list, string);
		free(string);
	}
}

bool wire_is_done(const struct wire *wire)
{
	return !wire->is_bad && wire->at == wire->end;
}
