/*
 * maker.h: the thread that makes a heap block counts as writing all of it: a thread that accesses the block without
 * being ordered after that may see the old contents. The shadow has no words for this write: a block may be large, and
 * most blocks are written by their maker before any other thread sees them. Instead the heap keeps the maker's slot and
 * clock, and the first access to bytes of the block that no thread accessed before is compared with them. Bytes that
 * were accessed before are not: the shadow has them.
 *
 * Only blocks that woven code asks for count, whether directly or through the C or C++ library. Other libraries may
 * pass their blocks between threads in ways that are not seen.
 */
#ifndef DETECT_MAKER_H
#define DETECT_MAKER_H

#include "detect/order.h"
#include "rt/block.h"

struct object;

/* A woven object was loaded: blocks that its code asks for count. */
void maker_add_object(const struct object *object);

/* Whether the making of the block is ordered before the current thread, or its maker is not known. */
static inline bool maker_is_before(struct heap_maker maker)
{
	return !maker.time || order_is_before(maker.time);
}

#endif
