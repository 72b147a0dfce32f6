/* between.c: see between.h. */
#include "cmd/between.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MOST (1u << 22)

struct list {
	struct event *items;
	size_t count, room;
};

/* Where a step is among the events. Places are numbers of events plus 1; 0: there is none. */
struct crossing {
	const struct heddle_step *step;
	size_t before, after; /* of the thread that was left */
	size_t first, last;   /* of the other one, until the thread goes on */
	size_t at;            /* the last event before the switch */
};

static int load(struct list *self, struct events *events)
{
	struct event event;
	int code;
	while ((code = events_next(events, &event)) > 0) {
		if (self->count == EVENTS_MOST)
			return -E2BIG;
		if (self->count == self->room) {
			self->room = self->room ? 2 * self->room : 1024;
			self->items = mem_resize(self->items, self->room * sizeof *self->items);
		}
		self->items[self->count++] = event;
	}
	return code;
}

/* The thread's event of that number, from 1. */
static size_t find_own(const struct list *events, uint32_t thread, uint64_t number)
{
	for (size_t i = 0; i < events->count; i++)
		if (events->items[i].thread == thread && --number == 0)
			return i + 1;
	return 0;
}

/* Whether the event is one that its thread was switched away from, before it did it. */
static bool is_left(const struct list *events, const struct heddle_step *steps, size_t count, size_t place)
{
	uint32_t thread = events->items[place - 1].thread;
	uint64_t number = 0;
	for (size_t i = 0; i < place; i++)
		number += events->items[i].thread == thread;
	for (size_t i = 0; i < count; i++)
		if (steps[i].thread == thread && steps[i].when == number * 4)
			return true;
	return false;
}

/* What the other thread does from the event at on, until the thread goes on before end. Its first deed is the one that it
 * stood before, or in, all the time. */
static void find_deeds(const struct list *events, const struct heddle_step *steps, size_t count,
		       struct crossing *crossing, size_t end)
{
	uint32_t next = crossing->step->next;
	size_t previous = 0;
	for (size_t i = crossing->at; i > 0 && !crossing->first; i--)
		if (events->items[i - 1].thread == next)
			crossing->first = i;
	for (size_t i = crossing->at; i < end; i++)
		if (events->items[i].thread == next) {
			crossing->first = crossing->first ? crossing->first : i + 1;
			previous = crossing->last;
			crossing->last = i + 1;
		}
	if (crossing->last && is_left(events, steps, count, crossing->last))
		crossing->last = previous;
	if (!crossing->last)
		crossing->last = crossing->first;
}

static bool locate(const struct list *events, const struct heddle_step *steps, size_t count, size_t which,
		   struct crossing *crossing)
{
	const struct heddle_step *step = &steps[which];
	uint64_t number = step->when / 4;
	size_t at = number ? find_own(events, step->thread, number) : 0;
	*crossing = (struct crossing){ .step = step, .at = at };
	if (!at)
		return false;
	size_t next = find_own(events, step->thread, number + 1);
	find_deeds(events, steps, count, crossing, next ? next - 1 : events->count);
	bool is_inside = step->when & 1;
	crossing->before = is_inside ? at : number > 1 ? find_own(events, step->thread, number - 1) : 0;
	crossing->after = is_inside ? next : at;
	return true;
}

static int compare_crossings(const void *a, const void *b)
{
	const struct crossing *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void add_event(struct buf *out, struct deeds *deeds, const struct list *events, size_t place)
{
	deeds_describe(out, deeds, &events->items[place - 1]);
}

static void describe(struct buf *out, const struct crossing *crossing, const struct list *events, struct deeds *deeds)
{
	const struct heddle_step *step = crossing->step;
	if (!step_is_preemption(step)) {
		buf_format(out, "thread %u must be the next to run when thread %u waits at ", step->next, step->thread);
		add_event(out, deeds, events, crossing->at);
	} else {
		buf_format(out, "thread %u must run ", step->next);
		if (crossing->before && crossing->after) {
			buf_add_string(out, "between ");
			add_event(out, deeds, events, crossing->before);
			buf_add_string(out, " and ");
			add_event(out, deeds, events, crossing->after);
		} else {
			buf_add_string(out, crossing->after ? "before " : "after ");
			add_event(out, deeds, events, crossing->after ? crossing->after : crossing->before);
		}
		buf_format(out, " of thread %u", step->thread);
	}
	if (crossing->first) {
		buf_add_string(out, crossing->last != crossing->first ? ": from " : ": ");
		add_event(out, deeds, events, crossing->first);
	}
	if (crossing->first && crossing->last != crossing->first) {
		buf_add_string(out, " to ");
		add_event(out, deeds, events, crossing->last);
	}
	buf_add_string(out, "\n");
}

int between_describe(struct buf *out, const struct heddle_step *steps, size_t count, struct events *events,
		     struct deeds *deeds)
{
	struct list list = { 0 };
	struct crossing *crossings = mem_alloc((count + 1) * sizeof *crossings);
	size_t found = 0;
	int code = load(&list, events);
	for (size_t i = 0; i < count && code == 0; i++)
		found += locate(&list, steps, count, i, &crossings[found]);
	qsort(crossings, found, sizeof *crossings, compare_crossings);
	for (size_t i = 0; i < found; i++)
		describe(out, &crossings[i], &list, deeds);
	free(crossings);
	free(list.items);
	return code;
}
