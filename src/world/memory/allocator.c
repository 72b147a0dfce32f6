/* allocator.c: see allocator.h. */
#include "world/memory/allocator.h"

#include <string.h>

#include "rt/enter/lookup.h"
#include "rt/guardian.h"
#include "rt/observe.h"
#include "world/functions.h"
#include "world/parts.h"
#include "world/schedule/strategy.h"

static const char *own_file; /* of the object that has it; null: there is none */
static bool has_sizes;       /* and it can return the size of a block */

bool allocator_is_own(void)
{
	static bool is_decided;
	if (!is_decided) {
		/* Every libc has the second, and nothing else has. */
		own_file = lookup_file("malloc", "gnu_get_libc_version");
		has_sizes = own_file && own_file == lookup_file("malloc_usable_size", "gnu_get_libc_version");
		is_decided = true;
	}
	return own_file != NULL;
}

/* Whether the function begins as those do that heddle-cc compiled: with five bytes that become a jump. */
static bool is_woven(const unsigned char *function)
{
	static const unsigned char nop[5] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	return function && (memcmp(function, nop, sizeof nop) == 0 || function[0] == 0xe9);
}

void allocator_report(void)
{
	if (!allocator_is_own())
		return;
	report_limit("the program has its own allocator: memory errors in its blocks are not detected; it is in",
		     own_file[0] ? own_file : "the program itself");
	if (!own_file[0] && !is_woven(lookup_program("malloc")))
		report_limit("the program's allocator is not woven: if it synchronises without functions of the "
			     "threads library, accesses to a block before it was freed and after it was reused by "
			     "another thread look like races (build it with heddle-cc, or link it as a shared "
			     "library)",
			     NULL);
}

static size_t size_of(void *block)
{
	return block && observe_is_on() && has_sizes ? interpose_real(malloc_usable_size)(block) : 0;
}

static void *made(void *block, size_t size)
{
	if (block && observe_is_on())
		observe_memory_new(block, size);
	return block;
}

static void freed(void *block, uintptr_t code)
{
	size_t size = size_of(block);
	if (!size)
		return;
	ordered_free(block, size, code);
	observe_memory_freed(block, size, code);
	guardian_forget(block, size);
}

#define CALLER (uintptr_t) __builtin_return_address(0)

static void *own_malloc(size_t size)
{
	return made(interpose_real(malloc)(size), size);
}

static void *own_calloc(size_t count, size_t size)
{
	return made(interpose_real(calloc)(count, size), count * size);
}

/* The old object ends before the call: in the middle of it others may run. */
static void *resized(void *block, void *moved, size_t old_size, size_t size)
{
	if (moved)
		made(moved, size);
	else if (size && old_size)
		made(block, old_size); /* it lives on */
	return moved;
}

static void *own_realloc(void *block, size_t size)
{
	size_t old_size = size_of(block);
	freed(block, CALLER);
	return resized(block, interpose_real(realloc)(block, size), old_size, size);
}

static void *own_reallocarray(void *block, size_t count, size_t size)
{
	size_t old_size = size_of(block);
	freed(block, CALLER);
	return resized(block, interpose_real(reallocarray)(block, count, size), old_size, count * size);
}

static void own_free(void *block)
{
	freed(block, CALLER);
	interpose_real(free)(block);
}

static void *own_memalign(size_t alignment, size_t size)
{
	return made(interpose_real(memalign)(alignment, size), size);
}

static void *own_aligned_alloc(size_t alignment, size_t size)
{
	return made(interpose_real(aligned_alloc)(alignment, size), size);
}

static int own_posix_memalign(void **out, size_t alignment, size_t size)
{
	int code = interpose_real(posix_memalign)(out, alignment, size);
	if (code == 0)
		made(*out, size);
	return code;
}

static void *own_valloc(size_t size)
{
	return made(interpose_real(valloc)(size), size);
}

static void *own_pvalloc(size_t size)
{
	return made(interpose_real(pvalloc)(size), size);
}

static size_t own_malloc_usable_size(void *block)
{
	return interpose_real(malloc_usable_size)(block);
}

/* Operators new and delete. An exception passes through. */

#define NEW(name, ...) void *control_##name(size_t size, ##__VA_ARGS__)

NEW(_Znwm)
{
	return made(interpose_real(_Znwm)(size), size);
}

NEW(_Znam)
{
	return made(interpose_real(_Znam)(size), size);
}

NEW(_ZnwmRKSt9nothrow_t, const void *tag)
{
	return made(interpose_real(_ZnwmRKSt9nothrow_t)(size, tag), size);
}

NEW(_ZnamRKSt9nothrow_t, const void *tag)
{
	return made(interpose_real(_ZnamRKSt9nothrow_t)(size, tag), size);
}

NEW(_ZnwmSt11align_val_t, size_t alignment)
{
	return made(interpose_real(_ZnwmSt11align_val_t)(size, alignment), size);
}

NEW(_ZnamSt11align_val_t, size_t alignment)
{
	return made(interpose_real(_ZnamSt11align_val_t)(size, alignment), size);
}

NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, size_t alignment, const void *tag)
{
	return made(interpose_real(_ZnwmSt11align_val_tRKSt9nothrow_t)(size, alignment, tag), size);
}

NEW(_ZnamSt11align_val_tRKSt9nothrow_t, size_t alignment, const void *tag)
{
	return made(interpose_real(_ZnamSt11align_val_tRKSt9nothrow_t)(size, alignment, tag), size);
}

/* What comes after the block is passed on as it is: a size, an alignment, a tag. */
#define DELETE(name)                                                                                                   \
	void control_##name(void *block, size_t second, size_t third)                                                  \
	{                                                                                                              \
		freed(block, CALLER);                                                                                  \
		interpose_real(name)(block, second, third);                                                            \
	}

DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPvm)
DELETE(_ZdlPvRKSt9nothrow_t)
DELETE(_ZdaPvRKSt9nothrow_t)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t)

#define OWN(name) [INTERPOSE_##name] = (void *)own_##name,
#define OPERATOR(name) [INTERPOSE_##name] = (void *)control_##name,

void *allocator_function(int index)
{
	static void *const functions[] = { INTERPOSE_MEMORY(OWN) INTERPOSE_OPERATORS(OPERATOR) };
	return functions[index];
}
