/* early.c: see early.h. */
#include "world/schedule/early.h"

#include "world/answers.h"
#include "world/kernel/clock.h"
#include "world/parts.h"
#include "world/schedule/strategy_priv.h"

#define SLEEP_SHORT_NS 1000000000u  /* a sleep of less than that is short, ... */
#define TIMEOUT_SHORT_NS 100000000u /* ... and a time-out of less than this; */
#define TIMEOUT_LONG_NS 1000000000u /* one of this length never ends early */

/* Of a run: at most 1 << (0 to BUDGET_BITS) waits end early. Each does with the same chance, which is 1 in half of the runs, so that it is
 * the first ones, and smaller in the others, so that it may be a few of many. */
#define BUDGET_BITS 3u
static const uint8_t chance_shifts[] = { 0, 0, 0, 0, 2, 2, 4, 6 };
/* Where: at once with a chance of 1 / AT_ONCE, else after fewer events than 1 << (1 to the bits that a run's events have), so that few and
 * many of them are about as likely. */
#define AT_ONCE 4u
#define EVENTS_BITS 12u
#define EVENTS_BITS_LEAST 4u
#define MAX_EVENTS_BITS 16u
#define POINT_BITS 3u /* a run has about this many more bits of events than of points */

static bool is_drawn, is_late, is_by_steps;
static uint64_t draw_state;
static uint32_t budget, chance_shift, event_bits;
static uint64_t next_at; /* no wait ends early before this event */

/* Apart from the strategies' own numbers: a schedule without sleeps is the same with and without this. */
static uint64_t draw_below(uint64_t bound)
{
	draw_state = random_mix(draw_state, 0x5ee9);
	return (uint64_t)((unsigned __int128)draw_state * bound >> 64);
}

static uint32_t bits_of_run(void)
{
	uint64_t length = world.channel->length;
	if (!length)
		return EVENTS_BITS;
	uint32_t bits = 64 - (uint32_t)__builtin_clzl(length) + (world.decides_hot_only ? POINT_BITS : 0);
	return bits < EVENTS_BITS_LEAST ? EVENTS_BITS_LEAST : bits > MAX_EVENTS_BITS ? MAX_EVENTS_BITS : bits;
}

void early_start(void)
{
	const struct heddle_channel *channel = world.channel;
	is_by_steps = channel->strategy == HEDDLE_STRATEGY_STEERED || channel->strategy == HEDDLE_STRATEGY_ORDERED;
	/* The strategy that holds threads back for a deadlock lets time pass by itself. */
	is_drawn = channel->flags & HEDDLE_CONTROL_EARLY && !is_by_steps && channel->strategy != HEDDLE_STRATEGY_LOCKS;
	is_late = is_by_steps || channel->flags & HEDDLE_CONTROL_LATE;
	draw_state = channel->seed;
	budget = 1u << draw_below(BUDGET_BITS + 1);
	chance_shift = chance_shifts[draw_below(sizeof chance_shifts)];
	event_bits = bits_of_run();
	next_at = UINT64_MAX;
}

bool early_is_sleep(const struct thread *thread)
{
	return thread->wait.kind == WAIT_SLEEP ||
	       (thread->wait.kind == WAIT_DESCRIPTORS && thread->wait.poll_count == 0);
}

static bool is_allowed(const struct thread *thread)
{
	uint64_t length = thread->wait.length_ns;
	if (early_is_sleep(thread))
		return is_late || length < SLEEP_SHORT_NS;
	if (thread->wait.kind == WAIT_SIGNAL || outside_may_wake(thread))
		return false;
	return length < TIMEOUT_SHORT_NS || (is_late && length < TIMEOUT_LONG_NS);
}

void early_block(struct thread *self)
{
	if (self->wait.deadline_ns == NO_DEADLINE)
		RT_BUG("a wait without a deadline is to end early");
	wait_measure(&self->wait);
	self->early_at = UINT64_MAX;
	world.channel->timed_count += world.is_main && world.runnable_count && is_allowed(self);
	if (!is_drawn || !world.is_main || world_follows_log() || !budget || !is_allowed(self))
		return;
	if (draw_below(1ul << chance_shift) != 0)
		return;
	self->early_at = world_events();
	if (draw_below(AT_ONCE) != 0)
		self->early_at += draw_below(1ul << (1 + draw_below(event_bits)));
	if (self->early_at < next_at)
		next_at = self->early_at;
}

/* Whether it waits for time, and time may pass until then. */
static bool can_end(const struct thread *thread)
{
	uint64_t deadline = thread->wait.deadline_ns;
	if (thread->state != THREAD_BLOCKED || deadline == NO_DEADLINE || timer_next() <= deadline)
		return false;
	for (uint32_t i = 0; i < world.live_count; i++) {
		const struct thread *other = world.live[i];
		if (other->state == THREAD_BLOCKED && other->wait.deadline_ns <= deadline && !is_allowed(other))
			return false;
	}
	return true;
}

static struct thread *drawn_now(void)
{
	uint64_t now = world_events();
	struct thread *found = NULL;
	if (now < next_at)
		return NULL;
	next_at = UINT64_MAX;
	for (uint32_t i = 0; i < world.live_count; i++) {
		struct thread *thread = world.live[i];
		if (thread->state != THREAD_BLOCKED || thread->wait.deadline_ns == NO_DEADLINE)
			continue;
		bool is_first = !found || thread->early_at < found->early_at ||
				(thread->early_at == found->early_at && thread->index < found->index);
		if (thread->early_at <= now && is_first)
			found = thread;
		else if (thread->early_at > now && thread->early_at < next_at)
			next_at = thread->early_at;
	}
	return found;
}

struct thread *early_due(struct thread *self)
{
	struct thread *thread;
	if (world.is_fair)
		return NULL;
	while ((thread = is_by_steps ? steered_early(self) : budget ? drawn_now() : NULL)) {
		thread->early_at = UINT64_MAX;
		if (!is_by_steps)
			next_at = 0; /* another one may be due, too */
		if (!can_end(thread))
			continue;
		if (world_follows_log())
			RT_BUG("a wait ends early in a replay, and the log does not say so");
		budget -= !is_by_steps;
		return thread;
	}
	return NULL;
}

uint64_t early_next(void)
{
	return is_drawn && budget && !world.is_fair ? next_at : UINT64_MAX;
}

bool early_is_steered(void)
{
	return is_by_steps && !world.is_fair && steered_has_early();
}
