/* pool.h: small pieces of memory for detection, of sizes that are powers of two. */
#ifndef DETECT_POOL_H
#define DETECT_POOL_H

#include <stddef.h>
#include <stdint.h>

/* size_bytes is rounded up to a power of two, at least 16. The contents are anything. Ends the run when there is no
 * memory: detection that forgets would be wrong. */
void *pool_take(size_t size_bytes);

/* Gives back what pool_take gave for the same size. */
void pool_give(void *piece, size_t size_bytes);

#endif
