/* waits.c: see waits.h. */
#include "world/waits.h"

#include "world/answers.h"
#include "world/kernel/clock.h"
#include "world/log.h"
#include "world/parts.h"
#include "world/schedule/early.h"
#include "world/schedule/strategy.h"
#include "world/signals/signal.h"

static void wake_logged(struct thread *thread, enum wake wake)
{
	if (world_follows_log())
		RT_BUG("a wait ends in a replay, and the log does not say so");
	log_write_timed(HEDDLE_RECORD_READY, (uint64_t)thread->index * 4 + wake);
	thread_wake(thread, wake);
}

void wait_measure(struct wait *wait)
{
	uint64_t now = clock_now();
	wait->end_ns = wait->deadline_ns;
	wait->length_ns = wait->end_ns != NO_DEADLINE && wait->end_ns > now ? wait->end_ns - now : 0;
}

void world_ready(struct thread *thread)
{
	wake_logged(thread, WAKE_DONE);
}

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

void waits_expire_passed(void)
{
	uint64_t now = clock_now();
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
	if (world_follows_log())
		RT_BUG("time passes in a replay, and the log does not say so");
	clock_jump(deadline_ns - now);
	log_write_clock(deadline_ns - now);
}

void waits_pass_fair_time(void)
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

void waits_pass_time(bool is_stuck)
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
	if (world_has_turned() && is_stuck && deadline == NO_DEADLINE) {
		if (answers_are_awaited())
			answers_end("a thread waits for input that is not in the log");
		if (signal_is_awaited() || signal_could_help())
			answers_end("a thread waits for a signal that is not in the log");
	}
	/* A thread that waits for a signal alone waits in real time only when nothing else can happen. */
	if (!world_has_turned() && (outside_is_awaited() ||
				    (deadline == NO_DEADLINE && (signal_is_awaited() || (is_stuck && is_patient()))))) {
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
	waits_expire();
}

bool world_has_others(void)
{
	return world.runnable_count > 1 || find_deadline() != NO_DEADLINE || outside_is_awaited();
}

void waits_report_early(const struct thread *self, const struct thread *thread)
{
	strategy_report_early(self, thread);
	if (world.is_detailed)
		log_write_expiry(thread, early_is_sleep(thread), clock_now());
}

/* Time passes while others can run, as it does when they are kept from running. */
void waits_end_early(const struct thread *self, const struct thread *thread)
{
	uint64_t deadline = thread->wait.deadline_ns;
	if (!world.is_main || world.is_fair)
		RT_BUG("a wait ends early before main, or in a fair tail");
	if (thread->state != THREAD_BLOCKED || deadline == NO_DEADLINE || timer_next() <= deadline)
		RT_BUG("a wait ends early that cannot");
	log_write_timed(HEDDLE_RECORD_EARLY, thread->index);
	waits_report_early(self, thread);
	jump_to(deadline);
	world.next_deadline_ns = 0;
	waits_expire();
	if (thread->state == THREAD_BLOCKED || clock_now() < deadline)
		RT_BUG("a wait that ends early goes on, or ends before its deadline");
}
