/*
 * watch.h: the second pass. A replay pauses where the tool wants to know more (struct heddle_watch) and reports the
 * stack, the locks that the thread holds, and values. The run itself does not change.
 */
#ifndef DETECT_WATCH_H
#define DETECT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"

/* Reads the watches in the channel. */
void watch_start(void);

/* The following are called only if detect.is_watching. */

/* The current thread is about to access memory. */
void watch_look(uintptr_t address, size_t size_bytes, const struct heddle_site *site);
/* The current thread makes an atomic access next, which is examined after it was made. */
void watch_atomic(uintptr_t address, size_t size_bytes);
/* The access is new in its cell; word as in detect/shadow.h. */
void watch_entered(uintptr_t address, uint64_t word, const struct heddle_site *site);
/* The current thread accesses memory that may be watched: before it does or, if that is atomic, behind it; and it did. */
void watch_memory(uintptr_t address, size_t size_bytes, bool is_write, bool is_atomic, const struct heddle_site *site);
void watch_memory_done(void);
/* What was at the address before the atomic access that was made last. False: it was elsewhere. */
bool watch_before_atomic(uintptr_t address, size_t size_bytes, uint64_t *value);
/* The heap made or freed a block. */
void watch_heap(void);
/* The current thread is about to free memory. */
void watch_free(uintptr_t start, size_t size_bytes);
/* The current thread makes an invalid free. */
void watch_bad_free(void);
/* The current thread made a new thread. */
void watch_thread(uint32_t index);
/* The current thread has taken a lock; it is not yet among those that the track holds. */
void watch_locked(const volatile void *lock);

/* The calls that the program is in, as a number whose addresses watches report; 0: not known. */
uint32_t watch_callers(void);
/* The current thread did what it was about to do. */
void watch_done(void);

#endif
