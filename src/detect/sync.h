/*
 * sync.h: synchronisation objects, by address, and what was released to each. An object is known from its first release
 * until its memory is reused.
 *
 * Atomic objects may overlap: what is released through a part of a word is acquired through the whole. Both
 * are then marked, and acquiring one looks for all of them.
 */
#ifndef DETECT_SYNC_H
#define DETECT_SYNC_H

#include <stddef.h>

#include "detect/vector.h"

/* Threads that wait at a barrier together. */
struct round {
	struct vector all; /* everything seen by the threads that have reached it */
	uint32_t reached, left;
};

struct sync {
	const volatile void *object;
	struct vector released; /* what an acquiring thread sees */
	struct vector more;     /* released by owners that shared it; for a thread that ended: see order_end */
	/* Atomics: numbers of the threads whose stores continue release sequences, the first one and, by slot, others. */
	uint32_t head;
	struct vector heads;
	bool is_overlapping;
	bool is_mixed;      /* accessed with several sizes: a store need not replace all of it */
	uint8_t size_bytes; /* of an atomic object, the largest; else 0 */
	uint32_t expected;  /* at a barrier */
	struct round *round;
};

/* Maps what it needs. Returns 0 or a negative errno. */
int sync_start(void);

/* Null if nothing was released there. The result is valid until the next object is added or forgotten. */
struct sync *sync_find(const volatile void *object);
struct sync *sync_need(const volatile void *object);
/* The same for an atomic object: size_bytes up to 16, or 0 when it does not matter. */
struct sync *sync_need_atomic(const volatile void *object, size_t size_bytes);

/* Calls each for all objects that the bytes are part of. */
void sync_each(const volatile void *start, size_t size_bytes, void (*each)(const struct sync *sync, void *data),
	       void *data);

void sync_forget(const volatile void *object);
/* Forgets all objects that begin in these bytes. */
void sync_forget_range(uintptr_t start, size_t size_bytes);

#endif
