/*
 * mapping.c: mmap and related calls. Where the program gives no address, the mapping gets the next free one of a range of
 * our own, so that it depends on the run only. What is in a mapped file goes into the log when it is mapped; a replay
 * has memory with the same contents, which is anonymous or, where it is shared, that of a replica of the file
 * (replica.h). So a change that another process makes to a shared mapping later is not seen in a replay: see share.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "rt/maps.h"
#include "rt/observe.h"
#include "rt/sys.h"
#include "world/answers.h"
#include "world/kernel/replica.h"
#include "world/kernel/share.h"
#include "world/log.h"
#include "world/parts.h"

/* Places are given once, in ascending order; when a range is used up, what was unmapped there is given again. */
struct range {
	uintptr_t next, end, start;
};

static struct range ordinary = { PLACE_MAPPINGS, PLACE_MAPPINGS + PLACE_MAPPINGS_ROOM, PLACE_MAPPINGS };
static struct range reserved = { PLACE_RESERVED, PLACE_RESERVED + PLACE_RESERVED_ROOM, PLACE_RESERVED };

static uintptr_t aligned(uintptr_t at, size_t alignment)
{
	return (at + alignment - 1) & ~(alignment - 1);
}

/* With a hole behind it: overruns fault. */
static size_t with_hole(size_t size)
{
	return ((size + 4095) & ~4095ul) + 4096;
}

struct gap {
	uintptr_t at, end; /* looked for from here, and not behind the end */
	size_t size, alignment;
	bool is_found;
};

static void look_for_gap(void *data, const struct maps_entry *entry)
{
	struct gap *gap = data;
	if (gap->is_found || entry->end <= gap->at)
		return;
	gap->is_found = entry->start >= gap->at && entry->start - gap->at >= gap->size;
	if (!gap->is_found)
		gap->at = aligned(entry->end + 4096, gap->alignment);
}

/* 0: there is none. */
static uintptr_t take_from(struct range *range, size_t size, size_t alignment)
{
	uintptr_t at = aligned(range->next, alignment);
	if (at < range->end && with_hole(size) <= range->end - at) {
		range->next = at + with_hole(size);
		return at;
	}
	struct gap gap = { aligned(range->start, alignment), range->end, with_hole(size), alignment, false };
	maps_read(look_for_gap, &gap);
	return gap.at < gap.end && gap.size <= gap.end - gap.at ? gap.at : 0;
}

/* One mapping must not take a large part of what is left of the ordinary range. */
static bool is_huge(size_t size)
{
	return size > 1ul << 38 && size > (ordinary.end - ordinary.next) / 4;
}

/* 0: there is none. */
static uintptr_t take_place(size_t size, size_t alignment)
{
	uintptr_t at = is_huge(size) ? 0 : take_from(&ordinary, size, alignment);
	if (at)
		return at;
	at = take_from(&reserved, size, alignment);
	if (at && observe_is_on())
		report_limit("the program maps more memory than the shadow covers: accesses to the largest "
			     "mappings are not checked",
			     NULL);
	return at;
}

/* How much of a mapping of this file has bytes of the file behind it. */
static size_t bytes_behind(int fd, size_t size, uint64_t offset)
{
	struct stat status;
	if (sys_call(SYS_fstat, fd, (long)&status, 0, 0, 0, 0) < 0 || (uint64_t)status.st_size <= offset)
		return 0;
	uint64_t left = (uint64_t)status.st_size - offset;
	return left < size ? left : size;
}

/* The second buffer of the call is the number of the file, if it has one. */
static bool take_number(uint32_t *number)
{
	return log_has_buffer() && log_take(number, sizeof *number) == sizeof *number;
}

static long replay_file(const struct registers *r, uint64_t flags)
{
	const uint64_t a[6] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };
	if (world_has_turned())
		answers_ask(SYS_mmap, a);
	if (log_next.tag != HEDDLE_RECORD_CALL || log_next.value[0] != SYS_mmap)
		world_diverge("a file is mapped");
	answers_note(SYS_mmap, a);
	long result = (long)log_next.value[1];
	if (!sys_failed(result)) {
		size_t size;
		uint32_t number;
		const unsigned char *contents = log_peek_buffer(&size);
		if (take_number(&number)) {
			result = replica_map(number, (uintptr_t)result, r->rsi, (int)r->rdx, r->r9, contents, size);
			replica_mapped(number, (uintptr_t)result, r->rsi, r->r9);
		} else {
			uint64_t kept = (flags & ~(uint64_t)(MAP_SHARED | MAP_SHARED_VALIDATE | MAP_PRIVATE)) |
					MAP_ANONYMOUS | MAP_PRIVATE;
			result = sys_call(SYS_mmap, result, (long)r->rsi, PROT_READ | PROT_WRITE,
					  (long)(kept | MAP_FIXED), -1, 0);
			if (!sys_failed(result)) {
				memcpy((void *)result, contents, size < r->rsi ? size : r->rsi);
				sys_mprotect((uintptr_t)result, r->rsi, (int)r->rdx);
			}
		}
	}
	log_advance();
	return result;
}

static long map_file(struct registers *r, uintptr_t at, uint64_t flags)
{
	if (world.is_replaying)
		return replay_file(r, flags);
	long result = sys_call(SYS_mmap, (long)at, (long)r->rsi, (long)r->rdx, (long)flags, (long)r->r8, (long)r->r9);
	if (sys_failed(result)) {
		log_write_call(SYS_mmap, result, 0);
		return result;
	}
	if (!world.is_recording)
		return result;
	int32_t number = flags & MAP_SHARED ? replica_number((int)r->r8) : -1; /* also in MAP_SHARED_VALIDATE */
	log_write_call(SYS_mmap, result, number < 0 ? 1 : 2);
	size_t size = bytes_behind((int)r->r8, r->rsi, r->r9);
	/* Read through a mapping of our own: this one may not be readable. */
	long view = size ? sys_mmap(size, PROT_READ, MAP_SHARED, (int)r->r8, r->r9) : 0;
	if (size && sys_failed(view))
		view = sys_mmap(size, PROT_READ, MAP_PRIVATE, (int)r->r8, r->r9);
	log_write_buffer((void *)view, sys_failed(view) ? 0 : size);
	if (size && !sys_failed(view))
		sys_munmap((void *)view, size);
	if (number >= 0) {
		log_write_buffer(&number, sizeof number);
		replica_mapped((uint32_t)number, (uintptr_t)result, r->rsi, r->r9);
	}
	return result;
}

static long map_any(struct registers *r)
{
	uint64_t flags = r->r10;
	uintptr_t at = r->rdi;
	bool is_placed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	if (r->rsi == 0 || r->rsi > PLACE_RESERVED_ROOM)
		return r->rsi ? -ENOMEM : -EINVAL;
	if (!is_placed && !(flags & MAP_32BIT)) {
		at = take_place(r->rsi, flags & MAP_HUGETLB ? 2ul << 20 : 4096);
		if (!at)
			return -ENOMEM;
		flags |= MAP_FIXED_NOREPLACE;
	}
	if (flags & MAP_ANONYMOUS)
		return sys_call(SYS_mmap, (long)at, (long)r->rsi, (long)r->rdx, (long)flags, (long)r->r8, (long)r->r9);
	return map_file(r, at, flags);
}

static long map(struct registers *r)
{
	long result = map_any(r);
	if (!sys_failed(result))
		observe_memory_new((void *)result, r->rsi);
	if ((r->r10 & MAP_SHARED) && !sys_failed(result))
		share_mapped((uintptr_t)result, r->rsi, !(r->r10 & MAP_ANONYMOUS));
	return result;
}

static long remap_any(struct registers *r)
{
	uint64_t flags = r->r10;
	uintptr_t at = r->r8;
	if ((flags & MREMAP_MAYMOVE) && !(flags & MREMAP_FIXED) && r->rdx > r->rsi) {
		long result = sys_call(SYS_mremap, (long)r->rdi, (long)r->rsi, (long)r->rdx, 0, 0, 0);
		if (result != -ENOMEM)
			return result;
		at = take_place(r->rdx, 4096);
		if (!at)
			return -ENOMEM;
		flags |= MREMAP_FIXED;
	}
	return sys_call(SYS_mremap, (long)r->rdi, (long)r->rsi, (long)r->rdx, (long)flags, (long)at, 0);
}

static long remap(struct registers *r)
{
	bool is_shared = share_has((void *)r->rdi);
	long result = remap_any(r);
	if (!sys_failed(result) && (uint64_t)result != r->rdi)
		observe_memory_new((void *)result, r->rdx);
	if (is_shared && !sys_failed(result)) {
		share_mapped((uintptr_t)result, r->rdx, true);
		replica_moved(r->rdi, r->rsi, (uintptr_t)result, r->rdx);
	}
	return result;
}

bool mapping_syscall(struct registers *r, long *result)
{
	switch (r->number) {
	case SYS_mmap:
		*result = map(r);
		return true;
	case SYS_mremap:
		*result = remap(r);
		return true;
	default:
		return false;
	}
}
