/* between.c: see between.h. */
#include "narrate/between.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/line.h"

#define MAX_EVENTS (1u << 22)

struct list {
	struct event *items;
	size_t count, room;
	struct event *expiries; /* their numbers are those of the events before them */
	size_t expiry_count, expiry_room;
};

/* Where a step is among the events. Places are numbers of events plus 1; 0: there is none. */
struct crossing {
	const struct heddle_step *step;
	size_t before, after;       /* of the thread that was left */
	size_t first, last;         /* of the other one, until the thread goes on */
	size_t at;                  /* the last event before the switch */
	size_t end;                 /* how many events there are until the thread goes on */
	const struct event *expiry; /* of a step that lets a wait end early */
};

static void add_expiry(struct list *self, const struct event *event)
{
	if (self->expiry_count == self->expiry_room) {
		self->expiry_room = self->expiry_room ? 2 * self->expiry_room : 16;
		self->expiries = mem_resize(self->expiries, self->expiry_room * sizeof *self->expiries);
	}
	self->expiries[self->expiry_count++] = *event;
}

static int load(struct list *self, struct events *events)
{
	struct event event;
	int code;
	while ((code = events_next(events, &event)) > 0) {
		if (event.is_expiry)
			add_expiry(self, &event);
		if (event.is_touch || event.is_expiry)
			continue;
		if (self->count == MAX_EVENTS)
			return -E2BIG;
		if (self->count == self->room) {
			self->room = self->room ? 2 * self->room : 1024;
			self->items = mem_resize(self->items, self->room * sizeof *self->items);
		}
		self->items[self->count++] = event;
	}
	return code;
}

/* When the thread of the event stands before it. */
static uint64_t when_of(const struct list *events, size_t place)
{
	uint32_t thread = events->items[place - 1].thread;
	uint64_t own = 0, futexes = 0;
	for (size_t i = 0; i < place; i++) {
		if (events->items[i].thread != thread)
			continue;
		bool is_futex = events->items[i].kind == HEDDLE_EVENT_FUTEX;
		own += !is_futex;
		futexes = is_futex ? futexes + 1 : 0;
	}
	return own * HEDDLE_WHEN + (futexes < 255 ? futexes : 255) * 4;
}

/* The event that is the thread's last then. */
static size_t find_when(const struct list *events, uint32_t thread, uint64_t when)
{
	uint64_t own = when / HEDDLE_WHEN, futexes = when % HEDDLE_WHEN / 4;
	size_t found = 0;
	for (size_t i = 0; i < events->count; i++) {
		if (events->items[i].thread != thread)
			continue;
		if (events->items[i].kind != HEDDLE_EVENT_FUTEX) {
			if (own == 0)
				break;
			own--;
		} else if (own == 0) {
			if (futexes == 0)
				break;
			futexes--;
		}
		found = own == 0 ? i + 1 : 0;
	}
	return futexes ? 0 : found;
}

/* The thread's nearest event before a place, or after it, that is not a futex of the operation of another one. */
static size_t find_before(const struct list *events, uint32_t thread, size_t place)
{
	for (size_t i = place - 1; i > 0; i--)
		if (events->items[i - 1].thread == thread && events->items[i - 1].kind != HEDDLE_EVENT_FUTEX)
			return i;
	return 0;
}

static size_t find_behind(const struct list *events, uint32_t thread, size_t place, bool with_futexes)
{
	for (size_t i = place; i < events->count; i++)
		if (events->items[i].thread == thread && (with_futexes || events->items[i].kind != HEDDLE_EVENT_FUTEX))
			return i + 1;
	return 0;
}

/* Whether the event is one that its thread was switched away from, before it did it. */
static bool is_left(const struct list *events, const struct heddle_step *steps, size_t count, size_t place)
{
	uint64_t when = when_of(events, place);
	for (size_t i = 0; i < count; i++)
		if (steps[i].thread == events->items[place - 1].thread && steps[i].when == when)
			return true;
	return false;
}

/* What the other thread does from the event at on, until the thread goes on before end. Its first event is the one that it
 * stood before, or in, all the time. */
static void find_event_texts(const struct list *events, const struct heddle_step *steps, size_t count,
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

/* The wait of a thread that ends early there. */
static bool locate_early(const struct list *events, const struct heddle_step *step, struct crossing *crossing)
{
	const uint32_t thread = step->next & ~HEDDLE_STEP_EARLY;
	crossing->end = events->count;
	for (size_t i = 0; i < events->expiry_count && !crossing->expiry; i++)
		if (events->expiries[i].thread == thread && events->expiries[i].number >= crossing->at)
			crossing->expiry = &events->expiries[i];
	if (!crossing->expiry)
		return false;
	crossing->first = find_before(events, thread, crossing->at + 1);
	/* The first thing that another thread does then; a thread that was at an event before has not done that yet. */
	size_t after = crossing->at;
	while (after < events->count && events->items[after].thread == thread)
		after++;
	if (!(step->when & 2))
		crossing->after =
			step->when & 1 ? find_behind(events, step->thread, crossing->at, false) : crossing->at;
	else if (after < events->count)
		crossing->after = find_before(events, events->items[after].thread, crossing->at + 1);
	if (!crossing->after && after < events->count)
		crossing->after = after + 1;
	return true;
}

static bool locate(const struct list *events, const struct heddle_step *steps, size_t count, size_t which,
		   struct crossing *crossing)
{
	const struct heddle_step *step = &steps[which];
	size_t at = find_when(events, step->thread, step->when);
	*crossing = (struct crossing){ .step = step, .at = at };
	if (!at)
		return false;
	if (step_is_early(step))
		return locate_early(events, step, crossing);
	size_t next = find_behind(events, step->thread, at, true);
	crossing->end = next ? next - 1 : events->count;
	find_event_texts(events, steps, count, crossing, crossing->end);
	bool is_futex = events->items[at - 1].kind == HEDDLE_EVENT_FUTEX;
	bool is_inside = step->when & 1 || is_futex;
	crossing->before = is_inside && !is_futex ? at : find_before(events, step->thread, at);
	crossing->after = is_inside ? find_behind(events, step->thread, at, false) : at;
	return true;
}

static int compare_crossings(const void *a, const void *b)
{
	const struct crossing *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* A futex is where the operation before it waits; people know the operation. */
static void add_event(struct buf *out, struct event_texts *event_texts, const struct list *events, size_t place)
{
	const struct event *event = &events->items[place - 1];
	size_t before = event->kind == HEDDLE_EVENT_FUTEX ? find_before(events, event->thread, place) : 0;
	event_texts_describe(out, event_texts, before ? &events->items[before - 1] : event);
}

#define MAX_OTHERS 8u
#define CROSSINGS_SHOWN 10u

static void add_event_texts(struct buf *out, struct event_texts *event_texts, const struct list *events, size_t first,
			    size_t last)
{
	buf_add_string(out, last != first ? ": from " : ": ");
	add_event(out, event_texts, events, first);
	if (last == first)
		return;
	buf_add_string(out, " to ");
	add_event(out, event_texts, events, last);
}

/* Threads that run there because the one that has to waits or ends: what it is about may be theirs. */
static void describe_others(struct buf *out, const struct crossing *crossing, const struct list *events,
			    struct event_texts *event_texts)
{
	uint32_t named[MAX_OTHERS] = { crossing->step->next };
	unsigned count = 1;
	for (size_t i = crossing->at; i < crossing->end && count < MAX_OTHERS; i++) {
		uint32_t thread = events->items[i].thread;
		bool is_named = false;
		size_t last = i;
		for (unsigned k = 0; k < count; k++)
			is_named |= named[k] == thread;
		if (is_named)
			continue;
		for (size_t k = i; k < crossing->end; k++)
			if (events->items[k].thread == thread)
				last = k;
		named[count++] = thread;
		buf_format(out, "\n  then, at the same point, thread %u", thread);
		add_event_texts(out, event_texts, events, i + 1, last + 1);
	}
}

static void add_length(struct buf *out, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	unsigned unit = 0;
	while (unit < 3 && ns < units[unit].ns)
		unit++;
	/* At most three digits after the point: the time of a clock call is not part of the requested time. */
	buf_format(out, "%.4g %s", (double)ns / (double)units[unit].ns, units[unit].name);
}

void between_add_wait(struct buf *out, const struct event *expiry, const struct event *before,
		      struct event_texts *event_texts)
{
	uint32_t line;
	const char *file = before ? event_texts_place(event_texts, before, &line) : NULL;
	buf_format(out, "thread %u's %s", expiry->thread, expiry->kind ? "sleep" : "time-out");
	if (expiry->object) {
		buf_add_string(out, " of ");
		add_length(out, expiry->object);
	}
	if (file) {
		const char *slash = strrchr(file, '/');
		buf_add_string(out, " at ");
		line_add(out, slash ? slash + 1 : file, line);
	}
}

/* "thread 2's sleep of 500 us at queue.c:12 must end before queue.c:30 write q->head of thread 1" */
static void describe_early(struct buf *out, const struct crossing *crossing, const struct list *events,
			   struct event_texts *event_texts)
{
	between_add_wait(out, crossing->expiry, crossing->first ? &events->items[crossing->first - 1] : NULL,
			 event_texts);
	if (crossing->after) {
		buf_add_string(out, " must end before ");
		add_event(out, event_texts, events, crossing->after);
		buf_format(out, " of thread %u\n", events->items[crossing->after - 1].thread);
	} else {
		buf_add_string(out, " must end early\n");
	}
}

static void describe(struct buf *out, const struct crossing *crossing, const struct list *events,
		     struct event_texts *event_texts)
{
	const struct heddle_step *step = crossing->step;
	if (step_is_early(step)) {
		describe_early(out, crossing, events, event_texts);
		return;
	}
	if (step->next == step->thread) {
		buf_format(out, "thread %u must run on directly after its own wait at ", step->thread);
		add_event(out, event_texts, events, crossing->at);
		buf_add_string(out, "\n");
		return;
	}
	if (!step_is_preemption(step)) {
		buf_format(out, "thread %u must be the next to run when thread %u waits at ", step->next, step->thread);
		add_event(out, event_texts, events, crossing->at);
	} else {
		buf_format(out, "thread %u must run ", step->next);
		if (crossing->before && crossing->after) {
			buf_add_string(out, "between ");
			add_event(out, event_texts, events, crossing->before);
			buf_add_string(out, " and ");
			add_event(out, event_texts, events, crossing->after);
		} else {
			buf_add_string(out, crossing->after ? "before " : "after ");
			add_event(out, event_texts, events, crossing->after ? crossing->after : crossing->before);
		}
		buf_format(out, " of thread %u", step->thread);
	}
	if (crossing->first)
		add_event_texts(out, event_texts, events, crossing->first, crossing->last);
	if (step_is_preemption(step))
		describe_others(out, crossing, events, event_texts);
	buf_add_string(out, "\n");
}

int between_describe(struct buf *out, const struct heddle_step *steps, size_t count, struct events *events,
		     struct event_texts *event_texts)
{
	struct list list = { 0 };
	struct crossing *crossings = mem_alloc((count + 1) * sizeof *crossings);
	size_t found = 0;
	int code = load(&list, events);
	event_texts_take_callers(event_texts, &events->callers);
	event_texts_learn(event_texts, list.items, list.count);
	for (size_t i = 0; i < count && code == 0; i++)
		found += locate(&list, steps, count, i, &crossings[found]);
	qsort(crossings, found, sizeof *crossings, compare_crossings);
	for (size_t i = 0; i < found && i < CROSSINGS_SHOWN; i++)
		describe(out, &crossings[i], &list, event_texts);
	if (found > CROSSINGS_SHOWN)
		buf_format(out, "... and %zu more\n", found - CROSSINGS_SHOWN);
	free(crossings);
	free(list.items);
	free(list.expiries);
	return code;
}
