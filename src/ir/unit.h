/*
 * unit.h: a unit is one translation unit as heddle-cc keeps it: the optimised IR that its native code was made from,
 * with what the weave must know before it parses the IR. Units live in the section HEDDLE_SECTION_UNITS of object files, one
 * after the other when the linker has concatenated them. The section is not allocated, so it is not part of the
 * running program, and strip(1) removes it together with debug information (GNU tools go by the prefix ".line").
 *
 * The format is Heddle's own and holds for one version of Heddle: an object of another version is refused. Every unit
 * carries a checksum, and nothing read from one is trusted before it has been checked.
 */
#ifndef IR_UNIT_H
#define IR_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

#define UNIT_VERSION 2u

enum unit_flag {
	UNIT_DEBUG = 1u << 0, /* the user asked for debug information, so the clones get it too */
	UNIT_CLOSED =
		1u << 1, /* -fno-semantic-interposition: calls of what the unit exports mean its own definitions */
};

struct unit {
	uint8_t id[16];
	uint32_t flags;     /* enum unit_flag */
	uint32_t opt_level; /* of code generation: 0 to 3 */
	char *source;       /* name of the main source file, for messages */
	/* Functions that several units may define and of which the linker keeps one (C++ inline functions, templates). */
	struct strings shared;
	/* Thread-local variables, not static, whose address escapes in this unit. */
	struct strings escaping_tls;
	struct buf ir;    /* bitcode */
	struct buf lines; /* of its sources: see lines.h */
};

/* The id in the form used in symbol names: 16 hexadecimal digits. */
void unit_tag(const struct unit *unit, char tag[17]);

/* Appends the encoded unit to out; its size is a multiple of 8. Computes unit->id. Returns 0 or -errno with err. */
int unit_encode(struct unit *unit, struct buf *out, struct err *err);

/*
 * Reads the unit at data[*at], moves *at past it, and fills *unit (start it with { 0 }). Returns 1 when a unit was
 * read, 0 when there is none left, or -errno with err set: corrupt, truncated, or of another version.
 */
int unit_decode(const char *data, size_t size_bytes, size_t *at, struct unit *unit, struct err *err);

void unit_release(struct unit *unit);

#endif
