/* columns.c: see columns.h. Rows are made first (columns_rows.c), then what is in them, then columns as wide as that needs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "narrate/columns_priv.h"
#include "symbols/line.h"
#include "symbols/stack.h"

#define MANY 400u
#define LAST_SHOWN 200u
#define WIDTH_DEFAULT 120u
#define NUMBER_WIDTH 6u
#define NAME_MIN 8u /* columns of a name that is cut */
#define COLUMN_MIN 22u
#define GAP 2u

struct cell {
	struct buf text;
};

struct table {
	const struct rows *rows;
	const struct layout *layout;
	struct buf *out;
	struct cell *cells; /* by row */
	uint32_t *threads;  /* those that have rows, in order */
	size_t *widths;     /* of their columns */
	size_t thread_count;
	size_t number_width;
	bool is_list;     /* there is no room for columns */
	const char *file; /* that all places of a short table are in; null: several */
};

static int compare_threads(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static size_t column_of(const struct table *self, uint32_t thread)
{
	const uint32_t *found = bsearch(&thread, self->threads, self->thread_count, sizeof thread, compare_threads);
	return found ? (size_t)(found - self->threads) : 0;
}

static void find_threads(struct table *self)
{
	size_t count = 0;
	self->threads = mem_alloc((2 * self->rows->count + 1) * sizeof *self->threads);
	for (size_t i = 0; i < self->rows->count; i++) {
		if (self->rows->items[i].thread)
			self->threads[count++] = self->rows->items[i].thread;
		if (self->rows->items[i].next)
			self->threads[count++] = self->rows->items[i].next;
	}
	qsort(self->threads, count, sizeof *self->threads, compare_threads);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || self->threads[i] != self->threads[i - 1])
			self->threads[self->thread_count++] = self->threads[i];
	self->widths = mem_alloc((self->thread_count + 1) * sizeof *self->widths);
}

static const char *without_folders(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

static const char *file_of(const struct table *self, const struct row *row)
{
	uint32_t line;
	return row->kind == ROW_EVENT || row->kind == ROW_EXTRA ? without_folders(rows_place(self->rows, row, &line))
								: NULL;
}

static size_t count_rows_of(const struct table *self, const char *file)
{
	size_t count = 0;
	for (size_t i = 0; i < self->rows->count; i++) {
		const char *other = file_of(self, &self->rows->items[i]);
		count += other && strcmp(other, file) == 0;
	}
	return count;
}

/* A short table names the program's file that most rows are in once; rows in other files name their own. */
static void find_file(struct table *self)
{
	size_t most = 0;
	for (size_t i = 0; self->rows->request->max_rows && i < self->rows->count; i++) {
		const char *file = file_of(self, &self->rows->items[i]);
		uint32_t line;
		bool is_other = file && (!self->file || strcmp(file, self->file) != 0) &&
				!stack_is_system_file(rows_place(self->rows, &self->rows->items[i], &line));
		size_t count = is_other ? count_rows_of(self, file) : 0;
		if (count > most) {
			most = count;
			self->file = file;
		}
	}
}

/* A line that is only near is "~12". */
static void fill_place(const struct table *self, const char *path, uint32_t line, struct cell *cell)
{
	const char *file = without_folders(path);
	const bool is_in_title = file && self->file && strcmp(file, self->file) == 0;
	if (!file)
		return;
	if (!is_in_title)
		text_terminal(&cell->text, file);
	if (line_number(line))
		buf_format(&cell->text, "%s%s%" PRIu32, is_in_title ? "" : ":", line_is_near(line) ? "~" : "",
			   line_number(line));
	buf_add_string(&cell->text, " ");
}

static void fill(const struct table *self, const struct row *row, struct cell *cell)
{
	const struct timeline *timeline = self->rows->timeline;
	const char *file;
	uint32_t line;
	switch (row->kind) {
	case ROW_EVENT:
	case ROW_EXTRA:
		file = rows_place(self->rows, row, &line);
		fill_place(self, file, line, cell);
		rows_describe_event(&cell->text, self->rows, row);
		break;
	case ROW_FOLD:
		event_texts_fold(&cell->text, timeline->event_texts, &timeline->events[row->event], row->count);
		break;
	case ROW_TURN:
	case ROW_GAP:
		buf_add_string(&cell->text, "");
		break;
	}
}

static void head_thread(const struct table *self, struct unwinder *unwinder, struct symbols *symbols, uint32_t index,
			struct buf *out)
{
	struct buf name = { 0 };
	rows_name_thread(&name, self->rows, unwinder, symbols, index);
	buf_format(out, "thread %" PRIu32 "%s%s", index, name.size ? " " : "", name.size ? name.data : "");
	buf_release(&name);
}

/* Columns get what they need; when that is too much, those that need more than their share get the same. */
static void share_room(struct table *self, const size_t *needs, size_t room)
{
	size_t left = room, open = self->thread_count;
	bool is_changed = true;
	memset(self->widths, 0, self->thread_count * sizeof *self->widths);
	while (open && is_changed) {
		is_changed = false;
		size_t share = left / open;
		for (size_t i = 0; i < self->thread_count; i++)
			if (!self->widths[i] && needs[i] <= share) {
				self->widths[i] = needs[i];
				left -= needs[i];
				open--;
				is_changed = true;
			}
	}
	for (size_t i = 0; i < self->thread_count; i++)
		if (!self->widths[i])
			self->widths[i] = left / open;
}

static void choose_widths(struct table *self, const struct cell *heads)
{
	size_t width = self->layout->width ? self->layout->width : WIDTH_DEFAULT;
	size_t taken = self->rows->request->indent + self->number_width + GAP + 1, sum = 0;
	size_t room = width > taken ? width - taken : 0;
	size_t *needs = mem_alloc((self->thread_count + 1) * sizeof *needs);
	for (size_t i = 0; i < self->thread_count; i++)
		needs[i] = text_width(heads[i].text.data, heads[i].text.size) + GAP;
	for (size_t i = 0; i < self->rows->count; i++) {
		const struct row *row = &self->rows->items[i];
		size_t need = text_width(self->cells[i].text.data, self->cells[i].text.size) + GAP;
		size_t column = row->thread ? column_of(self, row->thread) : 0;
		if (row->thread && need > needs[column])
			needs[column] = need;
	}
	share_room(self, needs, room);
	for (size_t i = 0; i < self->thread_count; i++) {
		sum += self->widths[i];
		self->is_list = self->is_list || (self->widths[i] < COLUMN_MIN && self->widths[i] < needs[i]);
	}
	self->is_list = self->is_list || sum > room;
	free(needs);
}

static void fit(struct cell *cell, size_t width)
{
	/* Where it is and what is done stay; of a long name the middle goes, and of several the last. */
	static const char many[] = "accesses: ";
	const char *names = strstr(cell->text.data, many), *space = strchr(cell->text.data, ' ');
	const char *second = space ? strchr(space + 1, ' ') : NULL, *end = names ? names + sizeof many - 2 : second;
	size_t kept = end ? (size_t)(end + 1 - cell->text.data) : 0, kept_width = text_width(cell->text.data, kept);
	if (!kept || kept_width + NAME_MIN > width) {
		text_fit(&cell->text, width, kept && kept_width <= width ? TEXT_CUT_RIGHT : TEXT_CUT_MIDDLE);
		return;
	}
	struct buf name = { 0 };
	buf_add_string(&name, cell->text.data + kept);
	text_fit(&name, width - kept_width, names ? TEXT_CUT_RIGHT : TEXT_CUT_MIDDLE);
	cell->text.size = kept;
	cell->text.data[kept] = '\0';
	buf_add_string(&cell->text, name.data);
	buf_release(&name);
}

static void add_line(struct table *self, struct buf *line)
{
	while (line->size && line->data[line->size - 1] == ' ')
		line->data[--line->size] = '\0';
	buf_format(self->out, "%*s%s\n", (int)self->rows->request->indent, "", line->data ? line->data : "");
	line->size = 0;
}

static size_t start_of(const struct table *self, size_t column)
{
	size_t start = 0;
	for (size_t i = 0; i < column; i++)
		start += self->widths[i];
	return start;
}

/* An arrow from the column of the thread that is left to that of the next one. */
static void draw_arrow(const struct table *self, const struct row *row, struct buf *line)
{
	size_t from = start_of(self, column_of(self, row->thread)), to = start_of(self, column_of(self, row->next));
	size_t start = from < to ? from : to, length = (from < to ? to - from : from - to) - 1;
	const char *word = row->is_yield ? " yields " : " preempted ";
	word = length < strlen(word) + 3 ? "" : word;
	size_t before = 2, after = length > before + strlen(word) + 1 ? length - before - strlen(word) - 1 : 0;
	buf_format(line, "%*s%s", (int)start, "", from < to ? "`" : "<");
	for (size_t i = 0; i < before && i + 1 < length; i++)
		buf_add_string(line, "-");
	buf_add_string(line, word);
	for (size_t i = 0; i < after; i++)
		buf_add_string(line, "-");
	buf_add_string(line, from < to ? ">" : "'");
}

static void draw_turn(const struct table *self, const struct row *row, struct buf *line)
{
	struct buf arrow = { 0 };
	buf_format(line, "%*s", (int)(self->number_width + GAP), "");
	if (self->is_list)
		buf_format(&arrow, "--- thread %" PRIu32 " %s, thread %" PRIu32 " continues", row->thread,
			   row->is_yield ? "yields" : "is preempted", row->next);
	else
		draw_arrow(self, row, &arrow);
	layout_add(line, self->layout, LAYOUT_TURN, arrow.data);
	buf_release(&arrow);
}

/* Of the first event in it; 0: it has none. */
static uint64_t number_of(const struct rows *rows, const struct row *row)
{
	for (size_t i = 0; (row->kind == ROW_EVENT || row->kind == ROW_FOLD) && i < row->count; i++)
		if (!rows->timeline->events[row->event + i].is_touch)
			return rows->timeline->events[row->event + i].number;
	return 0;
}

static void draw_row(struct table *self, const struct row *row, struct cell *cell)
{
	struct buf line = { 0 };
	char number[32] = "";
	if (row->kind == ROW_TURN) {
		draw_turn(self, row, &line);
	} else if (row->kind == ROW_GAP) {
		buf_format(&line, "%*s", (int)self->number_width, "...");
	} else {
		size_t width = self->is_list && self->layout->width
				       ? self->layout->width - self->rows->request->indent - self->number_width - 12
				       : SIZE_MAX;
		if (number_of(self->rows, row))
			snprintf(number, sizeof number, "%" PRIu64, number_of(self->rows, row));
		size_t column = self->is_list ? 0 : column_of(self, row->thread);
		bool is_marked = row->mark;
		fit(cell, self->is_list ? width : self->widths[column] - (column + 1 < self->thread_count ? GAP : 0));
		buf_format(&line, "%*s", (int)self->number_width, number);
		layout_add(&line, self->layout, is_marked ? LAYOUT_MARK : LAYOUT_PLAIN, is_marked ? "> " : "  ");
		if (self->is_list)
			buf_format(&line, "%6" PRIu32 "  ", row->thread);
		else
			buf_format(&line, "%*s", (int)start_of(self, column), "");
		layout_add(&line, self->layout, is_marked ? LAYOUT_MARK : LAYOUT_PLAIN, cell->text.data);
	}
	add_line(self, &line);
	buf_release(&line);
}

static void draw_head(struct table *self, struct cell *heads)
{
	struct buf line = { 0 };
	buf_format(&line, "%*s  ", (int)self->number_width, "event");
	if (self->is_list)
		buf_add_string(&line, "thread  event");
	for (size_t i = 0; !self->is_list && i < self->thread_count; i++) {
		fit(&heads[i], self->widths[i] - GAP);
		size_t pad = self->widths[i] - text_width(heads[i].text.data, heads[i].text.size);
		layout_add(&line, self->layout, LAYOUT_TITLE, heads[i].text.data);
		buf_format(&line, "%*s", (int)pad, "");
	}
	add_line(self, &line);
	buf_release(&line);
}

static void draw_title(struct table *self)
{
	struct buf line = { 0 };
	if (!self->rows->request->title)
		return;
	layout_add(&line, self->layout, LAYOUT_TITLE, self->rows->request->title);
	if (self->file) {
		buf_add_string(&line, ", by lines of ");
		text_terminal(&line, self->file);
	}
	buf_add_string(&line, ":");
	add_line(self, &line);
	buf_release(&line);
}

static void draw(struct table *self)
{
	struct cell *heads = mem_alloc((self->thread_count + 1) * sizeof *heads);
	struct symbols *symbols = symbols_new(&self->rows->timeline->report);
	struct unwinder *unwinder = unwinder_new(&self->rows->timeline->report, symbols);
	for (size_t i = 0; i < self->thread_count; i++)
		head_thread(self, unwinder, symbols, self->threads[i], &heads[i].text);
	choose_widths(self, heads);
	draw_title(self);
	draw_head(self, heads);
	for (size_t i = 0; i < self->rows->count; i++)
		draw_row(self, &self->rows->items[i], &self->cells[i]);
	for (size_t i = 0; i < self->thread_count; i++)
		buf_release(&heads[i].text);
	free(heads);
	unwinder_free(unwinder);
	symbols_free(symbols);
}

static struct columns_range choose_range(struct columns_range requested, uint64_t total)
{
	bool is_requested = requested.first || requested.last;
	if (!requested.first)
		requested.first = 1;
	if (!requested.last || requested.last > total)
		requested.last = total;
	if (!is_requested && total > MANY)
		requested.first = total - LAST_SHOWN + 1;
	return requested;
}

static size_t width_of_numbers(const struct rows *rows)
{
	char number[32];
	uint64_t most = 0;
	for (size_t i = 0; i < rows->count; i++)
		most = number_of(rows, &rows->items[i]) > most ? number_of(rows, &rows->items[i]) : most;
	int size = snprintf(number, sizeof number, "%" PRIu64, most);
	return size > (int)NUMBER_WIDTH ? (size_t)size : NUMBER_WIDTH;
}

size_t columns_add(struct buf *out, const struct timeline *timeline, const struct columns_request *request,
		   const struct layout *layout)
{
	struct rows rows = { .timeline = timeline, .request = request };
	uint64_t total = timeline_last_number(timeline);
	struct columns_range range = choose_range(request->range, total);
	if (request->max_rows)
		rows_of_marks(&rows);
	else
		rows_of_range(&rows, range);
	struct table table = { .rows = &rows, .layout = layout, .out = out, .number_width = width_of_numbers(&rows) };
	table.cells = mem_alloc((rows.count + 1) * sizeof *table.cells);
	find_file(&table);
	for (size_t i = 0; i < rows.count; i++)
		fill(&table, &rows.items[i], &table.cells[i]);
	find_threads(&table);
	draw(&table);
	if (!request->max_rows && range.last + 1 - range.first < total)
		buf_format(out, "events %" PRIu64 " to %" PRIu64 " of %" PRIu64 "; use --from and --to for others\n",
			   range.first, range.last, total);
	for (size_t i = 0; i < rows.count; i++)
		buf_release(&table.cells[i].text);
	free(table.cells);
	free(table.threads);
	free(table.widths);
	free(rows.items);
	return rows.count;
}
