/*
 * strategy.c: the table of strategies, what they share, and what the tool learns about every schedule under any
 * strategy: the points of each thread and the switches.
 */
#include "world/schedule/strategy.h"

#include "heddle/events.h"
#include "world/parts.h"
#include "world/schedule/early.h"
#include "world/schedule/hot.h"
#include "world/schedule/strategy_priv.h"

#define STRATEGY_ROW(ID, number, name, ...) [HEDDLE_STRATEGY_##ID] = &strategy_##name,

static const struct strategy *const strategies[HEDDLE_STRATEGY_COUNT] = { HEDDLE_STRATEGIES(STRATEGY_ROW) };

/* It is never asked: world/world.c follows the log. */
const struct strategy strategy_replay = { .name = "replay" };

const struct strategy *strategy_of(uint32_t number)
{
	return number < HEDDLE_STRATEGY_COUNT && number != HEDDLE_STRATEGY_REPLAY ? strategies[number] : NULL;
}

/* Random numbers. */

static uint64_t random_state;

void random_start(void)
{
	random_state = world.channel->seed * 0x2545f4914f6cdd1dul;
}

static uint64_t scramble(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
	z = (z ^ z >> 27) * 0x94d049bb133111ebul;
	return z ^ z >> 31;
}

/* SplitMix64: any seed is a good one. */
uint64_t random_next(void)
{
	return scramble(random_state += 0x9e3779b97f4a7c15ul);
}

uint64_t random_below(uint64_t bound)
{
	return (uint64_t)((unsigned __int128)random_next() * bound >> 64);
}

uint64_t random_mix(uint64_t a, uint64_t b)
{
	return scramble(scramble(a + 0x9e3779b97f4a7c15ul) ^ b);
}

/* Points. */

bool point_is_here(const struct thread *self)
{
	if (!world.is_deciding)
		return false;
	if (!world.decides_hot_only || (self->kind != HEDDLE_EVENT_READ && self->kind != HEDDLE_EVENT_WRITE))
		return true;
	return hot_is((const struct heddle_site *)self->code);
}

/* One that waits in a loop of a few looks: what it does again is no progress. It would take all turns if its looks counted. */
static bool looks_again(struct thread *self)
{
	if (!spin_only_looks(self->kind)) {
		self->look_count = 0;
		return false;
	}
	const uint64_t value = self->kind == HEDDLE_EVENT_YIELD ? 0 : spin_look((uintptr_t)self->object & ~7ul);
	const struct look look = { self->code, (uintptr_t)self->object, value };
	for (uint32_t i = 0; i < self->look_count; i++)
		if (self->looks[i].code == look.code && self->looks[i].object == look.object) {
			if (self->looks[i].value == value)
				return true;
			self->looks[0] = look;
			self->look_count = 1;
			return false;
		}
	if (self->look_count == LOOKS)
		self->look_count = 0;
	self->looks[self->look_count++] = look;
	return false;
}

uint64_t point_slice(const struct thread *thread)
{
	(void)thread;
	return world.decides_hot_only ? SLICE_LONG : 0;
}

/* Threads. */

bool woken_never(struct thread *thread, bool is_new)
{
	(void)thread;
	(void)is_new;
	return false;
}

void yielded_marked(struct thread *thread)
{
	thread->is_yielding = true;
}

struct thread *priority_highest(void)
{
	struct thread *best = world.runnable[0];
	for (uint32_t i = 1; i < world.runnable_count; i++)
		if (world.runnable[i]->priority > best->priority)
			best = world.runnable[i];
	return best;
}

uint32_t candidates_take(struct thread *candidates[CANDIDATES])
{
	uint32_t runnable = world.runnable_count, count = 0;
	uint32_t from = runnable > CANDIDATES ? (uint32_t)random_below(runnable) : 0;
	for (int pass = 0; pass < 2 && count == 0; pass++)
		for (uint32_t i = 0; i < runnable; i++) {
			struct thread *thread = world.runnable[(from + i) % runnable];
			if (!thread->is_yielding && count < CANDIDATES)
				candidates[count++] = thread;
			thread->is_yielding = false;
		}
	return count;
}

void strategy_name_thread(struct thread *thread)
{
	struct thread *creator = thread_at(thread->creator);
	thread->lineage_above = creator ? creator->lineage : 0;
	thread->lineage = creator ? random_mix(creator->lineage, ++creator->children) : 1;
}

const struct heddle_weight *weight_of(const struct thread *thread)
{
	const struct heddle_channel *channel = world.channel;
	for (uint32_t i = 0; i < channel->weight_count && i < HEDDLE_WEIGHTS; i++)
		if (channel->weights[i].name == thread->lineage)
			return &channel->weights[i];
	return NULL;
}

/* Conflicts. */

static bool only_reads(const struct thread *thread)
{
	if (thread->kind == HEDDLE_EVENT_READ)
		return true;
	const struct heddle_site *site = (const struct heddle_site *)thread->code;
	return thread->kind == HEDDLE_EVENT_ATOMIC && site && site->access == HEDDLE_ACCESS_ATOMIC_READ;
}

/* Of a range only the start is known here. */
static uint64_t bytes_of(const struct thread *thread)
{
	const struct heddle_site *site = (const struct heddle_site *)thread->code;
	return site && site->size ? site->size : 8;
}

bool events_conflict(const struct thread *a, const struct thread *b)
{
	bool is_access = heddle_event_is_access(a->kind);
	if (!is_access || !heddle_event_is_access(b->kind))
		return a->object == b->object && is_access == heddle_event_is_access(b->kind);
	uintptr_t first = (uintptr_t)a->object, second = (uintptr_t)b->object;
	if (only_reads(a) && only_reads(b))
		return false;
	return first < second ? second - first < bytes_of(a) : first - second < bytes_of(b);
}

/* What is reported to the tool. */

void strategy_report_seen(uint64_t hash)
{
	hash = scramble(hash);
	world.channel->seen[hash / 64 % (HEDDLE_SEEN_BITS / 64)] |= 1ul << hash % 64;
}

void strategy_report_switch(const struct thread *from, const struct thread *to)
{
	/* Only a tool that plans further schedules needs this. */
	if (world.is_main && !world.is_fair && world.channel->flags & HEDDLE_CONTROL_SERVER)
		strategy_report_seen(random_mix(from->code, to->code));
}

static void report_step(const struct thread *self, uint32_t next)
{
	struct heddle_channel *channel = world.channel;
	if (!(channel->flags & HEDDLE_CONTROL_STEPS) || !world.is_main || world.is_fair)
		return;
	if (channel->reported_step_count >= HEDDLE_STEPS) {
		channel->lost_steps++;
		return;
	}
	channel->reported_steps[channel->reported_step_count++] =
		(struct heddle_step){ world.current->index, next, thread_when(self) };
}

void strategy_report_step(const struct thread *self, const struct thread *to)
{
	report_step(self, to->index);
}

void strategy_report_early(const struct thread *self, const struct thread *thread)
{
	world.channel->early_count++;
	report_step(self, thread->index | HEDDLE_STEP_EARLY);
}

static uint32_t access_of(const struct thread *thread)
{
	/* One that does not wait has tried it right before: see tries_again in world/sync/operation.c. */
	if (thread->kind == HEDDLE_EVENT_THREAD_JOIN && thread->tried.code == thread->code &&
	    thread->tried.object == thread->object)
		return HEDDLE_CHOICE_READS;
	if (!heddle_event_is_access(thread->kind))
		return 0;
	return only_reads(thread) ? HEDDLE_CHOICE_READS : HEDDLE_CHOICE_WRITES;
}

static uint32_t size_of(const struct thread *thread)
{
	const struct heddle_site *site = (const struct heddle_site *)thread->code;
	return heddle_event_is_access(thread->kind) && site ? site->size : 0;
}

static void report_choice(struct thread *self, const struct thread *next, bool is_free)
{
	struct heddle_channel *channel = world.channel;
	const struct thread *from = world.current;
	uint64_t runnable = 0;
	for (uint32_t i = 0; i < world.runnable_count; i++)
		if (world.runnable[i]->index <= 64)
			runnable |= 1ul << (world.runnable[i]->index - 1);
		else
			channel->lost_choices++;
	if (channel->choice_count >= HEDDLE_CHOICES) {
		channel->lost_choices++;
		return;
	}
	channel->choices[channel->choice_count++] = (struct heddle_choice){ .thread = from->index,
									    .next = next->index,
									    .when = thread_when(self),
									    .runnable = runnable,
									    .is_free = is_free,
									    .kind = from->kind,
									    .code = from->code,
									    .object = (uintptr_t)from->object,
									    .access = access_of(from),
									    .size_bytes = size_of(from) };
}

void strategy_start(const struct strategy *strategy)
{
	struct heddle_channel *channel = world.channel;
	world.decides_hot_only = channel->flags & HEDDLE_CONTROL_HOT;
	world.decides_alone = world.slices_alone = world.is_long = false;
	if (world.decides_hot_only)
		hot_start();
	channel->choice_count = channel->pair_count = channel->reported_weight_count = channel->reported_step_count = 0;
	channel->lost_choices = channel->lost_steps = channel->point_count = 0;
	channel->fair_from = channel->early_count = channel->timed_count = 0;
	early_start();
	strategy->start();
}

struct thread *strategy_pick(const struct strategy *strategy, struct thread *self)
{
	if (world.is_fair)
		return strategy->pick(self);
	bool is_point = self && point_is_here(self), is_free = !self || self->is_yielding;
	if (is_point) {
		world.channel->point_count++;
		self->is_again = looks_again(self);
		self->points += !self->is_again;
	}
	struct thread *next = strategy->pick(self);
	if (next && world.channel->flags & HEDDLE_CONTROL_CHOICES && (is_point || is_free))
		report_choice(self, next, is_free);
	return next;
}

void strategy_report_weights(void)
{
	struct heddle_channel *channel = world.channel;
	uint32_t count = world.place_count < HEDDLE_WEIGHTS ? world.place_count : HEDDLE_WEIGHTS;
	for (uint32_t i = 1; i <= count; i++) {
		const struct thread *thread = &world.threads[i];
		channel->reported_weights[i - 1] =
			(struct heddle_weight){ thread->lineage, thread->lineage_above, thread->points };
	}
	channel->reported_weight_count = count;
}
