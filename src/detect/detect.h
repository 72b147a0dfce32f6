/*
 * detect.h: finds data races and memory errors in a controlled run, on its way. The world tells what threads do; what is
 * found goes into channel.report as lines (heddle/abi.h, "Detection"). It decides nothing and changes no schedule, so a
 * run with detection has the same events as one without.
 *
 * The rules are those of happens-before (Flanagan and Freund, "FastTrack", PLDI 2009): two accesses of different threads
 * to a common byte, at least one a write, not both atomic, neither ordered before the other by synchronisation. As one
 * kernel thread runs all threads, nothing here is locked.
 *
 * Every function here does nothing while detection is off.
 */
#ifndef DETECT_DETECT_H
#define DETECT_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"

struct thread;
struct shortcut_code;

struct detect {
	/* The current thread's slot and clock, as in the words of detect/shadow.h; world/tally.h has more of them. Kept first:
	 * assembly uses them. */
	uint64_t epoch;
	bool is_on;
	bool is_watching; /* see detect/watch.h */
	bool is_easy;     /* accesses of the current thread are looked up in the shadow, and nothing else */
};

extern struct detect detect;

/* Maps what it needs and switches it on. Returns 0 or a negative errno. Before main. */
int detect_start(void);

/* In a process that the program forked: off for good. */
void detect_stop(void);

/* The run that was asked for begins. */
void detect_begin(void);
/* It is over; nothing more is told. */
void detect_end(void);

/*
 * Threads. A new one, made by the current one, is ordered behind what that did. Who joins names the pthread_t. is_hidden: it is a thread of a
 * library that synchronises in ways that cannot be seen, so nothing it does counts as unordered with what its creator does.
 */
void detect_thread_new(struct thread *thread, bool is_hidden);
void detect_thread_end(struct thread *thread);
void detect_joined(const volatile void *thread);
/* The current thread cancels it: what it does because of that is behind. */
void detect_cancelled(struct thread *thread);
/* It runs from here on. */
void detect_switched(struct thread *thread);

/*
 * Synchronisation of the current thread. An object is whatever has an address. acquire: behind all that was released
 * there. release: replaces what was released there before; release_more: adds to it.
 */
void detect_acquire(const volatile void *object);
void detect_release(const volatile void *object);
void detect_release_more(const volatile void *object);
/* The object begins a new life: it is another one. */
void detect_forget(const volatile void *object);

/* Locks: acquire and release, and who holds what. RECURSIVE: exclusive, but who has it can take it again, and has it until it
 * gave it back as often. code: where the program asked for it. */
enum detect_lock { DETECT_EXCLUSIVE, DETECT_SHARED, DETECT_RECURSIVE };
void detect_locked(const volatile void *lock, enum detect_lock mode, bool is_try, uintptr_t code);
void detect_unlocked(const volatile void *lock);
/* The current thread gives the mutex back to wait, and has it when it returns. When it is cancelled there, nobody calls
 * detect_waited: it has the mutex again when that says so. A handler may run meanwhile, without it. */
void detect_wait(const volatile void *mutex);
void detect_waited(const volatile void *mutex);

/* A barrier: before and after waiting. count: of threads that it waits for, told when it is made. What reached returns is
 * for left; null: detection is off. */
struct round;
void detect_barrier_made(const volatile void *barrier, uint32_t count);
struct round *detect_barrier_reached(const volatile void *barrier);
void detect_barrier_left(const volatile void *barrier, struct round *round);

/* Memory that is the program's from here on, or no longer. freed: before it is. */
void detect_memory_new(const volatile void *start, size_t size_bytes);
void detect_memory_freed(const volatile void *start, size_t size_bytes, uintptr_t code);

/* System calls, before and after they are served. is_futex_own: it is not made by a function that is an event itself. */
void detect_call_made(long number, const uint64_t arguments[6], bool is_futex_own);
void detect_call_done(long number, const uint64_t arguments[6], long result, bool is_futex_own);
/* A handler of the current thread is about to run. */
void detect_signal_handled(void);

/* The current thread has made a block of the heap, at code: it wrote all of it there. */
void detect_block_made(const void *block, uintptr_t code);

/* The heap made or freed a block, and that is done. */
void detect_heap_called(void);

/* The current thread frees, or resizes, what is no live block, at code; nothing was done. */
void detect_bad_free(const void *block, bool is_resize, uintptr_t code);

/* The current thread makes an access that is no event, as it was proved not to race, and the run is an audit of that. */
void detect_heard(const volatile void *address, size_t size_bytes, const struct heddle_site *site);

/* Accesses of woven code: the hooks, and the entries of plain ones, which are the best for this processor. */
void detect_hooks(struct heddle_hooks *hooks);
const struct shortcut_code *detect_entries(void);

#endif
