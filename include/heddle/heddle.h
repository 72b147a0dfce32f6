/*
 * heddle.h: annotations by which a program informs Heddle. All of them do nothing, and cost one test of a pointer, unless the program
 * runs under a mode of Heddle that uses them. The header compiles alone, in C and C++, and needs no library.
 *
 * For synchronisation that Heddle cannot see (inline assembly that it does not understand, libraries that were not built with heddle-cc):
 *   heddle_happens_before(object)   everything this thread did so far is ordered before ...
 *   heddle_happens_after(object)    ... everything a thread does after this call with the same address
 * For intended races:
 *   heddle_benign_race(address, size_bytes)   races on these bytes are not reported
 *   heddle_ignore_begin(), heddle_ignore_end()   accesses of this thread between the two are ignored; they nest
 * For `heddle train` and `heddle guard --only-marked`, which then guards only accesses that the training saw in marked code or to marked memory:
 *   heddle_guard_begin(), heddle_guard_end()      the code between the two, with all that it calls, in this thread; they nest
 *   HEDDLE_GUARD_FUNCTION;                        as the first statement of a block: the same from there to the end of the block, or of the function
 *   heddle_guard_memory(address, size_bytes)      these bytes, from here on
 * For `heddle check` and the proofs of heddle-cc:
 *   HEDDLE_ALLOCATOR   before a function declaration: each call returns a block that nothing else refers to, with no pointers in it, as
 *                      malloc does. Use it for functions that hand out blocks from free lists, and with alloc_size(N) if an
 *                      argument is the size. A function that does not keep the promise hides races.
 * The annotations of ThreadSanitizer are understood as well: AnnotateHappensBefore, AnnotateHappensAfter,
 * AnnotateBenignRaceSized, AnnotateIgnoreReadsBegin and the like, AnnotateRWLockAcquired and the like, AnnotateNewMemory,
 * __tsan_acquire, __tsan_release, __tsan_mutex_post_lock and the like.
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>

#ifdef __clang__
#define HEDDLE_ALLOCATOR __attribute__((noinline, annotate("heddle_allocator")))
#else
#define HEDDLE_ALLOCATOR
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by libheddle.so, which is loaded when Heddle runs the program. */
void heddle_annotate_happens_before(const volatile void *object) __attribute__((weak));
void heddle_annotate_happens_after(const volatile void *object) __attribute__((weak));
void heddle_annotate_benign_race(const volatile void *address, size_t size_bytes) __attribute__((weak));
void heddle_annotate_ignore(int is_begin) __attribute__((weak));
void heddle_annotate_guard(int is_begin) __attribute__((weak));
void heddle_annotate_guard_memory(const volatile void *address, size_t size_bytes) __attribute__((weak));

static inline void heddle_happens_before(const volatile void *object)
{
	if (heddle_annotate_happens_before)
		heddle_annotate_happens_before(object);
}

static inline void heddle_happens_after(const volatile void *object)
{
	if (heddle_annotate_happens_after)
		heddle_annotate_happens_after(object);
}

static inline void heddle_benign_race(const volatile void *address, size_t size_bytes)
{
	if (heddle_annotate_benign_race)
		heddle_annotate_benign_race(address, size_bytes);
}

static inline void heddle_ignore_begin(void)
{
	if (heddle_annotate_ignore)
		heddle_annotate_ignore(1);
}

static inline void heddle_ignore_end(void)
{
	if (heddle_annotate_ignore)
		heddle_annotate_ignore(0);
}

static inline int heddle_guard_begin(void)
{
	if (heddle_annotate_guard)
		heddle_annotate_guard(1);
	return 0;
}

static inline void heddle_guard_end(void)
{
	if (heddle_annotate_guard)
		heddle_annotate_guard(0);
}

static inline void heddle_guard_memory(const volatile void *address, size_t size_bytes)
{
	if (heddle_annotate_guard_memory)
		heddle_annotate_guard_memory(address, size_bytes);
}

static inline void heddle_guard_leave(const int *mark)
{
	(void)mark;
	heddle_guard_end();
}

#define HEDDLE_GUARD_FUNCTION                                                                                          \
	int heddle_guard_mark __attribute__((cleanup(heddle_guard_leave), unused)) = heddle_guard_begin()

#ifdef __cplusplus
}
#endif

#endif
