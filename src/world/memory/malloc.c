/*
 * malloc.c: see malloc.h. What glibc 2.36 does where the standards leave a choice: realloc to 0 frees and returns null;
 * aligned_alloc is memalign; memalign takes the next power of two for an alignment that is none (its _mid_memalign);
 * free keeps errno.
 */
#include "world/memory/malloc.h"

#include <errno.h>
#include <string.h>

#include "rt/guardian.h"
#include "rt/observe.h"
#include "rt/sys.h"
#include "world/schedule/strategy.h"
#include "world/world.h"

#define PAGE_BYTES 4096ul
#define ALIGNMENT_MIN 16ul

void (*malloc_foreign_free)(void *block);
size_t (*malloc_foreign_usable)(void *block);

/* Passes on a new block, which the program asked for at code, and reports when there is none. */
static inline void *give(void *block, uintptr_t code)
{
	if (!block)
		*world_errno() = ENOMEM;
	else
		observe_block_made(block, code);
	observe_heap_called();
	return block;
}

/* In a function that the program calls. */
#define CODE ((uintptr_t)__builtin_return_address(0))

/*
 * In a process that the program forked the world is off and threads are the kernel's: there the heap needs a lock. It
 * guards the whole heap and nests in nothing.
 */
static int lock;

static bool lock_take(void)
{
	if (!world.is_child)
		return false;
	/* Acquire: partner of the release in lock_give. */
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		sys_yield();
	return true;
}

static void lock_give(bool is_taken)
{
	if (is_taken)
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE); /* partner of the acquire in lock_take */
}

#define LOCKED(call)                                                                                                   \
	({                                                                                                             \
		bool is_taken_ = lock_take();                                                                          \
		__typeof__(call) result_ = (call);                                                                     \
		lock_give(is_taken_);                                                                                  \
		result_;                                                                                               \
	})

static void *malloc_at(size_t size, uintptr_t code)
{
	return give(LOCKED(heap_allocate(size, ALIGNMENT_MIN)), code);
}

void *control_malloc(size_t size)
{
	return malloc_at(size, CODE);
}

void *control_calloc(size_t count, size_t size)
{
	size_t bytes;
	return give(__builtin_mul_overflow(count, size, &bytes) ? NULL : LOCKED(heap_allocate_zeroed(bytes)), CODE);
}

static void end_block(const void *block, size_t size_bytes, uintptr_t code)
{
	ordered_free(block, size_bytes, code);
	observe_memory_freed(block, size_bytes, code);
	guardian_forget(block, size_bytes);
}

static void free_at(void *block, uintptr_t code)
{
	if (!block)
		return;
	if (!heap_owns(block)) {
		if (malloc_foreign_free)
			malloc_foreign_free(block);
		return;
	}
	end_block(block, heap_usable(block), code);
	enum heap_fault fault = LOCKED(heap_free(block));
	if (fault)
		world_bad_free(block, fault, false, code);
	observe_heap_called();
}

void control_free(void *block)
{
	free_at(block, CODE);
}

static void *realloc_at(void *block, size_t size, uintptr_t code)
{
	size_t old_size;
	if (!block)
		return malloc_at(size, code);
	if (!size) {
		free_at(block, code);
		return NULL;
	}
	if (heap_owns(block)) {
		enum heap_fault fault = LOCKED(heap_check(block));
		if (fault) {
			world_bad_free(block, fault, true, code);
			return give(NULL, 0);
		}
		old_size = LOCKED(heap_usable(block));
		if (LOCKED(heap_resize(block, size))) {
			/* The old object has ended (C11 7.22.3.5), although the new one is at the same place. */
			end_block(block, old_size, code);
			return give(block, code);
		}
	} else {
		if (!malloc_foreign_usable)
			return give(NULL, 0);
		old_size = malloc_foreign_usable(block);
	}
	void *moved = LOCKED(heap_allocate(size, ALIGNMENT_MIN));
	if (!moved)
		return give(NULL, 0);
	give(moved, code);
	memcpy(moved, block, old_size < size ? old_size : size);
	free_at(block, code);
	return moved;
}

void *control_realloc(void *block, size_t size)
{
	return realloc_at(block, size, CODE);
}

void *control_reallocarray(void *block, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		return give(NULL, 0);
	return realloc_at(block, bytes, CODE);
}

static void *memalign_at(size_t alignment, size_t size, uintptr_t code)
{
	if (alignment > SIZE_MAX / 2 + 1) {
		*world_errno() = EINVAL;
		return NULL;
	}
	size_t power = ALIGNMENT_MIN;
	while (power < alignment)
		power <<= 1;
	return give(LOCKED(heap_allocate(size, power)), code);
}

void *control_memalign(size_t alignment, size_t size)
{
	return memalign_at(alignment, size, CODE);
}

void *control_aligned_alloc(size_t alignment, size_t size)
{
	return memalign_at(alignment, size, CODE);
}

int control_posix_memalign(void **out, size_t alignment, size_t size)
{
	if (alignment < sizeof(void *) || alignment & (alignment - 1))
		return EINVAL;
	void *block = memalign_at(alignment, size, CODE);
	if (!block)
		return ENOMEM;
	*out = block;
	return 0;
}

void *control_valloc(size_t size)
{
	return memalign_at(PAGE_BYTES, size, CODE);
}

void *control_pvalloc(size_t size)
{
	if (size > SIZE_MAX - PAGE_BYTES)
		return give(NULL, 0);
	return memalign_at(PAGE_BYTES, (size + PAGE_BYTES - 1) & -PAGE_BYTES, CODE);
}

size_t control_malloc_usable_size(void *block)
{
	if (!block)
		return 0;
	if (heap_owns(block))
		return LOCKED(heap_usable(block));
	return malloc_foreign_usable ? malloc_foreign_usable(block) : 0;
}
