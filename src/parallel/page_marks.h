/*
 * page_marks.h: marks the pages of the program in which something was recorded, so that freeing other memory costs next
 * to nothing. The marks are a table of bytes, indexed by the number of the page modulo the size of the table. A page
 * that shares its byte with another one may be searched in vain, which is harmless. Any thread may set and read marks
 * at any time. A record that another thread makes while the memory is being freed may be missed, as if the free had
 * come a moment earlier.
 */
#ifndef PARALLEL_PAGE_MARKS_H
#define PARALLEL_PAGE_MARKS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/guard.h"
#include "rt/sys.h"

struct page_marks {
	uint8_t *marks;
	size_t count;
};

/* Makes a table of count marks; count must be a power of two. Returns 0 or -ENOMEM. */
static inline int page_marks_start(struct page_marks *self, size_t count)
{
	long at = sys_mmap(count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(at))
		return -ENOMEM;
	*self = (struct page_marks){ (uint8_t *)at, count };
	return 0;
}

static inline uint8_t *page_marks_of(const struct page_marks *self, uintptr_t address)
{
	return &self->marks[(address >> 12) & (self->count - 1)];
}

/* Calls forget for each cell of the memory that lies in a marked page, with the address of the cell and the given
 * thread. */
static inline void page_marks_forget(const struct page_marks *self, uintptr_t start, size_t size_bytes,
				     void (*forget)(uintptr_t address, uint32_t thread), uint32_t thread)
{
	for (uintptr_t at = start & -(uintptr_t)HEDDLE_CELL_BYTES, end = start + size_bytes; at < end;) {
		uintptr_t page_end = (at | 0xfff) + 1;
		if (!*page_marks_of(self, at)) {
			at = page_end;
			continue;
		}
		for (; at < end && at < page_end; at += HEDDLE_CELL_BYTES)
			forget(at, thread);
	}
}

#endif
