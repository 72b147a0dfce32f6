/* interleaving.c: see interleaving.h. */
#include "narrate/interleaving.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/scene.h"
#include "narrate/columns_priv.h"
#include "narrate/narrate.h"
#include "symbols/line.h"

#define NO_SITE SIZE_MAX

struct interleaving {
	const struct finding *finding, *shown;
	const struct timeline *timeline;
	struct narrate_marks marks;
	uint32_t *ends; /* by site: the thread that was there at the end, of those that have no mark; 0: none */
	struct rows rows;
	struct json_writer out;
};

static bool is_same_place(const struct finding_site *a, const struct finding_site *b)
{
	return a->line == b->line && a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* The site of `finding` that corresponds to a site of `shown`: the one with the same number, if it is at the same
 * place. */
static size_t site_of(const struct interleaving *self, size_t shown)
{
	const struct finding *finding = self->finding;
	const struct finding_site *wanted = &self->shown->evidence.sites[shown];
	if (self->shown == finding ||
	    (shown < finding->evidence.site_count && is_same_place(&finding->evidence.sites[shown], wanted)))
		return shown;
	for (size_t i = 0; i < finding->evidence.site_count; i++)
		if (is_same_place(&finding->evidence.sites[i], wanted))
			return i;
	return NO_SITE;
}

static bool is_marked(const struct interleaving *self, uint32_t site)
{
	for (size_t i = 0; i < self->marks.count; i++)
		if (self->marks.items[i].site == site)
			return true;
	return false;
}

/* The mark of how the run ended for the thread that has none of a site yet; null: there is none. */
static struct columns_mark *last_mark(struct interleaving *self, uint32_t thread)
{
	for (size_t i = 0; i < self->marks.count; i++) {
		struct columns_mark *mark = &self->marks.items[i];
		if (!mark->what && !mark->site && mark->event && mark->event <= self->timeline->count &&
		    self->timeline->events[mark->event - 1].thread == thread)
			return mark;
	}
	return NULL;
}

static bool is_present(struct scene *scene, const struct report_thread *thread, const struct finding_site *site)
{
	struct scene_place place;
	return site->file && scene_own_place(scene, thread, &place) && place.file && place.line == site->line &&
	       strcmp(place.file, site->file) == 0;
}

static bool is_at_end(const struct interleaving *self, uint32_t thread)
{
	for (size_t i = 0; i < self->shown->evidence.site_count; i++)
		if (self->ends[i] == thread)
			return true;
	return false;
}

static void mark_end(struct interleaving *self, size_t site, uint32_t thread)
{
	struct columns_mark *mark = last_mark(self, thread);
	if (mark)
		mark->site = (uint32_t)site + 1;
	else if (!is_at_end(self, thread))
		self->ends[site] = thread;
}

/* Sites of how a run ended have no event: they are where threads were then. If there are several at a place, it is the
 * one with that number; another one may be there when the trace is not from the run that reported the number. */
static void mark_ends(struct interleaving *self)
{
	const struct report *report = &self->timeline->report;
	struct scene scene = { 0 };
	scene_set(&scene, report);
	for (int is_other = 0; is_other < 2; is_other++)
		for (size_t i = 0; i < self->shown->evidence.site_count; i++)
			for (size_t j = 0; j < report->thread_count; j++) {
				const struct report_thread *thread = &report->threads[j];
				const struct finding_site *site = &self->shown->evidence.sites[i];
				if (!site->event && !is_marked(self, (uint32_t)i + 1) && !self->ends[i] &&
				    (is_other || thread->index == site->thread) && is_present(&scene, thread, site))
					mark_end(self, i, thread->index);
			}
	scene_release(&scene);
}

static bool has_ends(const struct finding *finding)
{
	for (size_t i = 0; i < finding->evidence.site_count; i++)
		if (!finding->evidence.sites[i].event)
			return true;
	return false;
}

/* The site of a row, by number in the finding. */
static size_t site_at(const struct interleaving *self, const struct row *row)
{
	if (row->mark)
		return row->mark->site ? site_of(self, row->mark->site - 1) : NO_SITE;
	for (const struct row *later = row + 1; later < self->rows.items + self->rows.count; later++)
		if (later->kind != ROW_TURN && later->kind != ROW_GAP && later->thread == row->thread)
			return NO_SITE;
	for (size_t i = 0; i < self->shown->evidence.site_count; i++)
		if (self->ends[i] == row->thread)
			return site_of(self, i);
	return NO_SITE;
}

static void add_turn(struct json_writer *out, const struct row *turn)
{
	json_open_object(out, "turn");
	json_add_string(out, "how", turn->is_yield ? "yields" : "preempted");
	json_add_number(out, "thread", turn->thread);
	json_add_number(out, "next", turn->next);
	json_close_object(out);
}

/* Of the event at a place; 0: none. */
static uint64_t number_of(const struct interleaving *self, uint64_t place)
{
	return place && place <= self->timeline->count ? self->timeline->events[place - 1].number : 0;
}

static void add_row(struct interleaving *self, const struct row *row, const struct row *next, size_t left_out)
{
	struct json_writer *out = &self->out;
	struct buf what = { 0 };
	uint32_t line = 0;
	const char *file = rows_place(&self->rows, row, &line);
	const bool is_extra = row->kind == ROW_EXTRA;
	const bool is_event = !is_extra && !self->timeline->events[row->event].is_touch;
	size_t site = site_at(self, row);
	rows_describe_event(&what, &self->rows, row);
	json_open_object(out, NULL);
	json_add_number(out, "event", number_of(self, is_extra ? row->mark->event : row->event + 1));
	json_add_number(out, "count", is_event ? row->count : 0);
	json_add_number(out, "thread", row->thread);
	json_add_string(out, "file", file);
	line_add_json(out, line);
	json_add_string(out, "what", what.data);
	if (site == NO_SITE)
		json_add_null(out, "site");
	else
		json_add_number(out, "site", site);
	if (row->mark && row->mark->act)
		json_add_string(out, "act", row->mark->act);
	if (left_out)
		json_add_number(out, "left_out", left_out);
	if (next && next->kind == ROW_TURN)
		add_turn(out, next);
	json_close_object(out);
	buf_release(&what);
}

static void add_rows(struct interleaving *self)
{
	size_t left_out = self->rows.left_out;
	json_open_array(&self->out, "interleaving");
	for (size_t i = 0; i < self->rows.count; i++) {
		const struct row *row = &self->rows.items[i];
		if (row->kind == ROW_GAP)
			left_out += row->count;
		if (row->kind == ROW_GAP || row->kind == ROW_TURN)
			continue;
		add_row(self, row, i + 1 < self->rows.count ? row + 1 : NULL, left_out);
		left_out = 0;
	}
	json_close_array(&self->out);
}

static bool is_first_of_thread(const struct rows *rows, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (rows->items[i].thread == rows->items[at].thread)
			return false;
	return rows->items[at].thread;
}

static void add_threads(struct interleaving *self)
{
	struct symbols *symbols = symbols_new(&self->timeline->report);
	struct unwinder *unwinder = unwinder_new(&self->timeline->report, symbols);
	json_open_object(&self->out, "threads");
	for (size_t i = 0; i < self->rows.count; i++) {
		struct buf name = { 0 };
		char number[16];
		if (!is_first_of_thread(&self->rows, i))
			continue;
		rows_name_thread(&name, &self->rows, unwinder, symbols, self->rows.items[i].thread);
		snprintf(number, sizeof number, "%" PRIu32, self->rows.items[i].thread);
		json_add_string(&self->out, number, name.data ? name.data : "");
		buf_release(&name);
	}
	json_close_object(&self->out);
	unwinder_free(unwinder);
	symbols_free(symbols);
}

void interleaving_json(struct buf *out, const struct finding *finding, const struct finding *shown,
		       const struct timeline *timeline)
{
	struct interleaving self = { .finding = finding, .shown = shown, .timeline = timeline };
	self.ends = mem_alloc((shown->evidence.site_count + 1) * sizeof *self.ends);
	narrate_add_marks(&self.marks, shown, timeline);
	if (has_ends(shown))
		mark_ends(&self);
	const struct columns_request request = {
		.marks = self.marks.items,
		.mark_count = self.marks.count,
		.max_rows = NARRATE_ROWS_MANY,
		.names = self.marks.names,
		.name_count = self.marks.name_count,
	};
	self.rows = (struct rows){ .timeline = timeline, .request = &request };
	rows_of_marks(&self.rows);
	json_begin(&self.out, out);
	json_open_object(&self.out, NULL);
	add_threads(&self);
	add_rows(&self);
	json_close_object(&self.out);
	json_end(&self.out);
	free(self.rows.items);
	free(self.ends);
}
