/*
 * blocks.c: see blocks.h. An allocator of the program's own is called through the same names. The delete operators of
 * C++ may call free, which forgets the block a second time: that is harmless, and cheap because nothing is left to
 * forget. Blocks of an allocator that cannot report their sizes are not forgotten.
 */
#include "parallel/blocks.h"

#include <stdbool.h>
#include <sys/mman.h>

#include "rt/enter/interpose.h"
#include "rt/enter/lookup.h"

#define MAX_MAPPING (1ul << 30)

void (*blocks_forget)(uintptr_t start, size_t size_bytes);

static void end_block(void *block)
{
	if (block && blocks_forget)
		blocks_forget((uintptr_t)block, interpose_real(malloc_usable_size)(block));
}

static void blocks_free(void *block)
{
	end_block(block);
	interpose_real(free)(block);
}

static void *blocks_realloc(void *block, size_t size)
{
	end_block(block);
	return interpose_real(realloc)(block, size);
}

static void *blocks_reallocarray(void *block, size_t count, size_t size)
{
	end_block(block);
	return interpose_real(reallocarray)(block, count, size);
}

/* The size is limited because a program may reserve a range of addresses that is larger than any memory that it
 * uses. */
static void end_mapping(const void *start, size_t size)
{
	if (start && blocks_forget && (uintptr_t)start + size > (uintptr_t)start)
		blocks_forget((uintptr_t)start, size < MAX_MAPPING ? size : MAX_MAPPING);
}

static int blocks_munmap(void *start, size_t size)
{
	end_mapping(start, size);
	return interpose_real(munmap)(start, size);
}

/* Whether it cannot move: then it stays what it was, except for an end that is cut off. */
static bool stays(size_t old_size, size_t size, int flags)
{
	return !(flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) && (!(flags & MREMAP_MAYMOVE) || size <= old_size);
}

/* Where it may move, the mapping counts as new memory at its new address, like a block that realloc returns. */
static void *blocks_mremap(void *start, size_t old_size, size_t size, int flags, void *to)
{
	if (!stays(old_size, size, flags))
		end_mapping(start, old_size);
	else if (size < old_size)
		end_mapping((const char *)start + size, old_size - size);
	if (flags & MREMAP_FIXED)
		end_mapping(to, size);
	return interpose_real(mremap)(start, old_size, size, flags, to);
}

#define OPERATOR(name)                                                                                                 \
	static void blocks##name(void *block, size_t second, size_t third)                                             \
	{                                                                                                              \
		end_block(block);                                                                                      \
		interpose_real(name)(block, second, third);                                                            \
	}
INTERPOSE_DELETES(OPERATOR)

/* Whether malloc_usable_size belongs to the same allocator as the named function: that of another allocator would read
 * memory that it does not own. */
static bool has_sizes(const char *name)
{
	/* lookup_file returns null for libc. */
	return lookup_file(name, "gnu_get_libc_version") == lookup_file("malloc_usable_size", "gnu_get_libc_version");
}

/* The operators of the C++ library pass blocks on to free; those of the program may manage memory of their own. */
static bool is_known(size_t index)
{
	if (index < INTERPOSE_MEMORY_COUNT)
		return has_sizes("free");
	return lookup_file("_ZdlPv", "__cxa_throw") ? has_sizes("_ZdlPv") : has_sizes("free");
}

static void *function_of(size_t index)
{
	switch (index) {
	case INTERPOSE_free:
		return (void *)blocks_free;
	case INTERPOSE_realloc:
		return (void *)blocks_realloc;
	case INTERPOSE_reallocarray:
		return (void *)blocks_reallocarray;
	case INTERPOSE_munmap:
		return (void *)blocks_munmap;
	case INTERPOSE_mremap:
		return (void *)blocks_mremap;
#define CASE(name)                                                                                                     \
	case INTERPOSE_##name:                                                                                         \
		return (void *)blocks##name;
		INTERPOSE_DELETES(CASE)
	}
	return NULL;
}

void *blocks_slot(size_t index)
{
	void *own = function_of(index);
	return own && (index >= INTERPOSE_OPERATORS_END || is_known(index)) ? own : NULL;
}
