/*
 * vector.h: the registers of the extended state across a switch: x87, SSE, AVX and AVX-512. The processor's own
 * instructions for all of it (xsave, xrstor) take longer than the rest of a switch together, so this saves each part that
 * is in use by plain stores.
 */
#ifndef WORLD_VECTOR_H
#define WORLD_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* As xsave has it. */
struct x87 {
	uint16_t control, status;
	uint8_t tags; /* a bit for each register that is not empty */
	unsigned char others[507];
	unsigned char header[64];
} __attribute__((aligned(64)));

/* Of a thread that does not run. */
struct vector_state {
	unsigned char lower[16][64]; /* of each register 16, 32 or 64 bytes, as parts says */
	unsigned char upper[16][64];
	uint64_t masks[8];
	struct x87 x87;
	uint32_t parts; /* those that were in use */
} __attribute__((aligned(64)));

/* Whether the functions below can be used here. parts: those that the system has switched on. Once, before any other. */
bool vector_start(uint32_t parts);

void vector_save(struct vector_state *state);

/* The same, back into the registers; what was not in use is as it was at the beginning of the process. */
void vector_load(const struct vector_state *state);

#endif
