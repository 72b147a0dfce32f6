/* pool.h: an allocator of small blocks for detection, whose sizes are powers of two. */
#ifndef DETECT_POOL_H
#define DETECT_POOL_H

#include <stddef.h>
#include <stdint.h>

/* size_bytes is rounded up to a power of two, at least 16. The contents are undefined. Ends the run if there is
 * no memory: detection that forgot something would be wrong. */
void *pool_take(size_t size_bytes);

/* A block of larger_bytes that begins with the contents of a block of size_bytes, which is returned. Null: there is no block yet. */
void *pool_grow(void *piece, size_t size_bytes, size_t larger_bytes);

/* Returns a block of pool_take, with the same size. */
void pool_give(void *piece, size_t size_bytes);

#endif
