/*
 * world.c: the events and which thread runs next: the heart of world.h.
 *
 * Invariants:
 *  1. Every change of the set of runnable threads that does not follow from what threads do among themselves (time,
 *     the outside) is in the log, with the number of its event. A replay takes them from there and never looks at
 *     clocks or descriptors.
 *  2. A switch is in the log with the mark whether the thread that ran could have gone on: then it happens before the
 *     operation of its event, else in the middle of it.
 */
#include "world/world.h"

#include <string.h>

#include "rt/bug.h"
#include "rt/debug.h"
#include "rt/observe.h"
#include "rt/say.h"
#include "rt/sys.h"
#include "world/callers.h"
#include "world/fork.h"
#include "world/kernel/clock.h"
#include "world/kernel/process.h"
#include "world/kernel/share.h"
#include "world/log.h"
#include "world/observed.h"
#include "world/parts.h"
#include "world/schedule/early.h"
#include "world/schedule/strategy.h"
#include "world/shortcut.h"
#include "world/signals/signal.h"
#include "world/switch.h"

#define SLICE_MAX HEDDLE_EVENTS_LATE
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
			     ((strategy->decides_sync && !world.is_long) || world.is_picky) &&
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

static void ask_soon(void)
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
		ask_soon();
	else if (TALLY->countdown > 0 && world.runnable_count == 2)
		ask_soon(); /* it had the world for itself, with a slice to match */
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
		ask_soon();
	else if (TALLY->countdown > 0 && world.runnable_count == 2)
		ask_soon();
}

static void wake_logged(struct thread *thread, enum wake wake)
{
	if (world.is_replaying)
		RT_BUG("a wait ends in a replay, and the log does not say so");
	log_write_timed(HEDDLE_RECORD_READY, (uint64_t)thread->index * 4 + wake);
	thread_wake(thread, wake);
}

void world_ready(struct thread *thread)
{
	wake_logged(thread, WAKE_DONE);
}

/* The fair tail. */

static uint64_t budget_now(void)
{
	return world.is_fair && !world.is_replaying ? world.fair_until : world.channel->event_budget;
}

static void go_fair(void)
{
	struct heddle_channel *channel = world.channel;
	if (world.is_replaying || world.is_fair)
		RT_BUG("a fair tail begins in a replay, or twice");
	log_write_timed(HEDDLE_RECORD_FAIR, 0);
	channel->fair_from = world_events();
	channel->lost_choices++; /* those of the tail are not reported */
	world.fair_until = channel->event_budget ? channel->event_budget : world_events() + FAIR_TAIL;
	world.is_fair = world.is_long = true;
	world.is_picky = world.decides_alone = world.slices_alone = false;
	world.yield_streak = 0;
	strategy = &strategy_fair;
	strategy->start();
	set_decides_sync();
}

static bool is_fair_due(void)
{
	uint64_t after = world.channel->fair_after;
	return after && world_events() > after && !world.is_fair && !world.is_replaying;
}

/* Time. */

static uint64_t find_deadline(void)
{
	uint64_t first = timer_next();
	for (uint32_t i = 0; i < world.live_count; i++) {
		const struct thread *thread = world.live[i];
		if (thread->state == THREAD_BLOCKED && thread->wait.deadline_ns < first)
			first = thread->wait.deadline_ns;
	}
	return first;
}

static void expire_deadlines(void)
{
	uint64_t now = clock_now();
	if (now < world.next_deadline_ns)
		return;
	if (timer_next() <= now)
		timer_expire();
	/* In the order of their deadlines, then of their creation. */
	for (;;) {
		struct thread *first = NULL;
		for (uint32_t i = 0; i < world.live_count; i++) {
			struct thread *thread = world.live[i];
			if (thread->state != THREAD_BLOCKED || thread->wait.deadline_ns > now)
				continue;
			if (!first || thread->wait.deadline_ns < first->wait.deadline_ns ||
			    (thread->wait.deadline_ns == first->wait.deadline_ns && thread->index < first->index))
				first = thread;
		}
		if (!first)
			break;
		wake_logged(first, WAKE_TIMEOUT);
	}
	world.next_deadline_ns = find_deadline();
}

static void jump_to(uint64_t deadline_ns)
{
	uint64_t now = clock_now();
	if (deadline_ns <= now)
		return;
	if (world.is_replaying)
		RT_BUG("time passes in a replay, and the log does not say so");
	clock_jump(deadline_ns - now);
	log_write_clock(deadline_ns - now);
}

/* Time passes while threads run, but not beyond the next deadline. */
static void pass_fair_time(void)
{
	uint64_t step_ns = fair_step_ns(), last = 0;
	for (uint32_t i = 0; step_ns && i < world.live_count; i++) {
		const struct thread *thread = world.live[i];
		if (thread->state == THREAD_BLOCKED && thread->wait.deadline_ns != NO_DEADLINE &&
		    thread->wait.deadline_ns > last)
			last = thread->wait.deadline_ns;
	}
	if (timer_next() != NO_DEADLINE && timer_next() > last)
		last = timer_next();
	if (!step_ns || !last)
		return;
	jump_to(last < clock_now() + step_ns ? last : clock_now() + step_ns);
	world.next_deadline_ns = 0;
}

static bool is_futex_awaited(void)
{
	for (uint32_t i = 0; i < world.live_count; i++)
		if (futex_is_outside(world.live[i]))
			return true;
	return false;
}

/* Whether a signal that could end a wait may come. None is sent to a schedule of a campaign. */
static bool is_patient(void)
{
	if (!signal_could_help())
		return false;
	if (!(world.channel->flags & HEDDLE_CONTROL_SERVER))
		return true;
	report_note(HEDDLE_NOTE_SIGNAL, NULL);
	return false;
}

/* No thread can run, or all that can only spin. */
/* The program may wait for other processes that it started, and these may take a while. */
#define OUTSIDE_FACTOR 6u

static uint64_t outside_spent_ns; /* waiting for the outside while no thread could run */

/* How long that may go on. */
static uint64_t outside_left(void)
{
	const struct heddle_channel *channel = world.channel;
	uint64_t all = channel->outside_seconds * (channel->process_count ? OUTSIDE_FACTOR : 1) * 1000000000u;
	if (!channel->outside_seconds)
		return NO_DEADLINE;
	return all > outside_spent_ns ? all - outside_spent_ns : 0;
}

static void wait_outside(uint64_t wait_ns)
{
	uint64_t left = outside_left(), before = clock_now();
	/* A thread that tries again, although nothing is known to have come, has waited all the same. */
	bool has_come = outside_poll(wait_ns < left ? wait_ns : left) || world.is_signalled;
	outside_spent_ns = has_come ? 0 : outside_spent_ns + (clock_now() - before);
	if (!has_come && outside_left() == 0) {
		report_note(HEDDLE_NOTE_OUTSIDE, NULL);
		report_threads();
		world_end(HEDDLE_OUTCOME_HANG, 0);
	}
}

static void pass_time(bool is_stuck)
{
	/* What a timer or a thread did may have made a descriptor ready. */
	if (is_stuck && outside_is_touched()) {
		outside_poll(0);
		if (world.runnable_count)
			return;
	}
	uint64_t deadline = find_deadline(), now = clock_now();
	if (is_stuck && report_cycle())
		world_end(HEDDLE_OUTCOME_DEADLOCK, 0);
	/* A thread that waits for a signal alone waits in real time only when nothing else can happen. */
	if (outside_is_awaited() || (deadline == NO_DEADLINE && (signal_is_awaited() || (is_stuck && is_patient())))) {
		uint64_t wait = !is_stuck                 ? 1000000
				: deadline == NO_DEADLINE ? NO_DEADLINE
				: deadline > now          ? deadline - now
							  : 0;
		if (is_stuck)
			wait_outside(wait);
		else
			outside_poll(wait);
		/* A thread that waits for another process's futex has not waited for all of that yet. */
		if (is_stuck && world.runnable_count == 0 && !world.is_signalled && !is_futex_awaited())
			jump_to(deadline == NO_DEADLINE ? 0 : deadline);
	} else if (deadline != NO_DEADLINE) {
		world.channel->idle_count += is_stuck;
		jump_to(deadline);
	} else if (is_stuck) {
		report_threads();
		world_end(HEDDLE_OUTCOME_DEADLOCK, 0);
	}
	world.next_deadline_ns = 0;
	expire_deadlines();
}

bool world_has_others(void)
{
	return world.runnable_count > 1 || find_deadline() != NO_DEADLINE || outside_is_awaited();
}

/* Replay. */

static bool is_blocked_by_others(const struct thread *thread)
{
	return thread->state == THREAD_BLOCKED && thread->wait.kind == WAIT_FUTEX && thread->wait.is_shared;
}

/* A thread that waits, in the replay, where another process let it go on in the run. */
static void check_shared(void)
{
	for (uint32_t i = 0; share_was_used() && i < world.live_count; i++)
		if (is_blocked_by_others(world.live[i]))
			futex_refuse_replay();
}

_Noreturn void world_diverge(const char *expected)
{
	struct say say;
	check_shared();
	say.size = 0;
	say_string(&say, "event ");
	say_number(&say, world_events());
	say_string(&say, ", thread ");
	say_number(&say, world.current->index);
	say_string(&say, ": ");
	say_string(&say, expected);
	say_string(&say, "; the log has record ");
	say_number(&say, log_next.tag);
	say_string(&say, " (");
	say_number(&say, log_next.value[0]);
	say_string(&say, ")");
	if (log_next.event != UINT64_MAX) {
		say_string(&say, " at event ");
		say_number(&say, log_next.event);
	}
	say.text[say.size] = '\0';
	report_note("the replay left the path of the trace:", say.text);
	if (share_was_used())
		report_note("the program shares memory with other processes: what they write there is not in the trace",
			    NULL);
	report_threads();
	world_end(HEDDLE_OUTCOME_DIVERGED, 0);
}

static struct thread *replay_thread(uint64_t index)
{
	struct thread *thread = thread_at(index);
	if (!thread || thread->state == THREAD_ENDED)
		world_diverge("the log names a thread that does not exist");
	return thread;
}

/* Whether the next record of the log belongs to where the run is. */
static bool is_due(void)
{
	return log_next.event <= world_events() && log_next.is_inside == !world.is_deciding;
}

static void tell_early(const struct thread *self, const struct thread *thread)
{
	strategy_tell_early(self, thread);
	if (world.is_detailed)
		log_write_expiry(thread, early_is_sleep(thread), clock_now());
}

/* self: as for next_thread. */
static void replay_due(const struct thread *self)
{
	while (is_due()) {
		switch (log_next.tag) {
		case HEDDLE_RECORD_EARLY:
			tell_early(self, replay_thread(log_next.value[0]));
			break;
		case HEDDLE_RECORD_READY: {
			struct thread *thread = replay_thread(log_next.value[0] / 4);
			enum wake wake = (enum wake)(log_next.value[0] % 4);
			if (wake == WAKE_DONE && is_blocked_by_others(thread))
				futex_refuse_replay();
			thread_wake(thread, wake);
			break;
		}
		case HEDDLE_RECORD_CLOCK:
			if (world.passed_ns + log_next.value[0] < world.passed_ns)
				world_diverge("the log lets time run backwards");
			clock_jump(log_next.value[0]);
			break;
		case HEDDLE_RECORD_SIGNAL:
			signal_replayed((int)log_next.value[0], log_next.bytes, log_next.value[1]);
			break;
		case HEDDLE_RECORD_FAIR:
			world.is_fair = true;
			break;
		default:
			return;
		}
		log_advance();
	}
}

void world_replay_signals(void)
{
	while (log_next.tag == HEDDLE_RECORD_SIGNAL && is_due()) {
		signal_replayed((int)log_next.value[0], log_next.bytes, log_next.value[1]);
		log_advance();
	}
}

static struct thread *replay_next(struct thread *self)
{
	replay_due(self);
	bool is_forced = log_next.value[0] & 1;
	if (log_next.tag == HEDDLE_RECORD_SWITCH && is_due() && is_forced == !self) {
		struct thread *next = replay_thread(log_next.value[0] / 2);
		if (next->state != THREAD_RUNNABLE)
			world_diverge("the thread that should run next is blocked");
		log_advance();
		return next;
	}
	if (self)
		return self;
	if (log_next.tag == HEDDLE_RECORD_END && world.runnable_count == 0) {
		if (log_next.event == UINT64_MAX)
			check_shared();
		report_threads();
		world_end(HEDDLE_OUTCOME_DEADLOCK, 0);
	}
	world_diverge("the thread that ran cannot continue");
}

/* Limits the slice so that a decision is made at the event after the last one. */
static uint64_t slice_until(uint64_t slice, uint64_t last)
{
	uint64_t now = world_events();
	return last && now <= last && slice > last - now ? last - now : slice;
}

static uint64_t replay_slice(void)
{
	uint64_t now = world_events(), slice = SLICE_MAX;
	if (log_next.event <= now + SLICE_MAX)
		slice = log_next.event > now ? log_next.event - now - 1 : 0;
	if (heddle_debug.stop_at > now && heddle_debug.stop_at - now - 1 < slice)
		slice = heddle_debug.stop_at - now - 1;
	return slice_until(slice_until(slice, world.channel->stop_after), world.channel->event_limit);
}

void world_replay_slice(void)
{
	if (!world.is_detailed)
		world_slice(replay_slice());
}

/* Only a livelock ends a run where a thread could go on. */
static void replay_end(void)
{
	if (log_next.tag != HEDDLE_RECORD_END || log_next.event > world_events() || log_next.is_inside)
		return;
	report_threads();
	world_end(HEDDLE_OUTCOME_LIVELOCK, 0);
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

/* Time passes while others can run, as it does when they are kept from running. */
static void end_early(const struct thread *self, const struct thread *thread)
{
	uint64_t deadline = thread->wait.deadline_ns;
	if (!world.is_main || world.is_fair)
		RT_BUG("a wait ends early before main, or in a fair tail");
	if (thread->state != THREAD_BLOCKED || deadline == NO_DEADLINE || timer_next() <= deadline)
		RT_BUG("a wait ends early that cannot");
	log_write_timed(HEDDLE_RECORD_EARLY, thread->index);
	tell_early(self, thread);
	jump_to(deadline);
	world.next_deadline_ns = 0;
	expire_deadlines();
	if (thread->state == THREAD_BLOCKED || clock_now() < deadline)
		RT_BUG("a wait that ends early goes on, or ends before its deadline");
}

static struct thread *next_thread(struct thread *self)
{
	const struct thread *early;
	if (world.is_replaying)
		return replay_next(self);
	if (world.is_signalled)
		signal_collect();
	if (outside_is_due())
		outside_poll(0);
	if (world.is_fair)
		pass_fair_time();
	expire_deadlines();
	while (world.is_main && world.runnable_count && (early = early_due(self)))
		end_early(self, early);
	while (world.runnable_count == 0) {
		pass_time(true);
		if (world.is_signalled)
			signal_collect();
	}
	if (!world.is_main && !world.is_fair)
		return self ? self : oldest();
	if (world.runnable_count == 1 && !world.decides_alone)
		return world.runnable[0];
	struct thread *next;
	while (!(next = strategy_pick(strategy, self)))
		pass_time(false);
	return next;
}

static uint64_t slice_of(const struct thread *thread)
{
	if (world.is_detailed || spin_is_probing(thread))
		return 0;
	if (world.is_replaying)
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
	uint64_t slice = slice_until(slice_of(thread), budget_now()), now = world_events();
	uint64_t fork_at = world.channel->fork_at, early_at = early_next();
	if (!world.is_fair)
		slice = slice_until(slice, world.channel->fair_after);
	if (early_at > now && slice > early_at - now - 1)
		slice = early_at - now - 1;
	if (fork_at > now && slice > fork_at - now - 1)
		slice = fork_at - now - 1;
	return slice;
}

static void become(struct thread *next)
{
	if (next->state != THREAD_RUNNABLE || world.runnable[next->position] != next)
		RT_BUG("a thread is switched to that cannot run");
	world.switch_count++;
	world.switched_at = world_events();
	strategy_tell_switch(world.current, next);
	world.current->past_events = thread_events(world.current);
	world.resumed_at = world_events();
	/* Where the switch was: the sum over the accesses does not know their order. */
	world.hash = (world.hash ^ next->index ^ TALLY->access_sum ^ world_events() << 32) * 0x9e3779b97f4a7c15ul;
	world.current = next;
	observe_switched(next->track);
	world_slice(clamped_slice(next));
}

static void switch_to(struct thread *self, struct thread *next, bool is_forced)
{
	if (next == self) {
		if (is_forced && world.is_recording)
			log_write_timed(HEDDLE_RECORD_SWITCH, (uint64_t)next->index * 2 + 1);
		world.is_deciding = false;
		world_slice(clamped_slice(self));
		return;
	}
	if (self != world.current || self->landing)
		RT_BUG("another thread is left than the one that runs, or in the middle of a call");
	if (!is_forced && self->state != THREAD_RUNNABLE)
		RT_BUG("a thread is preempted that cannot go on");
	log_write_timed(HEDDLE_RECORD_SWITCH, (uint64_t)next->index * 2 + is_forced);
	strategy_tell_step(is_forced ? NULL : self, next);
	world.is_deciding = false;
	become(next);
	switch_threads(self, next);
}

void world_tell(void)
{
	struct heddle_channel *channel = world.channel;
	channel->event_count = world_events();
	channel->switch_count = world.switch_count;
	channel->event_hash = world.hash;
	channel->thread_count = world.thread_count;
}

static void check_budget(void)
{
	uint64_t budget = budget_now();
	world_tell();
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

/* A replay that was asked for a part of the run ends here, and one that has passed the recording's last event left its path
 * before. Records of the log that the replay came past without them say that it did so, too. */
static void check_replay_end(void)
{
	const struct heddle_channel *channel = world.channel;
	uint64_t now = world_events();
	if (channel->stop_after && now > channel->stop_after) {
		if (log_next.event < now)
			world_diverge("a record of the log was skipped");
		if (world.is_detailed)
			report_threads();
		world_end(HEDDLE_OUTCOME_PREFIX, 0);
	}
	if (channel->event_limit && now > channel->event_limit)
		world_diverge("the run continues, but the recorded one had ended");
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
	if (world.is_replaying)
		check_replay_end();
	if (world.is_detailed) {
		shortcut_end_silence();
		log_write_event(self, has_callers(self->kind) ? callers_here() : 0);
	}
	world.is_deciding = true;
	check_budget();
	fork_if_asked();
	if (heddle_debug.stop_at && heddle_debug.stop_at == world_events())
		debug_stop(HEDDLE_DEBUG_EVENT);
	if (world.is_replaying)
		replay_end();
	if (!spin_only_looks(self->kind))
		world.yield_streak = 0;
	bool is_unfair = world.runnable_count > 1 && world_events() - world.switched_at > FAIR_EVENTS;
	if (!world.is_replaying && ((self->kind <= HEDDLE_EVENT_SYSCALL && spin_is_seen(self)) || is_unfair)) {
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
	if (!world.is_replaying) {
		world.yield_streak++;
		if (world.yield_streak > STREAK_MAX * world.runnable_count && !world.is_fair)
			go_fair();
		if ((world.is_main || world.is_fair) && strategy)
			strategy->yielded(self);
		if (world.yield_streak % (2 * world.runnable_count + 1) == 0)
			pass_time(false);
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
	strategy_tell_step(NULL, next);
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

/* The end. */

_Noreturn void world_end(enum heddle_outcome outcome, int status)
{
	if (!world.is_ending) {
		bool is_cut = outcome == HEDDLE_OUTCOME_DIVERGED || outcome == HEDDLE_OUTCOME_REFUSED ||
			      outcome == HEDDLE_OUTCOME_PREFIX;
		if (world.is_replaying && !is_cut && log_next.tag != HEDDLE_RECORD_END)
			world_diverge("the run ends"); /* which ends here again, and has to be reported */
		world.is_ending = true;
		observe_end();
		world_tell();
		strategy_tell();
		world.channel->status = status;
		uint32_t flags = world.channel->flags;
		bool is_told = flags & HEDDLE_CONTROL_DETECT && !(flags & HEDDLE_CONTROL_SERVER);
		if (world.is_recording || world.is_detailed || is_told)
			report_modules();
		log_write_end();
		fork_tell_end(outcome);
		world.channel->outcome = outcome;
		debug_stop(HEDDLE_DEBUG_END);
	}
	if (outcome == HEDDLE_OUTCOME_SIGNAL)
		signal_die(status);
	for (;;)
		sys_call(SYS_exit_group, outcome == HEDDLE_OUTCOME_EXIT ? status : 3, 0, 0, 0, 0, 0);
}

void world_bug(const char *where)
{
	if (!world.is_on || world.is_ending)
		return;
	world_fail(HEDDLE_OUTCOME_REFUSED, "a fault of Heddle itself, please report it:", where);
}

_Noreturn void world_fail(enum heddle_outcome outcome, const char *text, const char *subject)
{
	report_note(text, subject);
	world_end(outcome, 0);
}
