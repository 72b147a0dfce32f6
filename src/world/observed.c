/* observed.c: what an observer asks the world (rt/observe.h), answered by the parts that know it. */
#include "world/observed.h"

#include "rt/observe.h"
#include "world/access.h"
#include "world/callers.h"
#include "world/memory/heap.h"
#include "world/parts.h"
#include "world/shortcut.h"
#include "world/sync/sync.h"

static bool has_mutex(const volatile void *mutex)
{
	return sync_owner(HEDDLE_EVENT_MUTEX_LOCK, mutex) == world.current->index;
}

static uint64_t heap_calls(void)
{
	return heap_totals().calls;
}

static void beginning_of_current(void)
{
	report_beginning(world.current);
}

static struct observed answers = {
	.pages = world_pages,
	.fail = world_fail,
	.has_mutex = has_mutex,
	.heap_find = heap_find,
	.heap_note = heap_note,
	.heap_is_noted = heap_is_noted,
	.heap_set_maker = heap_set_maker,
	.heap_maker = heap_maker,
	.heap_calls = heap_calls,
	.announce_range = access_announce_range,
	.announce_atomic = access_announce_atomic,
	.announce_again = access_announce_again,
	.touch = access_touch,
	.decide = access_decide,
	.is_quiet_reported = shortcut_is_quiet_reported,
	.callers_here = callers_here,
	.callers_of = callers_of,
	.report_beginning = beginning_of_current,
	.report_stack = report_stack,
	.report_modules = report_modules,
};

int observed_start(void)
{
	answers.channel = world.channel;
	return observe_start(&answers, world.current->index, &world.current->track);
}

int observed_attach(const struct object *object, struct heddle_hooks *hooks)
{
	return shortcut_attach(object, observer->attach(object, hooks), observer->number);
}

/* A detailed run is about events: it records quiet accesses, but not all rounds of a loop. */
void observed_begin(void)
{
	bool is_audit = world.channel->flags & HEDDLE_CONTROL_AUDIT && !world.is_detailed;
	observe_begin();
	if (observe_is_on() && is_audit && shortcut_report_quiet() < 0)
		report_note("proofs are not checked: the code cannot be modified", NULL);
}
