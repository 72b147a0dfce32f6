/*
 * maker.h: who makes a block of the heap writes all of it: a thread that comes to the block without being ordered behind that
 * may find what was there before. The shadow has no words for it: a block may be large, and most of them are written by
 * their maker before anybody else sees them. The heap keeps slot and clock of the maker, and the first access to bytes of the
 * block that nobody accessed before is compared with them. What was accessed before is not: that stands in the shadow.
 *
 * Only blocks count that woven code asks for, itself or by the C or C++ library. Other libraries may hand their blocks
 * from thread to thread by means that are not seen.
 */
#ifndef DETECT_MAKER_H
#define DETECT_MAKER_H

#include "detect/order.h"
#include "rt/block.h"

struct object;

/* A woven object is there: what its code asks for counts. */
void maker_add_object(const struct object *object);

/* Whether the block was made by what is ordered before the current thread, or that is not known. */
static inline bool maker_is_before(struct heap_maker maker)
{
	return !maker.time || order_is_before(maker.time);
}

#endif
