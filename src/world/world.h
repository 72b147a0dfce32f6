/*
 * world.h: the controlled world: the state and functions that its parts share. All threads of the program are
 * coroutines on the one kernel thread of the process; exactly one runs, and switches happen only at events. This code
 * takes the place of the kernel below libc: it serves clone, futex, signals, clocks and exit itself, lets calls to the
 * outside through, and records their results. So libc's own threads library runs unmodified on top of it.
 *
 * Invariants:
 *  1. There is no other kernel thread, so nothing here needs a lock; but the program's signal handlers and faults can
 *     come at any instruction, so nothing here calls the program except at the end of an event.
 *  2. What a run does is a function of the program, its seed and the log. Nothing here looks at real time, process ids
 *     or addresses chosen by the kernel, except where the result goes into the log.
 *     Assured by tests/control/run.t.
 *  3. Memory of the world is mapped once, at fixed addresses; nothing here calls libc.
 *     Assured by mk/lint.sh.
 */
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/abi.h"
#include "heddle/places.h"
#include "rt/bug.h"
#include "rt/enter/entrance.h"
#include "rt/tally.h"

/* The first thread's id is the process id. Larger than any id that the kernel gives. */
#define WORLD_PID 5000001

enum thread_state { THREAD_RUNNABLE, THREAD_BLOCKED, THREAD_ENDED };

/* Why a blocked thread runs again. */
enum wake { WAKE_DONE, WAKE_TIMEOUT, WAKE_SIGNAL };

/* What a blocked thread waits for. */
enum wait_kind {
	WAIT_NONE,
	WAIT_FUTEX,       /* object: address */
	WAIT_SLEEP,       /* only the deadline */
	WAIT_DESCRIPTORS, /* polls: descriptors of the outside */
	WAIT_RETRY,       /* the outside, by retrying the call */
	WAIT_SIGNAL,      /* object: the set */
	WAIT_CHANGE,      /* a spin lock: object is the address */
	WAIT_STOPPED,
};

struct pollfd;

#define NO_DEADLINE UINT64_MAX

struct wait {
	enum wait_kind kind;
	const volatile void *object;
	uint32_t bitset;      /* futex */
	uint32_t value;       /* futex: the value; checked again if another process may change it */
	bool is_shared;       /* futex: in memory that is shared with other processes, see share.h */
	uint64_t deadline_ns; /* in the world's monotonic time; NO_DEADLINE: none */
	uint64_t length_ns;   /* from when it began to wait to the deadline: wait_measure fills in both; 0: not known */
	uint64_t end_ns; /* the deadline, for reports: in a replay deadline_ns has none where the log ends the wait */
	struct pollfd *polls; /* on the thread's stack; read and written by world/outside only */
	uint32_t poll_count;
	bool is_interruptible;
};

#define NAME_ROOM 16
#define MAX_CAUGHT 8u
#define BEGINNING_WORDS 3u

/* How a thread began, for reports. The C++ library starts all of its threads in one function, and passes an object with
 * the task: its first word identifies the type, and a function in it is in the last two words. */
struct beginning {
	uintptr_t start; /* the function; 0: not known */
	uintptr_t code;  /* where the program created the thread */
	bool has_words;
	uintptr_t words[BEGINNING_WORDS]; /* of the heap block that it was given */
};

#define PROCESSOR_WORDS 16u /* 1,024 processors */

/* A point at which a thread only read memory, and the value that it saw. */
#define LOOKS 4u

struct look {
	uintptr_t code, object;
	uint64_t value;
};

struct thread {
	uint32_t index; /* from 1, in order of creation: its number in the log and in reports */
	int32_t tid;    /* WORLD_PID + index - 1 */
	enum thread_state state;
	void *stack_pointer; /* when it does not run: world/switch.c documents the layout */
	uint64_t fs_base;
	uint64_t gs_base;

	/* Its last event, for reports. Accesses are entered only where a scheduling decision was
	 * made, and a replay decides at other places, so nothing that the program could notice may depend on these. */
	enum heddle_event_kind kind;
	const volatile void *object;
	uintptr_t code;
	uint64_t call_count; /* of its events that are no accesses */
	struct {
		const volatile void *object;
		uintptr_t code;
		uint64_t call; /* the number of that event */
	} tried;               /* last: see tries_again in world/sync/operation.c */
	uint32_t creator;      /* index */
	uintptr_t created_at;
	struct beginning began;   /* of this thread */
	struct beginning creates; /* of the one that it is about to create */

	struct wait wait;
	enum wake wake;
	struct thread *futex_next, *futex_previous; /* in the queue of its address, oldest first */

	uint32_t *clear_tid; /* CLONE_CHILD_CLEARTID */
	void *robust_list;
	char name[NAME_ROOM];
	bool is_named; /* the program gave it that name; else it has its creator's */

	/* Signals: see world/signals/signal.h. */
	uint64_t blocked_signals, pending_signals;
	uint64_t saved_blocked_signals; /* to restore after a handler, if has_saved_mask */
	bool has_saved_mask;
	void *alternate_stack;
	size_t alternate_size;
	int alternate_flags;
	struct pending_signal *pending;

	size_t range_bytes;        /* of the last access to a range that it announced */
	struct track *track;       /* what the observer knows of it, see rt/observe.h; else null */
	const volatile void *once; /* see world/sync/once.c */
	void (*once_routine)(void);
	uint32_t caught_count; /* see world/sync/exception.c */
	const volatile void *caught[MAX_CAUGHT];

	struct thread *ended_next; /* in the list of ended threads, in this order; their places are given to new ones */
	uint32_t position;         /* in world.runnable, when runnable */
	uint32_t live_position;    /* in world.live, until it ends */
	uint32_t slow_count;       /* decisions at its events since it was last examined; see world/schedule/spin.c */
	struct spin_probe *probe;
	/* Its vector registers are in use at this point: a switch must save them. */
	bool keeps_extended;
	const volatile void *loop_object; /* of the inline assembly with a loop that it began last */
	const struct heddle_site *loop_site;
	/* The registers of the system call that is being served, on the thread's stack; else null. For reports. */
	const struct registers *call;
	struct landing *landing;              /* see world/kernel/landing.h */
	struct hold *hold;                    /* of a call that may wait, else null: see world/kernel/hold.h */
	uint64_t processors[PROCESSOR_WORDS]; /* if has_processors; see world/kernel/processors.h */
	bool has_processors;

	uint64_t past_events;     /* its events until it was last switched away from: see thread_events */
	uint64_t futex_events;    /* of these: see thread_own */
	uint64_t futex_at;        /* thread_own at the last of them ... */
	uint32_t futex_since;     /* ... and how many there were then */
	uint64_t points;          /* see heddle/abi.h; without those at which it only reads the same value again */
	struct look looks[LOOKS]; /* its last points, if it only read memory there */
	uint32_t look_count;
	bool is_again;    /* it is before a point that it has just had, and the value there has not changed */
	uint64_t lineage; /* its name in struct heddle_weight, and that of its creator */
	uint64_t lineage_above;
	uint32_t children; /* threads that it created */

	uint64_t early_at; /* event at which its wait ends early; UINT64_MAX: none. See world/schedule/early.h */

	/* The strategies' own. */
	uint64_t priority, left;
	uint32_t cursor;
	bool is_yielding; /* it makes no progress until others run */
	bool is_at_point; /* it is before a point */
};

struct world {
	uint64_t hash; /* of all events so far */
	struct thread *current;

	bool is_on; /* false before the start, in forked children of the program, and after the end: calls go through */
	bool is_ending;
	bool is_patched; /* system calls of libc come to us in forked children, too */
	bool is_replaying, is_recording, is_detailed;
	bool is_copying;       /* a replay writes the log again: see world/answers.h */
	bool has_turned;       /* a replay no longer follows the log: see there, too */
	bool decides_sync;     /* the strategy wants to decide at each event that is not an access */
	bool is_main;          /* main was reached: the strategy begins */
	bool is_deciding;      /* before the operation of an event; else in the middle of one */
	bool decides_hot_only; /* decisions are made only at hot plain accesses: see world/schedule/hot.h */
	bool is_long;          /* the strategy no longer decides at hot sites, but only when a slice is over */
	bool is_fair;          /* the run is in its fair tail: see world/schedule/fair.c */
	bool decides_alone;    /* the strategy is asked even if only one thread can run: see strategy.h */
	bool has_processors;   /* a thread was given some: see world/kernel/processors.h */
	bool slices_alone;     /* its slices also apply if only one thread can run */

	struct thread **runnable;  /* runnable_count of them; the order depends only on the run */
	struct thread **live;      /* live_count of them */
	struct thread *threads;    /* place_count places are in use; [0] is not */
	struct thread **by_index;  /* see thread_at */
	uint64_t next_deadline_ns; /* no deadline is earlier */
	uint32_t thread_count;     /* of all threads so far */
	uint32_t place_count, last_index;
	uint32_t live_count, runnable_count;
	uint64_t switch_count;
	uint64_t resumed_at;   /* event at which the current thread was switched to */
	uint64_t switched_at;  /* event of the last switch, or of the last decision against one */
	uint64_t passed_ns;    /* of virtual time, in addition to what events take: see clock.h */
	uint64_t fair_until;   /* with is_fair: the last event before the run is a livelock */
	uint32_t yield_streak; /* consecutive yields */
	bool is_signalled;     /* by a handler of ours: signals wait in world/signals/signal_kernel.c */
	bool is_child;         /* this process was forked by the program: the world is off for good */
	struct heddle_channel *channel;
	char program_name[NAME_ROOM]; /* used for threads without a name of their own */
};

extern struct world world;

/* The maximum number of threads that exist at the same time. */
#define THREADS_MAX 65535u

/* Turns the world on or off. In a forked child system calls still come to us: they must report the first thread as
 * the parent. */
static inline void world_turn(bool is_on)
{
	if (is_on && world.is_child)
		RT_BUG("the world is turned on in a process that the program forked");
	world.is_on = is_on;
	entrance.serves = is_on || world.is_child;
}

/* Returns the thread with this index, also after it has ended, until its place is given to another thread; otherwise
 * null. */
static inline struct thread *thread_at(uint64_t index)
{
	struct thread *thread = world.by_index[index % (THREADS_MAX + 1)];
	return thread && thread->index == index ? thread : NULL;
}

/* The number of the current event. */
static inline uint64_t world_events(void)
{
	return tally_events();
}

/* The number of the thread's events. */
static inline uint64_t thread_events(const struct thread *thread)
{
	return thread->past_events + (thread == world.current ? world_events() - world.resumed_at : 0);
}

/* The same without futexes. */
static inline uint64_t thread_own(const struct thread *thread)
{
	return thread_events(thread) - thread->futex_events;
}

/* Call it when the current thread's next event is a futex. */
static inline void thread_count_futex(struct thread *self)
{
	uint64_t own = thread_own(self);
	self->futex_events++;
	self->futex_since = own == self->futex_at ? self->futex_since + 1 : 1;
	self->futex_at = own;
}

/* When the strategy is asked about the current thread: see "Points" in heddle/abi.h. self: null if it cannot
 * continue. */
static inline uint64_t thread_when(const struct thread *self)
{
	const struct thread *current = world.current;
	uint64_t own = thread_own(current), futexes = own == current->futex_at ? current->futex_since : 0;
	return own * HEDDLE_WHEN + (futexes < 255 ? futexes : 255) * 4 + !world.is_deciding + (self ? 0 : 2);
}

/* The rest of world_event: decides which thread runs next, delivers signals, may switch to another thread. */
void world_slow(void);

/* The first part of world_event, below. Returns whether world_slow is to be called next. */
static inline bool world_count_event(enum heddle_event_kind kind, const volatile void *object, uintptr_t code)
{
	if (!world.is_on)
		return false;
	struct thread *self = world.current;
	uint64_t what = (uint64_t)kind ^ (uintptr_t)object ^ code << 20 ^ TALLY->access_sum;
	/* Each event waits for the hash of the last one: the compiler must not put the other terms into that chain. */
	__asm__("" : "+r"(what));
	world.hash = ((world.hash << 7 | world.hash >> 57) ^ what) * 0x9e3779b97f4a7c15ul;
	self->kind = kind;
	self->object = object;
	self->code = code;
	self->call_count++;
	return __builtin_expect(--TALLY->countdown < 0, 0) || __builtin_expect(world.decides_sync, 0);
}

/*
 * An event of the current thread: others may run before it returns. Call it before the operation that it announces.
 * object: the object of the operation; code: the caller in the program, for reports. Does nothing when the world
 * is not on.
 */
static inline void world_event(enum heddle_event_kind kind, const volatile void *object, uintptr_t code)
{
	if (world_count_event(kind, object, code))
		world_slow();
}

/* Fills in length_ns and end_ns of a wait that begins now. */
void wait_measure(struct wait *wait);

/* Blocks the current thread as self->wait says until thread_wake, the deadline or a signal. Others run meanwhile. */
enum wake thread_block(struct thread *self);

/* Makes a blocked thread runnable. */
void thread_wake(struct thread *thread, enum wake wake);

/* Yields: the current thread makes no progress until others run, so strategies prefer others. */
void thread_yield(void);

/* Whether any other thread can run, now or after time has passed. */
bool world_has_others(void);

/* Returns the thread with this tid, or null if there is none or it has ended. */
struct thread *thread_find(int32_t tid);

/* Ends the run: reports it in the channel, writes the rest of the log, and ends the process as the outcome says. */
_Noreturn void world_end(enum heddle_outcome outcome, int status);

/* Serves the system call in the registers, and changes them as the kernel would. May switch to other threads. The entry
 * points in rt/enter call it, through entrance.syscall. */
void world_syscall(struct registers *registers);

/* At least this many events of the current thread pass before the next decision. */
static inline void world_slice(uint64_t events)
{
	TALLY->horizon = world_events() + events;
	TALLY->countdown = (int64_t)events;
}

/* Ends the run because of a fault in the program or in the log, after a line for the user. */
_Noreturn void world_fail(enum heddle_outcome outcome, const char *text, const char *subject);

/* Ends the run because of a bug in Heddle: for rt_bug_ends. */
void world_bug(const char *where);

/* Allocates pages of the runtime's own memory, which are never freed. Null if there is none. */
void *world_pages(size_t size_bytes);

#endif
