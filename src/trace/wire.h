/*
 * wire.h: numbers and strings in the sections of a trace. A number is 8 bytes, least significant first; a string or a
 * block is its size and its bytes. Reading never goes beyond the end: the first error is kept, and everything read
 * after it is 0 or empty, so callers check once, at the end.
 */
#ifndef TRACE_WIRE_H
#define TRACE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"

void wire_add_number(struct buf *out, uint64_t number);
void wire_add_block(struct buf *out, const void *data, size_t size_bytes);
void wire_add_string(struct buf *out, const char *string);
void wire_add_strings(struct buf *out, const struct strings *list);

struct wire {
	const unsigned char *at, *end;
	bool is_bad;
};

struct wire wire_from(const struct buf *bytes);
uint64_t wire_number(struct wire *wire);

/* As wire_number; too large for 32 bits is a fault. */
uint32_t wire_number32(struct wire *wire);

/* A pointer into the bytes. */
const void *wire_block(struct wire *wire, size_t *size_bytes);

/* A copy; a 0 byte within is a fault. Never null; caller frees. */
char *wire_string(struct wire *wire);
void wire_strings(struct wire *wire, struct strings *list);

/* Whether everything was read without an error. */
bool wire_is_done(const struct wire *wire);

#endif
