/* near.h: memory within a 32-bit displacement of an object's code. */
#ifndef RT_ENTER_NEAR_H
#define RT_ENTER_NEAR_H

#include <stddef.h>
#include <stdint.h>

/* Maps size_bytes, readable and writable, in the nearest gap below the addresses from start to end, or else in the one above.
 * Where that is depends on the mappings only. Null: there is no room. */
void *near_take(uintptr_t start, uintptr_t end, size_t size_bytes);

#endif
