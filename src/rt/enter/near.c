/* near.c: see near.h. */
#include "rt/enter/near.h"

#include "rt/maps.h"
#include "rt/sys.h"

#define PAGE 4096ul
#define REACH 0x7fff0000l /* of a jump */

struct search {
	uintptr_t start, end, previous_end;
	size_t wanted;
	uintptr_t below, above; /* where it fits: the nearest on each side; 0: nowhere */
};

static void note_gap(void *data, const struct maps_entry *entry)
{
	struct search *search = data;
	uintptr_t start = search->previous_end, end = entry->start;
	search->previous_end = entry->end;
	if (end <= start || end - start < search->wanted)
		return;
	if (end <= search->start && (long)(search->end - (end - search->wanted)) < REACH)
		search->below = end - search->wanted;
	/* The end of that gap: where it begins may be where the program's break is to grow. */
	if (start >= search->end && !search->above && (long)(start + search->wanted - search->start) < REACH) {
		uintptr_t farthest = (search->start + REACH - search->wanted) & -PAGE;
		search->above = end - search->wanted < farthest ? end - search->wanted : farthest;
	}
}

void *near_take(uintptr_t start, uintptr_t end, size_t size_bytes)
{
	struct search search = { .start = start, .end = end, .previous_end = 16 * PAGE };
	search.wanted = (size_bytes + PAGE - 1) & -PAGE;
	int code = maps_read(note_gap, &search);
	for (int side = 0; code == 0 && side < 2; side++) {
		uintptr_t at = side == 0 ? search.below : search.above;
		if (!at)
			continue;
		long got = sys_call(SYS_mmap, (long)at, (long)search.wanted, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (got == (long)at)
			return (void *)at;
		/* A kernel that does not know MAP_FIXED_NOREPLACE takes it as a wish. */
		if (!sys_failed(got))
			sys_munmap((void *)got, search.wanted);
	}
	return NULL;
}
