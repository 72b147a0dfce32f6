/* columns_rows.c: which rows a table of columns.h has: all of a range, or those most relevant to what is marked. */
#include <stdlib.h>
#include <string.h>

#include "narrate/columns_priv.h"

#define FOLD_MIN 3u  /* this many consecutive accesses become one row */
#define MAX_TURNS 6u /* preemptions that are shown around marks */
#define MAX_SAME 3u  /* events with the same object as a mark, for each mark */
#define MAX_SYNC 2u
#define LOOK_BACK 4000u /* items before a mark that are looked at */
#define MAX_AROUND 40u  /* items on both sides of a mark that fill the remaining room, ... */
#define FEW 20u         /* ... of a table of more rows than this; else this many: */
#define AROUND_FEW 3u

static const struct columns_mark *mark_of(const struct rows *self, size_t event)
{
	for (size_t i = 0; i < self->request->mark_count; i++)
		if (self->request->marks[i].event == event + 1 && !self->request->marks[i].what)
			return &self->request->marks[i];
	return NULL;
}

static void append(struct rows *self, struct row row)
{
	if (self->count == self->room) {
		self->room = self->room ? 2 * self->room : 64;
		self->items = mem_resize(self->items, self->room * sizeof *self->items);
	}
	self->items[self->count++] = row;
}

/* The marks that are not events and happened after these. */
static void add_extras(struct rows *self, size_t event, size_t count)
{
	for (size_t i = 0; i < self->request->mark_count; i++) {
		const struct columns_mark *mark = &self->request->marks[i];
		/* In numbers from 1, the events end at event + count; the very first one comes after number 0. */
		uint64_t last = event == SIZE_MAX ? 0 : event + count;
		if (mark->what && mark->event <= last && mark->event + count > last)
			append(self, (struct row){ .kind = ROW_EXTRA, .thread = mark->thread, .mark = mark });
	}
}

static void add(struct rows *self, struct row row)
{
	append(self, row);
	if (row.kind != ROW_TURN)
		add_extras(self, row.event, row.count);
}

static bool has_extra(const struct rows *self, size_t event)
{
	for (size_t i = 0; i < self->request->mark_count; i++)
		if (self->request->marks[i].what && self->request->marks[i].event == event + 1)
			return true;
	return false;
}

static struct row row_of(const struct rows *self, const struct timeline_item *item)
{
	const struct event *event = &self->timeline->events[item->event];
	struct row row = {
		.kind = item->is_turn ? ROW_TURN : ROW_EVENT, .thread = event->thread, .event = item->event, .count = 1
	};
	row.is_yield = item->is_turn && event->kind == HEDDLE_EVENT_YIELD;
	if (item->is_turn && item->event + 1 < self->timeline->count)
		row.next = event[1].thread;
	if (!item->is_turn)
		row.mark = mark_of(self, item->event);
	return row;
}

static bool is_access(const struct event *event)
{
	return event->kind == HEDDLE_EVENT_READ || event->kind == HEDDLE_EVENT_WRITE;
}

/* How many items from this one on become one row: accesses of one thread in a row, none of which is marked. */
static size_t run_from(const struct rows *self, size_t at, uint64_t last)
{
	const struct timeline_item *items = self->timeline->items;
	size_t end = at;
	while (end < self->timeline->item_count && !items[end].is_turn &&
	       self->timeline->events[items[end].event].number <= last &&
	       items[end].event == items[at].event + (end - at) &&
	       is_access(&self->timeline->events[items[end].event]) &&
	       self->timeline->events[items[end].event].thread == self->timeline->events[items[at].event].thread &&
	       !mark_of(self, items[end].event)) {
		end++;
		if (has_extra(self, items[end - 1].event))
			break;
	}
	return end - at;
}

static bool is_event_text(const struct row *row)
{
	return row->kind != ROW_TURN && row->kind != ROW_GAP;
}

static bool has_event_text(const struct rows *self, uint32_t thread)
{
	for (size_t i = 0; i < self->count; i++)
		if (is_event_text(&self->items[i]) && self->items[i].thread == thread)
			return true;
	return false;
}

/* The thread that a turn went to may have done nothing that is shown: a turn leads to the thread of the next row or,
 * when something is left out there, to one that has rows. A turn that leads nowhere, or back, is dropped. */
static void join_turns(struct rows *self)
{
	size_t count = 0;
	for (size_t i = 0; i < self->count; i++) {
		struct row row = self->items[i];
		struct row *last = count ? &self->items[count - 1] : NULL;
		if (row.kind == ROW_TURN && last && last->kind == ROW_TURN)
			last->next = row.next;
		else if (row.kind == ROW_GAP && last && last->kind == ROW_GAP)
			last->count += row.count;
		else
			self->items[count++] = row;
	}
	self->count = count;
}

static void aim_turns(struct rows *self)
{
	size_t count = 0;
	for (size_t i = 0; i < self->count; i++) {
		struct row row = self->items[i];
		const struct row *next = i + 1 < self->count ? &self->items[i + 1] : NULL;
		if (row.kind == ROW_TURN) {
			if (next && is_event_text(next))
				row.next = next->thread;
			if (row.next == row.thread || !has_event_text(self, row.next) ||
			    !has_event_text(self, row.thread))
				continue;
		}
		self->items[count++] = row;
	}
	self->count = count;
}

static void tidy(struct rows *self)
{
	join_turns(self);
	aim_turns(self);
	join_turns(self); /* gaps may be side by side now */
}

void rows_of_range(struct rows *self, struct columns_range range)
{
	if (range.first <= 1)
		add_extras(self, SIZE_MAX, 1); /* what happened before the first event */
	for (size_t i = 0; i < self->timeline->item_count;) {
		const struct timeline_item *item = &self->timeline->items[i];
		uint64_t number = self->timeline->events[item->event].number;
		if ((number ? number : 1) < range.first || number > range.last) {
			i++;
			continue;
		}
		struct row row = row_of(self, item);
		size_t run = item->is_turn ? 1 : run_from(self, i, range.last);
		if (run >= FOLD_MIN) {
			row.kind = ROW_FOLD;
			row.count = run;
		}
		add(self, row);
		i += row.kind == ROW_FOLD ? run : 1;
	}
	tidy(self);
}

/* A choice among the items of the timeline. */
struct choice {
	struct rows *rows;
	unsigned char *is_chosen; /* by item */
	size_t left;              /* rows that there is room for */
};

static const struct event *event_at(const struct choice *self, size_t item)
{
	return &self->rows->timeline->events[self->rows->timeline->items[item].event];
}

static bool is_of_interest(const struct choice *self, size_t item)
{
	return self->rows->timeline->items[item].is_turn || event_at(self, item)->kind != HEDDLE_EVENT_FUTEX;
}

static bool pick(struct choice *self, size_t item)
{
	if (self->is_chosen[item] || !self->left || !is_of_interest(self, item))
		return false;
	self->is_chosen[item] = 1;
	self->left--;
	return true;
}

/* The item in the same thread before this one, or after it; item itself when there is none near. */
static size_t neighbour(const struct choice *self, size_t item, int direction)
{
	const struct timeline *timeline = self->rows->timeline;
	size_t at = item;
	for (size_t looked = 0; looked < LOOK_BACK; looked++) {
		if (direction < 0 ? at == 0 : at + 1 >= timeline->item_count)
			break;
		at = direction < 0 ? at - 1 : at + 1;
		if (!timeline->items[at].is_turn && is_of_interest(self, at) &&
		    event_at(self, at)->thread == event_at(self, item)->thread)
			return at;
	}
	return item;
}

static void pick_turn(struct choice *self, size_t item)
{
	const struct timeline *timeline = self->rows->timeline;
	pick(self, item);
	pick(self, neighbour(self, item, -1));
	for (size_t at = item + 1; at < timeline->item_count; at++)
		if (!timeline->items[at].is_turn && is_of_interest(self, at)) {
			pick(self, at);
			break;
		}
	pick(self, neighbour(self, item, 1));
}

/* The nearest preemptions before the last mark. */
static void pick_turns(struct choice *self, size_t last)
{
	const struct timeline *timeline = self->rows->timeline;
	size_t turns = 0;
	for (size_t at = last + 1; at-- > 0 && turns < MAX_TURNS && self->left > 2;)
		if (timeline->items[at].is_turn) {
			pick_turn(self, at);
			turns++;
		}
}

/* Earlier events on the same object: which thread took the lock that is waited for, what else was done to the
 * variable. */
static void pick_same(struct choice *self, size_t item)
{
	uint64_t object = event_at(self, item)->object;
	size_t found = 0;
	for (size_t at = item, looked = 0; at-- > 0 && found < MAX_SAME && looked < LOOK_BACK; looked++)
		if (object && !self->rows->timeline->items[at].is_turn && event_at(self, at)->object == object &&
		    event_at(self, at)->kind != HEDDLE_EVENT_SYSCALL && is_of_interest(self, at)) {
			pick(self, at);
			found++;
		}
}

static bool is_sync(uint32_t kind)
{
	return kind != HEDDLE_EVENT_READ && kind != HEDDLE_EVENT_WRITE && kind != HEDDLE_EVENT_FUTEX &&
	       kind != HEDDLE_EVENT_SYSCALL;
}

/* What the thread of a mark did last that concerns others. */
static void pick_sync(struct choice *self, size_t item)
{
	size_t found = 0;
	for (size_t at = item, looked = 0; at-- > 0 && found < MAX_SYNC && looked < LOOK_BACK; looked++)
		if (!self->rows->timeline->items[at].is_turn &&
		    event_at(self, at)->thread == event_at(self, item)->thread && is_sync(event_at(self, at)->kind)) {
			pick(self, at);
			found++;
		}
}

static void for_marks(struct choice *self, void (*each)(struct choice *self, size_t item))
{
	const struct columns_request *request = self->rows->request;
	for (size_t i = 0; i < request->mark_count; i++)
		if (request->marks[i].event && request->marks[i].event <= self->rows->timeline->count)
			each(self, self->rows->timeline->done_at[request->marks[i].event - 1]);
}

static void pick_mark(struct choice *self, size_t item)
{
	pick(self, item);
}

static void pick_neighbours(struct choice *self, size_t item)
{
	pick(self, neighbour(self, item, -1));
	pick(self, neighbour(self, item, 1));
}

/* What is nearest to the marks, in any thread, until there is no room left. */
static void pick_around(struct choice *self)
{
	const struct rows *rows = self->rows;
	size_t limit = rows->request->max_rows > FEW ? MAX_AROUND : AROUND_FEW;
	for (size_t distance = 1; distance <= limit && self->left; distance++)
		for (size_t i = 0; i < rows->request->mark_count; i++) {
			uint64_t event = rows->request->marks[i].event;
			size_t at =
				event && event <= rows->timeline->count ? rows->timeline->done_at[event - 1] + 1 : 0;
			if (at > distance)
				pick(self, at - 1 - distance);
			if (at && at - 1 + distance < rows->timeline->item_count && distance < AROUND_FEW)
				pick(self, at - 1 + distance);
		}
}

static size_t last_mark(const struct choice *self)
{
	const struct columns_request *request = self->rows->request;
	size_t last = 0;
	for (size_t i = 0; i < request->mark_count; i++)
		if (request->marks[i].event && request->marks[i].event <= self->rows->timeline->count &&
		    self->rows->timeline->done_at[request->marks[i].event - 1] >= last)
			last = self->rows->timeline->done_at[request->marks[i].event - 1] + 1;
	return last ? last - 1 : self->rows->timeline->item_count - 1;
}

static void pick_last(struct choice *self)
{
	for (size_t at = self->rows->timeline->item_count; at-- > 0 && self->left;)
		pick(self, at);
}

static void choose(struct choice *self)
{
	for_marks(self, pick_mark);
	pick_turns(self, last_mark(self));
	for_marks(self, pick_same);
	for_marks(self, pick_sync);
	for_marks(self, pick_neighbours);
	pick_around(self);
	if (!self->rows->request->mark_count)
		pick_last(self);
}

void rows_of_marks(struct rows *self)
{
	const struct timeline *timeline = self->timeline;
	struct choice choice = { .rows = self, .left = self->request->max_rows };
	size_t left_out = 0;
	if (!timeline->item_count)
		return;
	choice.is_chosen = mem_alloc(timeline->item_count);
	choose(&choice);
	add_extras(self, SIZE_MAX, 1); /* what happened before the first event */
	for (size_t i = 0; i < timeline->item_count; i++) {
		bool is_host = !timeline->items[i].is_turn && has_extra(self, timeline->items[i].event);
		if (!choice.is_chosen[i] && !is_host) {
			left_out += !timeline->items[i].is_turn && is_of_interest(&choice, i);
			continue;
		}
		if (left_out && self->count)
			append(self, (struct row){ .kind = ROW_GAP, .count = left_out });
		else if (left_out)
			self->left_out = left_out;
		left_out = 0;
		if (is_of_interest(&choice, i))
			add(self, row_of(self, &timeline->items[i]));
		else
			add_extras(self, timeline->items[i].event, 1);
	}
	free(choice.is_chosen);
	tidy(self);
}
