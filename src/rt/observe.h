/*
 * observe.h: what a world and its observer know of each other. The world is src/world, which runs the program; the
 * observer is src/detect, which finds races and memory errors. Neither includes the other. The world reports what
 * threads do through the functions observe_*, which call the observer's table; the observer queries the world through
 * struct observed.
 *
 * Only rt/register.c knows which observer exists: it offers it before the mode starts. The mode decides whether it
 * observes: observe_start.
 *
 * Invariants:
 *  1. An observer decides nothing and changes no schedule, so a run with one has the same events as a run without.
 *     Assured by tests/cli/detect.t.
 *  2. All calls, in both directions, are made by the current thread of the world, of which one runs: nothing is locked.
 *  3. An observer that was stopped, or whose run has ended, receives no more calls. Its hooks and entries stay, but
 *     from then on only count events.
 */
#ifndef RT_OBSERVE_H
#define RT_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"
#include "rt/block.h"

struct object;
struct shortcut_code;
struct track; /* what the observer knows of a thread: the world keeps the pointer; null when there is no observer */
struct round; /* threads that wait at a barrier together */

/* How a lock is taken. RECURSIVE: exclusive, but its owner can take it again, and owns it until it has released it as
 * many times. */
enum lock_mode { LOCK_EXCLUSIVE, LOCK_SHARED, LOCK_RECURSIVE };

/* A lock that a thread holds. */
struct held {
	const volatile void *lock;
	uintptr_t code; /* where it was taken */
	uint64_t event;
	uint32_t depth; /* of a lock that its owner can take again */
	bool is_shared, is_try;
	uint32_t callers; /* of code: a number as of struct observed; 0: not known */
};

/* The functions of an observer. The functions observe_* below explain the calls. */
struct observer {
	/* Maps what it needs. first: the track of the thread that runs. Returns 0 or a negative errno. Before main. */
	int (*start)(uint32_t index, struct track **first);
	void (*begin)(void);
	void (*end)(void);
	void (*stop)(void);

	/* A woven object was loaded: the hooks of its accesses, and the entries of plain ones, the best for this
	 * processor. Entries find what number returns for their site in struct shortcut. */
	const struct shortcut_code *(*attach)(const struct object *object, struct heddle_hooks *hooks);
	uint32_t (*number)(const struct heddle_site *site);
	void (*quiet)(const volatile void *address, size_t size_bytes, const struct heddle_site *site);
	void (*touched)(const volatile void *address, size_t size_bytes, const struct heddle_site *site);

	struct track *(*thread_new)(uint32_t index, bool is_hidden);
	void (*thread_end)(uintptr_t handle);
	void (*joined)(uintptr_t handle);
	void (*cancelled)(struct track *track);
	void (*switched)(struct track *track);
	const struct held *(*held)(const struct track *track, uint32_t *count);
	uint64_t (*epoch)(void);
	bool (*is_before)(uint64_t epoch);

	void (*acquire)(const volatile void *object);
	void (*release)(const volatile void *object);
	void (*release_more)(const volatile void *object);
	void (*forget)(const volatile void *object);
	void (*locked)(const volatile void *lock, enum lock_mode mode, bool is_try, uintptr_t code);
	void (*unlocked)(const volatile void *lock);
	void (*wait)(const volatile void *mutex);
	void (*waited)(const volatile void *mutex);
	void (*barrier_made)(const volatile void *barrier, uint32_t count);
	struct round *(*barrier_reached)(const volatile void *barrier);
	void (*barrier_left)(const volatile void *barrier, struct round *round);

	void (*memory_new)(const volatile void *start, size_t size_bytes);
	void (*memory_freed)(const volatile void *start, size_t size_bytes, uintptr_t code);
	void (*block_made)(const void *block, uintptr_t code);
	void (*heap_called)(void);
	void (*bad_free)(const void *block, bool is_resize, uintptr_t code);

	void (*call_made)(long number, const uint64_t arguments[6], bool is_futex_own);
	void (*call_done)(long number, const uint64_t arguments[6], long result, bool is_futex_own);
	void (*signal_handled)(void);
};

/* Bytes from the first to the last element that a vector access under a mask accesses. */
static inline size_t access_masked_bytes(uint64_t lanes, const struct heddle_site *site)
{
	return lanes ? (64 - (size_t)__builtin_clzl(lanes)) * site->size : 0;
}

/* What an observer can ask a world. */
struct observed {
	struct heddle_channel *channel;

	/* Allocates pages of the runtime's own memory, which are never freed. Null if there is none. */
	void *(*pages)(size_t size_bytes);
	/* Writes a line for people, then ends the run. Does not return. */
	void (*fail)(enum heddle_outcome outcome, const char *text, const char *subject);
	/* Whether the current thread holds the mutex. */
	bool (*has_mutex)(const volatile void *mutex);

	/* The heap: see the functions of the same names in world/memory/heap.h. heap_calls: the number of the last call. */
	bool (*heap_find)(const void *at, struct heap_block *out);
	void (*heap_note)(const void *at);
	bool (*heap_is_noted)(const void *block);
	void (*heap_set_maker)(const void *block, struct heap_maker maker);
	struct heap_maker (*heap_maker)(const void *block);
	uint64_t (*heap_calls)(void);

	/* Accesses as events, for hooks and entries: see world/access.h. is_quiet_reported: see observe_quiet. */
	void (*announce_range)(enum heddle_event_kind kind, const volatile void *address, size_t size_bytes,
			       const struct heddle_site *site);
	void (*announce_atomic)(const volatile void *address, const struct heddle_site *site);
	void (*announce_again)(void);
	bool (*touch)(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);
	void (*decide)(enum heddle_event_kind kind, const volatile void *address, const struct heddle_site *site);
	bool (*is_quiet_reported)(void);

	/* The calls that the program is in: see world/callers.h. */
	uint32_t (*callers_here)(void);
	uint32_t (*callers_of)(uint32_t number, const uint64_t **addresses);

	/* Report lines in addition to those of rt/report.h. */
	void (*report_beginning)(void); /* of the current thread */
	void (*report_stack)(const char *word, uint32_t number, size_t max_bytes);
	void (*report_modules)(void);
};

/*
 * A second observer, which receives each access that the first one receives, in the order in which the threads make them, and all memory that
 * ends: what mode train learns in the controlled world (parallel/learn.c). It decides nothing either. Offered and started as the observer
 * is, if start says that it was asked for.
 */
struct listener {
	/* Returns 1 if it listens, 0 if it was not asked to, or a negative errno. */
	int (*start)(void);
	int (*attach)(const struct object *object);
	/* thread: a number that no other thread of the run has or had. */
	void (*access)(const volatile void *address, size_t size_bytes, const struct heddle_site *site,
		       uint32_t thread);
	void (*forget)(const volatile void *start, size_t size_bytes);
};

extern const struct observer *observer; /* null: there is no observer */
extern const struct listener *listener; /* null: nobody listens */
extern const struct observed *observed; /* the world that is observed */

/* Detection. For rt/register.c alone. */
extern const struct observer observer_detect;

extern const struct listener listener_histories;

/* Offers the observer and the listener to the mode. */
void observe_offer(const struct observer *offered, const struct listener *with);

/* Starts observing. index: of the thread that runs; first: its track. Returns 0 or a negative errno; -ENOSYS: there is
 * no observer. */
int observe_start(const struct observed *world, uint32_t index, struct track **first);
/* The run is over. */
void observe_end(void);
/* In a process that the program forked: stops observing for good. */
void observe_stop(void);

static inline bool observe_is_on(void)
{
	return observer != NULL;
}

/* The requested run begins. */
static inline void observe_begin(void)
{
	if (observer)
		observer->begin();
}

/* In an audit: the current thread makes an access that is no event because it was proved not to race. */
static inline void observe_quiet(const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	if (observer)
		observer->quiet(address, size_bytes, site);
}

/* The same in a detailed run, which checks nothing: for what is watched. */
static inline void observe_touched(const volatile void *address, size_t size_bytes, const struct heddle_site *site)
{
	if (observer)
		observer->touched(address, size_bytes, site);
}

/*
 * Threads. A new thread is ordered after what its creator, the current thread, did. is_hidden: it is a thread of a library that
 * synchronises in ways that cannot be seen, so nothing it does counts as unordered with what its creator does. Returns its track.
 */
static inline struct track *observe_thread_new(uint32_t index, bool is_hidden)
{
	return observer ? observer->thread_new(index, is_hidden) : NULL;
}

/* The current thread ends. handle: its pthread_t, which the joining thread names. */
static inline void observe_thread_end(uintptr_t handle)
{
	if (observer)
		observer->thread_end(handle);
}

static inline void observe_joined(uintptr_t handle)
{
	if (observer)
		observer->joined(handle);
}

/* The current thread cancels another: what that one does in response is ordered after this. */
static inline void observe_cancelled(struct track *track)
{
	if (observer && track)
		observer->cancelled(track);
}

/* The thread with this track runs from here on. */
static inline void observe_switched(struct track *track)
{
	if (observer)
		observer->switched(track);
}

/* When the current thread makes its accesses now: a number that observe_is_before takes, later and in any thread. 0: there is no observer. */
static inline uint64_t observe_epoch(void)
{
	return observer ? observer->epoch() : 0;
}

/* Whether what a thread did at that time is ordered before what the current one does now. */
static inline bool observe_is_before(uint64_t epoch)
{
	return !observer || observer->is_before(epoch);
}

/* The locks that a thread has, in the order of taking. */
static inline const struct held *observe_held(const struct track *track, uint32_t *count)
{
	*count = 0;
	return observer && track ? observer->held(track, count) : NULL;
}

/*
 * Synchronisation of the current thread. Any address can be an object. acquire: ordered after all that was
 * released there. release: replaces what was released there before; release_more: adds to it.
 */
static inline void observe_acquire(const volatile void *object)
{
	if (observer)
		observer->acquire(object);
}

static inline void observe_release(const volatile void *object)
{
	if (observer)
		observer->release(object);
}

static inline void observe_release_more(const volatile void *object)
{
	if (observer)
		observer->release_more(object);
}

/* The memory of the object is reused: what was known about it no longer applies. */
static inline void observe_forget(const volatile void *object)
{
	if (observer)
		observer->forget(object);
}

/* Locks: acquire and release, and which thread holds what. code: where the program took the lock. */
static inline void observe_locked(const volatile void *lock, enum lock_mode mode, bool is_try, uintptr_t code)
{
	if (observer)
		observer->locked(lock, mode, is_try, code);
}

static inline void observe_unlocked(const volatile void *lock)
{
	if (observer)
		observer->unlocked(lock);
}

/* The current thread releases the mutex to wait, and owns it again when it returns. Under an unwinder that is not
 * understood (rt/enter/operation.h) observe_waited is not called when the thread is cancelled there: it owns the mutex
 * again when has_mutex of the world says so. A handler may run meanwhile, without the mutex. */
static inline void observe_wait(const volatile void *mutex)
{
	if (observer)
		observer->wait(mutex);
}

static inline void observe_waited(const volatile void *mutex)
{
	if (observer)
		observer->waited(mutex);
}

/* A barrier: before and after waiting. count: the number of threads, known when the barrier is made. What
 * reached returns is passed to left; null: there is no observer. */
static inline void observe_barrier_made(const volatile void *barrier, uint32_t count)
{
	if (observer)
		observer->barrier_made(barrier, count);
}

static inline struct round *observe_barrier_reached(const volatile void *barrier)
{
	return observer ? observer->barrier_reached(barrier) : NULL;
}

static inline void observe_barrier_left(const volatile void *barrier, struct round *round)
{
	if (observer && round)
		observer->barrier_left(barrier, round);
}

/* Memory that belongs to the program from here on, or no longer does. memory_freed is called before the memory is freed. */
static inline void observe_memory_new(const volatile void *start, size_t size_bytes)
{
	if (observer)
		observer->memory_new(start, size_bytes);
}

static inline void observe_memory_freed(const volatile void *start, size_t size_bytes, uintptr_t code)
{
	if (observer)
		observer->memory_freed(start, size_bytes, code);
}

/* The current thread has made a block of the heap, at code: it wrote all of it there. */
static inline void observe_block_made(const void *block, uintptr_t code)
{
	if (observer)
		observer->block_made(block, code);
}

/* The heap has made or freed a block. */
static inline void observe_heap_called(void)
{
	if (observer)
		observer->heap_called();
}

/* The current thread frees or resizes, at code, something that is not a live block; nothing was done. */
static inline void observe_bad_free(const void *block, bool is_resize, uintptr_t code)
{
	if (observer)
		observer->bad_free(block, is_resize, code);
}

/* System calls, before and after they are served. is_futex_own: it is not made by a function that is an event itself. */
static inline void observe_call_made(long number, const uint64_t arguments[6], bool is_futex_own)
{
	if (observer)
		observer->call_made(number, arguments, is_futex_own);
}

static inline void observe_call_done(long number, const uint64_t arguments[6], long result, bool is_futex_own)
{
	if (observer)
		observer->call_done(number, arguments, result, is_futex_own);
}

/* A handler of the current thread is about to run. */
static inline void observe_signal_handled(void)
{
	if (observer)
		observer->signal_handled();
}

#endif
