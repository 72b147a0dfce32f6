/*
 * page_marks.h: which pages of the program something was recorded in, so that the end of memory that nobody recorded costs nothing. A table of
 * bytes, by the number of the page modulo its size: a page that shares its byte with another one is looked at in vain, which is harmless.
 * Any thread may mark and look at any time; what another thread records at the same time in memory that ends may be missed, as by a free that comes
 * a moment earlier.
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

/* count: of the marks, a power of two. Returns 0 or -ENOMEM. */
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

/* Calls forget with the address of each cell of the memory that is in a marked page, and with the thread that ends it. */
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
