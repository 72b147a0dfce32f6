/*
 * detect.h: finds data races and memory errors during a controlled run. It is an observer (rt/observe.h): the world
 * reports what threads do; findings go into channel.report as lines (heddle/abi.h, "Detection").
 *
 * The rules are those of happens-before (Flanagan and Freund, "FastTrack", PLDI 2009): two accesses of different
 * threads to a common byte, at least one a write, not both atomic, neither ordered before the other by synchronisation.
 * One kernel thread runs all threads, so nothing here is locked.
 *
 * The functions here are those of struct observer (detect/observer.c has the table), and are called only while detection is on.
 */
#ifndef DETECT_DETECT_H
#define DETECT_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"
#include "rt/observe.h"

struct detect {
	/* The current thread's slot and clock, as in the words of detect/shadow.h; rt/tally.h has more of them. Kept first:
	 * assembly uses them. */
	uint64_t epoch;
	bool is_on;
	bool is_watching; /* see detect/watch.h */
	bool is_fast;     /* an access of the current thread needs only a lookup in the shadow */
};

extern struct detect detect;

int detect_start(uint32_t index, struct track **first);
void detect_begin(void);
void detect_end(void);
void detect_stop(void);

/* For the accesses of an object: the hooks, and the entries of plain ones. */
void detect_hooks(struct heddle_hooks *hooks);
const struct shortcut_code *detect_entries(void);
void detect_quiet(const volatile void *address, size_t size_bytes, const struct heddle_site *site);
void detect_touched(const volatile void *address, size_t size_bytes, const struct heddle_site *site);

struct track *detect_thread_new(uint32_t index, bool is_hidden);
void detect_thread_end(uintptr_t handle);
void detect_joined(uintptr_t handle);
void detect_cancelled(struct track *track);
void detect_switched(struct track *track);
const struct held *detect_held(const struct track *track, uint32_t *count);

void detect_acquire(const volatile void *object);
void detect_release(const volatile void *object);
void detect_release_more(const volatile void *object);
void detect_forget(const volatile void *object);
void detect_locked(const volatile void *lock, enum lock_mode mode, bool is_try, uintptr_t code);
void detect_unlocked(const volatile void *lock);
void detect_wait(const volatile void *mutex);
void detect_waited(const volatile void *mutex);
void detect_barrier_made(const volatile void *barrier, uint32_t count);
struct round *detect_barrier_reached(const volatile void *barrier);
void detect_barrier_left(const volatile void *barrier, struct round *round);

void detect_memory_new(const volatile void *start, size_t size_bytes);
void detect_memory_freed(const volatile void *start, size_t size_bytes, uintptr_t code);
void detect_block_made(const void *block, uintptr_t code);
void detect_heap_called(void);
void detect_bad_free(const void *block, bool is_resize, uintptr_t code);

void detect_call_made(long number, const uint64_t arguments[6], bool is_futex_own);
void detect_call_done(long number, const uint64_t arguments[6], long result, bool is_futex_own);
void detect_signal_handled(void);

#endif
