/*
 * malloc.h: libc's allocation functions in the controlled world, on top of world/memory/heap.h, with the results and
 * the errno of glibc's. They may be called by any code of the program, also by its signal handlers, with any contents
 * of the vector registers. They announce no events.
 */
#ifndef WORLD_MEMORY_MALLOC_H
#define WORLD_MEMORY_MALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/memory/heap.h"

void *control_malloc(size_t size);
void *control_calloc(size_t count, size_t size);
void *control_realloc(void *block, size_t size);
void *control_reallocarray(void *block, size_t count, size_t size);
void control_free(void *block);
void *control_memalign(size_t alignment, size_t size);
void *control_aligned_alloc(size_t alignment, size_t size);
int control_posix_memalign(void **out, size_t alignment, size_t size);
void *control_valloc(size_t size);
void *control_pvalloc(size_t size);

/* Returns the requested size: the bytes after it do not belong to the program. */
size_t control_malloc_usable_size(void *block);

/* For blocks outside of the heap, made before it took over. While they are null, such blocks are not freed and cannot
 * be resized. */
extern void (*malloc_foreign_free)(void *block);
extern size_t (*malloc_foreign_usable)(void *block);

/* Given by the world: the program's errno in the current thread. */
extern int *world_errno(void);

/*
 * Given by the world: the program freed or, with is_resize, resized something that is not a live block. code: where
 * control_free, control_realloc or control_reallocarray was called. When it returns, the call does nothing; resizing
 * fails with ENOMEM.
 */
extern void world_bad_free(void *block, enum heap_fault fault, bool is_resize, uintptr_t code);

#endif
