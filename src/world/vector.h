/*
 * vector.h: the registers of the extended state across a switch: x87, SSE, AVX and AVX-512. The processor's own
 * instructions for all of it (xsave, xrstor) take longer than the rest of a switch together, so this saves each part
 * that is in use by plain stores.
 */
#ifndef WORLD_VECTOR_H
#define WORLD_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* In the layout of xsave. */
struct x87 {
	uint16_t control, status;
	uint8_t tags; /* a bit for each register that is not empty */
	unsigned char others[507];
	unsigned char header[64];
} __attribute__((aligned(64)));

/* The state of a thread that does not run. */
struct vector_state {
	unsigned char lower[16][64]; /* of each register 16, 32 or 64 bytes, as parts says */
	unsigned char upper[16][64];
	uint64_t masks[8];
	struct x87 x87;
	uint32_t parts; /* those that were in use */
} __attribute__((aligned(64)));

/* Returns whether the functions below can be used on this processor. parts: the parts of the state that the system has
 * enabled. Call it once, before the others. */
bool vector_start(uint32_t parts);

void vector_save(struct vector_state *state);

/* Loads the state back into the registers. Parts that were not in use get the state that they had when the process
 * began. */
void vector_load(const struct vector_state *state);

#endif
