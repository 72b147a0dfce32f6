/* parts.h: functions that only the parts of the world call. */
#ifndef WORLD_PARTS_H
#define WORLD_PARTS_H

#include <signal.h>

#include "rt/enter/dispatch.h"
#include "rt/report.h"
#include "world/world.h"

/* world.c */
void world_begin_strategy(void);
/* Adds a new thread, which is runnable from here on. */
void world_add_thread(struct thread *thread);
/* Ends the current thread and continues the next one. */
_Noreturn void world_leave_thread(struct thread *self);

/* The maximum number of events before the next decision. */
#define SLICE_MAX HEDDLE_EVENTS_LATE

/* Limits the slice so that a decision is made at the event after `last`; 0: no limit. */
static inline uint64_t slice_until(uint64_t slice, uint64_t last)
{
	uint64_t now = world_events();
	return last && now <= last && slice > last - now ? last - now : slice;
}

/* Limits the slice so that a decision is made at the event, unless the event has passed. */
static inline uint64_t slice_before(uint64_t slice, uint64_t event)
{
	uint64_t now = world_events();
	return event > now && slice > event - now - 1 ? event - now - 1 : slice;
}

/* replay.c */
/* Applies the signals that the log has for the current place of the replay. */
void world_replay_signals(void);
/* Updates the slice for the next record of the log being replayed. */
void world_replay_slice(void);
/* Ends the replay as diverged. expected: describes the program's action, which is not the next record of the log. */
_Noreturn void world_diverge(const char *expected);

/* waits.c: a thread's wait for the outside is over. */
void world_ready(struct thread *thread);

/* Copies the counters and the hash of the run to the channel. */
static inline void world_update_channel(void)
{
	struct heddle_channel *channel = world.channel;
	channel->event_count = world_events();
	channel->switch_count = world.switch_count;
	channel->event_hash = world.hash;
	channel->thread_count = world.thread_count;
}

/* debug.c: publishes where a debugger finds things. */
void debug_start(void);

/* thread.c */
void thread_start_first(void);
/* The thread has ended. From here on its place may be given to a new thread; places of earlier threads are given
 * first. */
void thread_give_place(struct thread *thread);
bool thread_syscall(struct registers *registers, long *result);

/* futex.c */
bool futex_syscall(struct registers *registers, long *result);
void futex_forget(struct thread *thread);
int futex_wake_address(const volatile void *address, int count, uint32_t bitset);
void futex_owner_died(struct thread *thread);
/* Whether the thread waits for a futex that another process may wake. */
bool futex_is_outside(const struct thread *thread);
/* Whether the value that the thread waits on has changed. */
bool futex_has_changed(const struct thread *thread);
/* In a replay: ends the run, because a thread waits, or waited, for an action of another process, which is not in the
 * log. */
_Noreturn void futex_refuse_replay(void);

/* spin.c: whether the current thread, at this event, only polls memory that does not change. */
bool spin_only_looks(enum heddle_event_kind kind);
bool spin_is_seen(struct thread *self);
/* Called for a new thread that gets the place of another. */
void spin_forget(struct thread *thread);
bool spin_is_probing(const struct thread *thread);
/* Reads the value at an address. Its first instruction may fault; then execution continues at spin_look_failed. */
uint64_t spin_look(uintptr_t at);
extern const char spin_look_failed[];

/* outside.c and descriptor.c */
void outside_start(void);
void outside_syscall(struct registers *registers);
/* Polls the descriptors that threads wait for, and wakes the threads of those that are ready. wait_ns: the longest
 * wait, in real time. Returns whether one is ready. */
bool outside_poll(uint64_t wait_ns);
bool outside_is_awaited(void);
/* Whether something from outside may end this thread's wait. */
bool outside_may_wake(const struct thread *thread);
/* Called when an operation may have made a descriptor of a waiting thread ready. */
void outside_touch(void);
/* The current thread is about to wait for the outside. */
void outside_block(struct thread *self);
bool outside_is_due(void);
bool outside_is_touched(void);

/* syscall.c */
/* Ends the run: the call cannot be controlled. */
_Noreturn void syscall_refuse(uint64_t number, const char *why);
/* Reports once that the call fails with the errno, and why. */
void syscall_note_declined(uint64_t number, int error, const char *why);

/* mapping.c */
bool mapping_syscall(struct registers *registers, long *result);

/* process.c */
bool process_syscall(struct registers *registers, long *result);

/* report.c writes all facts about all threads into the channel. rt/report.h has the other functions for reports. */
/* Adds a note about something that does not work, or is not tested, under control, once for each text. The run
 * continues. */
void report_limit(const char *text, const char *subject);
void report_threads(void);
/* Reports the start function and argument of the thread, if known. */
void report_beginning(const struct thread *thread);
/* Writes a line with this word, this number and the current thread's stack, at most max_bytes of it. */
void report_stack(const char *word, uint32_t number, size_t max_bytes);
/* If threads wait for each other in a cycle, without a deadline: reports them and returns true. */
bool report_cycle(void);
/* Reports where files are mapped and, for a detailed run, the names of the threads. Does so once. */
void report_modules(void);
/* Reports inline assembly that was executed and that Heddle does not understand. */
void report_opaque(const struct heddle_site *site);

/* watchdog.c: watchdog_start starts watching this process; watchdog_stop is for a process that has no events. */
void watchdog_start(void);
void watchdog_stop(void);
extern const struct dispatch_others watchdog_others;

/* slots.c: slots_function returns the function for the slot of an interposed function. Before slots_take, only
 * functions of memory are replaced. */
void *slots_function(size_t index);
void slots_take(bool will_be_observed);

/* signal_kernel.c: handles the fault of an instruction. */
void signal_fault(int number, siginfo_t *info, void *context);

/* frame.c */
/* An address whose code returns from a signal handler, as unwinders know it. */
extern uintptr_t dispatch_restorer;

#endif
