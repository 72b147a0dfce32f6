/*
 * interleaving.c: see interleaving.h. The events of the replay are read twice: once to see which rows there are, and once for
 * those that are shown, so that a long run needs little memory.
 */
#include "cmd/interleaving.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/deed.h"
#include "cmd/line.h"
#include "cmd/report.h"
#include "cmd/scene.h"
#include "cmd/stack.h"
#include "launch/control.h"
#include "trace/events.h"

#define EVENTS_MOST 4000000u
#define EVENTS_AFTER 200u /* a mark, until the replay is cut off */
#define ROWS_AROUND 12u
#define ROWS_LAST 40u
#define FOLD_MIN 3u /* so many accesses in a row become one row, ... */
#define FOLD_MOST 500u
#define QUIET_SECONDS 5u
#define NO_SITE SIZE_MAX

struct row {
	uint64_t first; /* number of its first event */
	uint32_t count, thread;
	size_t site; /* that is here, or NO_SITE */
	bool is_access, is_shown;
};

struct rows {
	struct row *items;
	size_t count, room;
	const struct interleaving_mark *marks;
	uint32_t *threads; /* by mark: whose last event it is; 0: nobody's */
	uint64_t *events;  /* by mark: the one that announced it; 0: not known */
	size_t mark_count;
};

static size_t site_at(const struct rows *self, uint64_t event)
{
	for (size_t i = 0; i < self->mark_count; i++)
		if (self->events[i] == event)
			return i;
	return NO_SITE;
}

/* Between the event of a thread and what it announces there may be events of others, and the number of a mark may be that of
 * one of these. */
static void find_event(struct rows *self, uint64_t number, const struct event *event)
{
	for (size_t i = 0; i < self->mark_count; i++)
		if (number <= self->marks[i].event && event->thread == self->marks[i].thread)
			self->events[i] = number;
}

static void add_event(struct rows *self, uint64_t number, const struct event *event)
{
	struct row *last = self->count ? &self->items[self->count - 1] : NULL;
	struct row row = { .first = number,
			   .count = 1,
			   .thread = event->thread,
			   .site = site_at(self, number),
			   .is_access = event->kind == HEDDLE_EVENT_READ || event->kind == HEDDLE_EVENT_WRITE };
	if (last && last->is_access && row.is_access && last->thread == row.thread && last->site == NO_SITE &&
	    row.site == NO_SITE && last->count < FOLD_MOST) {
		last->count++;
		return;
	}
	if (self->count == self->room) {
		self->room = self->room ? self->room * 2 : 256;
		self->items = mem_resize(self->items, self->room * sizeof *self->items);
	}
	self->items[self->count++] = row;
}

static void show(struct rows *self, size_t from, size_t to)
{
	for (size_t i = from; i < to && i < self->count; i++)
		self->items[i].is_shown = true;
}

/* Marks without an event are the last of their thread. */
static void mark_last(struct rows *self)
{
	for (size_t i = 0; i < self->mark_count; i++) {
		size_t at = self->count;
		while (self->threads[i] && at > 0) {
			struct row *row = &self->items[--at];
			if (row->thread != self->threads[i])
				continue;
			if (row->site == NO_SITE)
				row->site = i;
			break;
		}
	}
}

static bool is_taken(const struct rows *self, uint32_t thread)
{
	for (size_t i = 0; i < self->mark_count; i++)
		if (self->threads[i] == thread)
			return true;
	return false;
}

static bool is_there(struct scene *scene, const struct report_thread *thread, const struct interleaving_mark *mark)
{
	struct scene_place place;
	return mark->file && scene_own_place(scene, thread, &place) && place.file && place.line == mark->line &&
	       strcmp(place.file, mark->file) == 0;
}

static void find_threads(struct rows *self, const struct report *report)
{
	struct scene scene = { 0 };
	scene_set(&scene, report);
	for (int is_other = 0; is_other < 2; is_other++)
		for (size_t i = 0; i < self->mark_count; i++)
			for (size_t j = 0; j < report->thread_count; j++) {
				const struct report_thread *thread = &report->threads[j];
				if (!self->marks[i].event && !self->threads[i] && !is_taken(self, thread->index) &&
				    (is_other || thread->index == self->marks[i].thread) &&
				    is_there(&scene, thread, &self->marks[i]))
					self->threads[i] = thread->index;
			}
	scene_release(&scene);
}

static void choose(struct rows *self)
{
	bool is_marked = false;
	mark_last(self);
	for (size_t i = 0; i < self->count; i++) {
		if (self->items[i].site == NO_SITE)
			continue;
		is_marked = is_marked || self->marks[self->items[i].site].event;
		show(self, i > ROWS_AROUND ? i - ROWS_AROUND : 0, i + ROWS_AROUND / 2);
	}
	if (!is_marked)
		show(self, self->count > ROWS_LAST ? self->count - ROWS_LAST : 0, self->count);
}

static void add_row(struct buf *out, struct deeds *deeds, const struct row *row, const struct event *events)
{
	uint32_t line;
	struct buf what = { 0 };
	const char *file = deeds_place(deeds, &events[0], &line);
	if (row->count > 1)
		deeds_fold_what(&what, deeds, events, row->count);
	else
		deeds_describe_what(&what, deeds, events);
	buf_format(out, "{\"event\":%" PRIu64 ",\"count\":%" PRIu32 ",\"thread\":%" PRIu32 ",\"file\":", row->first,
		   row->count, row->thread);
	text_json(out, file);
	buf_add_string(out, ",");
	line_add_json(out, line);
	buf_add_string(out, ",\"what\":");
	text_json(out, what.data);
	buf_add_string(out, ",\"site\":");
	if (row->site == NO_SITE)
		buf_add_string(out, "null}");
	else
		buf_format(out, "%zu}", row->site);
	buf_release(&what);
}

/* Two accesses are told one by one. */
static void add_rows(struct buf *out, struct deeds *deeds, const struct row *row, const struct event *events,
		     bool *is_next)
{
	struct row one = *row;
	bool is_folded = row->count >= FOLD_MIN;
	for (uint32_t i = 0; i < row->count; i += one.count) {
		one.first = row->first + i;
		one.count = is_folded ? row->count : 1;
		/* A thread's last event is the last of its row. */
		one.site = is_folded || i + 1 == row->count ? row->site : NO_SITE;
		buf_add_string(out, *is_next ? "," : "");
		add_row(out, deeds, &one, &events[i]);
		*is_next = true;
	}
}

static int add_interleaving(struct buf *out, const struct rows *rows, struct events *events, struct deeds *deeds)
{
	struct event kept[FOLD_MOST], event;
	size_t at = 0;
	int code = 0;
	bool is_next = false;
	uint32_t taken = 0;
	buf_add_string(out, "\"interleaving\":[");
	while (at < rows->count && (code = events_next(events, &event)) > 0) {
		const struct row *row = &rows->items[at];
		kept[taken++] = event;
		if (taken < row->count)
			continue;
		if (row->is_shown)
			add_rows(out, deeds, row, kept, &is_next);
		taken = 0;
		at++;
	}
	buf_add_string(out, "]");
	return code < 0 ? code : 0;
}

static bool is_shown_thread(const struct rows *rows, uint32_t thread)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].is_shown && rows->items[i].thread == thread)
			return true;
	return false;
}

static void add_threads(struct buf *out, const struct rows *rows, const struct report *report)
{
	struct symbols *symbols = symbols_new(report);
	struct unwinder *unwinder = unwinder_new(report, symbols);
	bool is_next = false;
	buf_add_string(out, "\"threads\":{");
	for (size_t i = 0; i < report->thread_count; i++) {
		const struct report_thread *thread = &report->threads[i];
		struct buf name = { 0 };
		if (!is_shown_thread(rows, thread->index))
			continue;
		if (thread->name[0])
			text_terminal(&name, thread->name);
		else
			stack_tell_start(&name, unwinder, symbols, thread);
		buf_format(out, "%s\"%" PRIu32 "\":", is_next ? "," : "", thread->index);
		text_json(out, name.data ? name.data : "");
		is_next = true;
		buf_release(&name);
	}
	buf_add_string(out, "},");
	unwinder_free(unwinder);
	symbols_free(symbols);
}

static int tell(struct buf *out, const struct trace *now, struct rows *rows, struct err *err)
{
	struct events *events = mem_alloc(sizeof *events);
	struct report report;
	struct event event;
	struct buf text = { 0 };
	int code;
	*events = (struct events){
		.fd = now->log_fd, .fd_bytes = now->log_bytes, .tail = now->tail, .tail_bytes = now->tail_bytes
	};
	report_parse(&report, now->report.data ? now->report.data : "", now->report.size);
	for (uint64_t number = 1; (code = events_next(events, &event)) > 0; number++)
		find_event(rows, number, &event);
	events_rewind(events);
	for (uint64_t number = 1; code == 0 && (code = events_next(events, &event)) > 0; number++) {
		add_event(rows, number, &event);
		code = 0;
	}
	if (code == 0) {
		struct deeds *deeds = deeds_new(&report);
		find_threads(rows, &report);
		choose(rows);
		events_rewind(events);
		add_threads(&text, rows, &report);
		code = add_interleaving(&text, rows, events, deeds);
		deeds_free(deeds);
	}
	if (code < 0)
		err_set(err, -code, "the events that the replay wrote cannot be read: %s", strerror(-code));
	else
		buf_add(out, text.data, text.size);
	buf_release(&text);
	report_release(&report);
	free(events);
	return code;
}

/* What a replay needs to have, at most; 0: all of it. */
static uint64_t last_of(const struct rows *rows)
{
	uint64_t last = 0;
	for (size_t i = 0; i < rows->mark_count; i++) {
		if (!rows->marks[i].event)
			return 0;
		last = rows->marks[i].event > last ? rows->marks[i].event : last;
	}
	return last;
}

static int replay(struct buf *out, const struct trace *recorded, struct rows *rows, struct err *err)
{
	struct control control;
	struct trace now = *recorded;
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	uint64_t last = last_of(rows);
	const struct control_setup setup = {
		.flags = HEDDLE_CONTROL_DISCARD,
		.is_detailed = true,
		.is_replay = true,
		.is_unattended = true,
		.has_own_session = true,
		.has_streams = true,
		.streams = { nothing, nothing, nothing },
		.quiet_seconds = QUIET_SECONDS,
	};
	now.report = (struct buf){ 0 };
	if (last)
		now.ask.event_budget = last + EVENTS_AFTER;
	control_init(&control);
	int code = control_start(&control, &now, &setup, err);
	now.log_fd = -1;
	if (code == 0)
		code = control_finish(&control, &now, err);
	if (code == 0 && now.result.outcome == HEDDLE_OUTCOME_DIVERGED)
		code = err_set(err, EINVAL, "the replay of \"%s\" left its path", recorded->program);
	if (code == 0)
		code = tell(out, &now, rows, err);
	if (now.log_fd >= 0)
		close(now.log_fd);
	control_release(&control);
	buf_release(&now.report);
	if (nothing >= 0)
		close(nothing);
	return code;
}

int interleaving_json(struct buf *out, const char *trace, const struct interleaving_mark *marks, size_t count,
		      struct err *err)
{
	struct trace recorded;
	struct rows rows = { .marks = marks, .mark_count = count };
	rows.threads = mem_alloc((count + 1) * sizeof *rows.threads);
	rows.events = mem_alloc((count + 1) * sizeof *rows.events);
	trace_init(&recorded);
	int code = trace_read(trace, &recorded, err);
	uint64_t last = last_of(&rows), events = last ? last : recorded.result.event_count;
	if (code == 0 && events > EVENTS_MOST)
		code = err_set(err, EFBIG, "the run has %" PRIu64 " events until then, too many to look at", events);
	if (code == 0)
		code = replay(out, &recorded, &rows, err);
	free(rows.items);
	free(rows.threads);
	free(rows.events);
	trace_free(&recorded);
	return code;
}
