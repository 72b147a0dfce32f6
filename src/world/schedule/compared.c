/* compared.c: see compared.h. The lines of the report are described at struct heddle_channel. */
#include "world/schedule/compared.h"

#include "heddle/events.h"
#include "world/memory/state.h"
#include "world/parts.h"
#include "world/schedule/strategy_priv.h"

/* Different places and words that are noted. */
#define MAX_NOTED 2048u
#define NOTED_SLOTS (2 * MAX_NOTED)
/* Yields of the two threads, and events, before a region is assumed not to end. */
#define MAX_YIELDS 64u

struct set {
	uint64_t slots[NOTED_SLOTS]; /* 0 is free */
	uint32_t count;
	bool is_full;
};

static struct set visited, touched;
static struct thread *threads[2]; /* the first and the second; null: not begun */
static bool has_ended[2];
static bool is_making; /* the first thread is next, and right before its access */
static uint32_t yields;
static uint64_t begun_at;

void compared_start(void)
{
	visited = touched = (struct set){ .count = 0 };
	threads[0] = threads[1] = NULL;
	has_ended[0] = has_ended[1] = is_making = false;
	yields = 0;
}

static void set_add(struct set *set, uint64_t key)
{
	if (!key)
		return;
	uint64_t at = key * 0x9e3779b97f4a7c15ul >> 48;
	for (at %= NOTED_SLOTS; set->slots[at]; at = (at + 1) % NOTED_SLOTS)
		if (set->slots[at] == key)
			return;
	if (set->count == MAX_NOTED) {
		set->is_full = true;
		return;
	}
	set->slots[at] = key;
	set->count++;
}

static void set_report(const struct set *set, const char *word)
{
	for (uint32_t i = 0; i < NOTED_SLOTS; i++) {
		if (!set->slots[i])
			continue;
		report_put(word);
		report_put_number(set->slots[i], 16);
		report_put("\n");
	}
	if (set->is_full) {
		report_put(word);
		report_put("more\n");
	}
}

void compared_keep(void)
{
	state_keep();
}

void compared_note(const struct thread *self)
{
	if (!self || !world.is_deciding)
		return;
	set_add(&visited, self->code);
	if (heddle_event_is_access(self->kind))
		set_add(&touched, (uintptr_t)self->object & -8ul);
}

void compared_begin(struct thread *first, struct thread *second, bool is_first_made)
{
	threads[0] = first;
	threads[1] = second;
	is_making = !is_first_made;
	begun_at = world_events();
}

bool compared_is_on(void)
{
	return threads[0] != NULL;
}

bool compared_is_at_end(const struct thread *thread)
{
	return thread->state != THREAD_RUNNABLE ||
	       (thread->kind != HEDDLE_EVENT_READ && thread->kind != HEDDLE_EVENT_WRITE);
}

static _Noreturn void end(const char *how)
{
	report_put("compared ");
	report_put(how);
	report_put("\n");
	state_drop();
	world_end(HEDDLE_OUTCOME_PREFIX, 0);
}

_Noreturn void compared_give_up(void)
{
	end("not");
}

static _Noreturn void report(void)
{
	bool is_known = state_report();
	set_report(&visited, "visited ");
	set_report(&touched, "touched ");
	report_threads();
	end(is_known ? "ended" : "unknown");
}

/* A thread that waits for the other one by looking again lets it go on. */
static struct thread *choose(const struct thread *self)
{
	size_t at = has_ended[0] ? 1 : 0;
	if (self && self->is_yielding && self == threads[at] && !has_ended[1 - at])
		at = 1 - at;
	return threads[at];
}

struct thread *compared_pick(struct thread *self)
{
	if (is_making) {
		is_making = false;
		return threads[0];
	}
	for (size_t i = 0; i < 2; i++)
		has_ended[i] |= compared_is_at_end(threads[i]);
	if (has_ended[0] && has_ended[1])
		report();
	if ((self && self->is_yielding && ++yields > MAX_YIELDS) ||
	    world_events() - begun_at > world.channel->hold.budget)
		end("endless");
	struct thread *next = choose(self);
	if (self)
		self->is_yielding = false;
	return next;
}
