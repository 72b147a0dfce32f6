/*
 * stub.h: the calls by which clones announce plain accesses (heddle/abi.h, "Stubs"), as machine code: reads them, and writes the code
 * that a mode redirects them to.
 */
#ifndef RT_STUB_H
#define RT_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/object.h"

#define STUB_CALL_BYTES 5u
#define STUB_CALL_OPCODE 0xe8u
#define STUB_JUMP_BYTES 5u
#define STUB_JUMP_OPCODE "\xe9"
#define STUB_NOTHING "\x0f\x1f\x44\x00\x00" /* nopl of STUB_CALL_BYTES */
#define STUB_FAR_BYTES 10u                  /* movabs $address, %r11 */
#define STUB_FAR_OPCODE "\x49\xbb"

#define STUB_FIXED 16u

/* What a stub says of the calls to it: the register that it moves to r11, or STUB_FIXED, and the number of its hook. */
struct stub {
	unsigned base, hook;
};

/* Whether there is such a call before the address. */
bool stub_is_call(const struct object *object, const char *after);
/* Where the call that returns to after leads. */
const uint8_t *stub_target(const char *after);
/* Whether there is a stub of the object, with a hook of plain accesses. */
bool stub_read(const struct object *object, const uint8_t *at, struct stub *stub);

/* Each writes to `to` and returns the end of what it wrote. */
uint8_t *stub_put(uint8_t *to, const void *bytes, size_t size_bytes);
/* A 32-bit distance from its own end; null: the target is too far. */
uint8_t *stub_put_distance(uint8_t *to, const void *target);
/* Code that puts the address of the access into r11: at most STUB_FAR_BYTES. */
uint8_t *stub_put_address(uint8_t *to, unsigned base, const struct heddle_call *call);

/* The distance there. */
int32_t stub_distance(const uint8_t *from);

/* Makes the pages from start to end writable and, where a policy allows both at once, still executable (this code is elsewhere); or
 * executable only. Returns 0 or a negative errno. */
int stub_protect(const char *start, const char *end, bool is_writable);

#endif
