/*
 * world.c: the events, and which thread runs next: the heart of world.h. Waits that no thread ends are in waits.c, replays in
 * replay.c, the end of a run in end.c.
 *
 * Invariants:
 *  1. A switch is in the log with the mark whether the thread that ran could have gone on: then it happens before the
 *     operation of its event, else in the middle of it.
 */
#include "world/world.h"

#include <string.h>

#include "rt/bug.h"
#include "rt/debug.h"
#include "rt/observe.h"
#include "rt/sys.h"
#include "world/answers.h"
#include "world/callers.h"
#include "world/fork.h"
#include "world/kernel/clock.h"
#include "world/kernel/process.h"
#include "world/kernel/processors.h"
#include "world/log.h"
#include "world/observed.h"
#include "world/parts.h"
#include "world/replay.h"
#include "world/schedule/early.h"
#include "world/schedule/strategy.h"
#include "world/shortcut.h"
#include "world/signals/signal.h"
#include "world/switch.h"
#include "world/waits.h"

/* After this many yields in a row for each runnable thread the run goes on under a fair schedule. */
#define STREAK_MAX 2000u
/* The maximum length of the fair tail, in events, in a run without a budget. */
#define FAIR_TAIL 20000000u
/* A thread that ran this many events while others could run is treated as if it had yielded: no strategy starves a
 * thread. */
#define FAIR_EVENTS 100000u

struct world world;
static const struct strategy *strategy;

void *world_pages(size_t size_bytes)
{
	static uintptr_t next = PLACE_WORLD + 0x2000000000ul;
	size_bytes = (size_bytes + 4095) & ~4095ul;
	long at = sys_call(SYS_mmap, (long)next, (long)size_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (sys_failed(at))
		return NULL;
	if ((uintptr_t)at != next) {
		/* A kernel before 4.17 takes the address as a hint. */
		sys_munmap((void *)at, size_bytes);
		return NULL;
	}
	next += size_bytes + 4096;
	return (void *)at;
}

/* Runnable threads. */

static void set_decides_sync(void)
{
	world.decides_sync = world.is_main && strategy &&
			     ((strategy->decides_sync && !world.is_long) || world.decides_hot_only) &&
			     (world.runnable_count > 1 || world.decides_alone);
}

static void add_runnable(struct thread *thread)
{
	if (thread->position < world.runnable_count && world.runnable[thread->position] == thread)
		RT_BUG("a thread that can run is to run again");
	if (world.runnable_count >= world.live_count)
		RT_BUG("more threads can run than there are");
	thread->state = THREAD_RUNNABLE;
	thread->position = world.runnable_count;
	world.runnable[world.runnable_count++] = thread;
	set_decides_sync();
}

static void remove_runnable(struct thread *thread)
{
	if (thread->position >= world.runnable_count || world.runnable[thread->position] != thread)
		RT_BUG("a thread that stops cannot run");
	struct thread *last = world.runnable[--world.runnable_count];
	world.runnable[thread->position] = last;
	last->position = thread->position;
	set_decides_sync();
}

static void decide_soon(void)
{
	if (TALLY->countdown > 0)
		world_slice(0);
}

void world_add_thread(struct thread *thread)
{
	if (world.live_count >= THREADS_MAX || !thread->index)
		RT_BUG("a thread without a number, or too many of them");
	thread->live_position = world.live_count;
	world.live[world.live_count++] = thread;
	strategy_name_thread(thread);
	add_runnable(thread);
	world.yield_streak = 0;
	if (world.is_main && strategy && strategy->woken(thread, true))
		decide_soon();
	else if (TALLY->countdown > 0 && world.runnable_count == 2)
		decide_soon(); /* it had the world for itself, with a slice to match */
}

void thread_wake(struct thread *thread, enum wake wake)
{
	if (thread->state != THREAD_BLOCKED)
		return;
	if (thread->wait.kind == WAIT_FUTEX)
		futex_forget(thread);
	thread->wait.kind = WAIT_NONE;
	thread->wake = wake;
	add_runnable(thread);
	world.yield_streak = 0;
	if (world.is_main && strategy && strategy->woken(thread, false))
		decide_soon();
	else if (TALLY->countdown > 0 && world.runnable_count == 2)
		decide_soon();
}

/* The fair tail. */

static uint64_t budget_now(void)
{
	return world.is_fair && !world_follows_log() ? world.fair_until : world.channel->event_budget;
}

static void go_fair(void)
{
	struct heddle_channel *channel = world.channel;
	if (world_follows_log() || world.is_fair)
		RT_BUG("a fair tail begins in a replay, or twice");
	log_write_timed(HEDDLE_RECORD_FAIR, 0);
	channel->fair_from = world_events();
	channel->lost_choices++; /* those of the tail are not reported */
	world.fair_until = channel->event_budget ? channel->event_budget : world_events() + FAIR_TAIL;
	world.is_fair = world.is_long = true;
	world.decides_hot_only = world.decides_alone = world.slices_alone = false;
	world.yield_streak = 0;
	strategy = &strategy_fair;
	strategy->start();
	set_decides_sync();
}

static bool is_fair_due(void)
{
	uint64_t after = world.channel->fair_after;
	return after && world_events() > after && !world.is_fair && !world_follows_log();
}

/* The next thread. self: the one that runs; null when it cannot go on. */

static struct thread *oldest(void)
{
	struct thread *best = world.runnable[0];
	for (uint32_t i = 1; i < world.runnable_count; i++)
		if (world.runnable[i]->index < best->index)
			best = world.runnable[i];
	return best;
}

/* The rest of the run goes another way than the log: see answers.h. */
static bool turns_here(const struct thread *self)
{
	const uint64_t event = answers_turn_event();
	if (!event || world_events() < event)
		return false;
	replay_due(self);
	answers_turn();
	world.channel->seed = world.channel->fork_seed; /* random numbers of the program go on as they were */
	strategy = strategy_of(world.channel->strategy);
	if (!strategy || world.is_fair)
		answers_end("the recorded run was about to end without progress");
	strategy_start(strategy);
	set_decides_sync();
	return true;
}

static struct thread *next_thread(struct thread *self)
{
	const struct thread *early;
	if (world_follows_log() && !turns_here(self))
		return replay_next(self);
	if (world.is_signalled)
		signal_collect();
	if (outside_is_due())
		outside_poll(0);
	if (world.is_fair)
		waits_pass_fair_time();
	waits_expire();
	while (world.is_main && world.runnable_count && (early = early_due(self)))
		waits_end_early(self, early);
	while (world.runnable_count == 0) {
		waits_pass_time(true);
		if (world.is_signalled)
			signal_collect();
	}
	if (!world.is_main && !world.is_fair)
		return self ? self : oldest();
	if (world.runnable_count == 1 && !world.decides_alone)
		return world.runnable[0];
	struct thread *next;
	while (!(next = strategy_pick(strategy, self)))
		waits_pass_time(false);
	return next;
}

static uint64_t slice_of(const struct thread *thread)
{
	if (world.is_detailed || spin_is_probing(thread))
		return 0;
	if (world_follows_log())
		return replay_slice();
	if ((!world.is_main && !world.is_fair) ||
	    (world.runnable_count == 1 && !early_is_steered() && !world.slices_alone))
		return SLICE_MAX;
	uint64_t slice = strategy->slice(thread);
	return slice < SLICE_MAX ? slice : SLICE_MAX;
}

/* Limits the slice so that the budget ends, the fair tail begins, the world forks and waits end early at exactly
 * their events. */
static uint64_t clamped_slice(const struct thread *thread)
{
	uint64_t slice = slice_until(slice_of(thread), budget_now());
	if (!world.is_fair)
		slice = slice_until(slice, world.channel->fair_after);
	return slice_before(slice_before(slice, early_next()), world.channel->fork_at);
}

static void become(struct thread *next)
{
	if (next->state != THREAD_RUNNABLE || world.runnable[next->position] != next)
		RT_BUG("a thread is switched to that cannot run");
	world.switch_count++;
	world.switched_at = world_events();
	strategy_report_switch(world.current, next);
	world.current->past_events = thread_events(world.current);
	world.resumed_at = world_events();
	/* Where the switch was: the sum over the accesses does not know their order. */
	world.hash = (world.hash ^ next->index ^ TALLY->access_sum ^ world_events() << 32) * 0x9e3779b97f4a7c15ul;
	world.current = next;
	if (world.has_processors)
		processors_switch(next);
	observe_switched(next->track);
	world_slice(clamped_slice(next));
}

static void switch_to(struct thread *self, struct thread *next, bool is_forced)
{
	if (next == self) {
		if (is_forced && world.is_recording)
			log_write_timed(HEDDLE_RECORD_SWITCH, (uint64_t)next->index * 2 + 1);
		/* It blocked, and was woken meanwhile: a steered schedule would choose another thread. */
		if (is_forced && world.runnable_count > 1)
			strategy_report_step(NULL, next);
		world.is_deciding = false;
		world_slice(clamped_slice(self));
		return;
	}
	if (self != world.current || self->landing)
		RT_BUG("another thread is left than the one that runs, or in the middle of a call");
	if (!is_forced && self->state != THREAD_RUNNABLE)
		RT_BUG("a thread is preempted that cannot go on");
	log_write_timed(HEDDLE_RECORD_SWITCH, (uint64_t)next->index * 2 + is_forced);
	strategy_report_step(is_forced ? NULL : self, next);
	world.is_deciding = false;
	become(next);
	switch_threads(self, next);
}

static void check_budget(void)
{
	uint64_t budget = budget_now();
	world_update_channel();
	if (budget && world_events() > budget) {
		bool is_spinning = world.is_fair && world.yield_streak > STREAK_MAX * world.runnable_count;
		report_note(is_spinning ? "no thread makes progress: all runnable threads spin"
					: "the event budget is exhausted",
			    NULL);
		report_threads();
		world_end(HEDDLE_OUTCOME_LIVELOCK, 0);
	}
	if (is_fair_due())
		go_fair();
}

/* System calls arrive by a path that has no frames. */
static bool has_callers(enum heddle_event_kind kind)
{
	return kind != HEDDLE_EVENT_SYSCALL && kind != HEDDLE_EVENT_FUTEX && kind != HEDDLE_EVENT_SIGNAL &&
	       kind != HEDDLE_EVENT_THREAD_START && kind != HEDDLE_EVENT_THREAD_END;
}

void world_slow(void)
{
	struct thread *self = world.current;
	if (world_follows_log())
		replay_check_end();
	if (world.is_detailed) {
		shortcut_end_silence();
		log_write_event(self, has_callers(self->kind) ? callers_here() : 0);
	}
	world.is_deciding = true;
	check_budget();
	fork_if_requested();
	if (heddle_debug.stop_at && heddle_debug.stop_at == world_events())
		debug_stop(HEDDLE_DEBUG_EVENT);
	if (world_follows_log())
		replay_end();
	if (!spin_only_looks(self->kind))
		world.yield_streak = 0;
	bool is_unfair = world.runnable_count > 1 && world_events() - world.switched_at > FAIR_EVENTS;
	if (!world_follows_log() && ((self->kind <= HEDDLE_EVENT_SYSCALL && spin_is_seen(self)) || is_unfair)) {
		world.switched_at = world_events();
		thread_yield();
		return;
	}
	switch_to(self, next_thread(self), false);
	signal_call_handlers(self);
}

void thread_yield(void)
{
	struct thread *self = world.current;
	struct landing *landing = self->landing;
	self->landing = NULL;
	if (!world_follows_log()) {
		world.yield_streak++;
		if (world.yield_streak > STREAK_MAX * world.runnable_count && !world.is_fair)
			go_fair();
		if ((world.is_main || world.is_fair) && strategy)
			strategy->yielded(self);
		if (world.yield_streak % (2 * world.runnable_count + 1) == 0)
			waits_pass_time(false);
	}
	switch_to(self, next_thread(self), false);
	signal_call_handlers(self);
	self->landing = landing;
}

enum wake thread_block(struct thread *self)
{
	struct landing *landing = self->landing;
	self->landing = NULL;
	if (self != world.current || self->state != THREAD_RUNNABLE || self->wait.kind == WAIT_NONE)
		RT_BUG("a thread blocks that does not run, or for nothing");
	self->state = THREAD_BLOCKED;
	remove_runnable(self);
	if (self->wait.deadline_ns < world.next_deadline_ns)
		world.next_deadline_ns = self->wait.deadline_ns;
	if (self->wait.deadline_ns != NO_DEADLINE)
		early_block(self);
	if (self->wait.is_interruptible && signal_is_deliverable(self)) {
		thread_wake(self, WAKE_SIGNAL);
		world_slice(clamped_slice(self));
	} else {
		switch_to(self, next_thread(NULL), true);
	}
	self->landing = landing;
	return self->wake;
}

_Noreturn void world_leave_thread(struct thread *self)
{
	remove_runnable(self);
	signal_forget(self);
	self->state = THREAD_ENDED;
	thread_give_place(self);
	if (world.live[self->live_position] != self)
		RT_BUG("a thread ends that was not there");
	struct thread *last = world.live[--world.live_count];
	world.live[self->live_position] = last;
	last->live_position = self->live_position;
	world.yield_streak = 0;
	struct thread *next = next_thread(NULL);
	log_write_timed(HEDDLE_RECORD_SWITCH, (uint64_t)next->index * 2 + 1);
	strategy_report_step(NULL, next);
	become(next);
	switch_away(next);
}

void world_begin_strategy(void)
{
	world.is_main = true;
	world.is_fair = false;
	observed_begin();
	process_seed(world.channel->seed);
	strategy = strategy_of(world.channel->strategy);
	if (world.is_replaying || !strategy)
		strategy = NULL;
	else
		strategy_start(strategy);
	set_decides_sync();
	world_slice(0);
}
