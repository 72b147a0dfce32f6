/* quote.c: see quote.h. */
#include "narrate/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/source.h"
#include "base/text.h"

#define LINES_BEFORE 2u
#define LINES_AFTER 1u
#define LINES_BETWEEN 6u /* places that are not further apart are quoted in one piece */
#define TAB 8u

void quotes_init(struct quotes *self, const char *program)
{
	struct stat status;
	*self = (struct quotes){ .built = { 0 } };
	sources_add(&self->sources, ".");
	sources_add_program(&self->sources, program);
	if (stat(program, &status) == 0)
		self->built = status.st_mtim;
}

void quotes_built_before(struct quotes *self, int64_t seconds)
{
	if (!self->built.tv_sec || self->built.tv_sec > seconds)
		self->built = (struct timespec){ .tv_sec = (time_t)seconds };
}

/* A file that was read. */
struct quoted {
	struct source source;
	struct source_code code; /* read when it is asked for */
	bool is_newer;           /* than the program */
};

static void free_quoted(void *value)
{
	struct quoted *file = value;
	source_release(&file->source);
	source_code_release(&file->code);
	free(file);
}

void quotes_release(struct quotes *self)
{
	map_release_values(&self->files, free_quoted);
	sources_release(&self->sources);
	strings_release(&self->troubles);
	strings_release(&self->changed);
	strings_release(&self->elsewhere);
}

static struct quoted *open_file(struct quotes *self, const char *name)
{
	struct quoted *file = map_get(&self->files, name);
	if (file)
		return file;
	file = mem_alloc(sizeof *file);
	map_set(&self->files, name, file);
	const struct sources_file *found = sources_find(&self->sources, name);
	enum source_state state = found->path ? source_read(&file->source, found->path) : SOURCE_MISSING;
	if (state != SOURCE_GOOD) {
		char *trouble = mem_format("%s %s", name, source_trouble(state));
		strings_add(&self->troubles, trouble);
		free(trouble);
		return file;
	}
	if (found->is_elsewhere)
		strings_add(&self->elsewhere, found->path);
	file->is_newer = self->built.tv_sec && source_is_newer(&file->source, &self->built);
	return file;
}

static bool is_same_line(struct quoted *file, const struct quote *place)
{
	if (!place->code)
		return !file->is_newer;
	if (!file->code.starts)
		source_code_read(&file->code, &file->source);
	return strcmp(source_code_line(&file->code, place->line), place->code) == 0;
}

/* Whether all of them are what the program was built from. */
static bool are_same_lines(struct quoted *file, const struct quote *places, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!is_same_line(file, &places[i]))
			return false;
	return true;
}

void quote_text(struct buf *out, const char *at, size_t size, uint32_t *column)
{
	size_t width = 0;
	struct buf piece = { 0 };
	uint32_t wanted = *column;
	*column = 0;
	for (size_t i = 0; i < size;) {
		size_t run = i;
		if (wanted && i + 1 >= wanted && !*column)
			*column = (uint32_t)width + 1;
		while (run < size && at[run] != '\t' && at[run] && (!wanted || *column || run + 1 < wanted))
			run++;
		char *part = mem_format("%.*s", (int)(run - i), at + i);
		piece.size = 0;
		text_terminal(&piece, part);
		free(part);
		buf_add(out, piece.data ? piece.data : "", piece.size);
		width += text_width(piece.data ? piece.data : "", piece.size);
		if (run < size && (at[run] == '\t' || !at[run])) {
			size_t pad = TAB - width % TAB;
			buf_format(out, "%*s", (int)pad, "");
			width += pad;
			run++;
		}
		i = run;
	}
	buf_add_string(out, "");
	buf_release(&piece);
}

/* What all lines of a piece have in front is not shown. */
static size_t margin_of(const struct buf *lines, size_t count)
{
	size_t least = SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		size_t own = lines[i].data ? strspn(lines[i].data, " ") : 0;
		if (lines[i].data && lines[i].data[own] && own < least)
			least = own;
	}
	return least == SIZE_MAX ? 0 : least;
}

static const struct quote *find_place(const struct quote *places, size_t count, uint32_t line)
{
	for (size_t i = 0; i < count; i++)
		if (places[i].line == line)
			return &places[i];
	return NULL;
}

static void add_line(struct buf *out, const struct layout *layout, size_t indent, uint32_t line, struct buf *text,
		     size_t margin, bool is_marked)
{
	char head[32];
	size_t left = text->size < margin ? text->size : margin;
	struct buf shown = { 0 };
	buf_add(&shown, text->data + left, text->size - left);
	snprintf(head, sizeof head, "%c %4" PRIu32 " | ", is_marked ? '>' : ' ', line);
	if (layout->width > indent + strlen(head) + 10)
		text_fit(&shown, layout->width - indent - strlen(head), TEXT_CUT_RIGHT);
	buf_format(out, "%*s", (int)indent, "");
	layout_add(out, layout, is_marked ? LAYOUT_MARK : LAYOUT_FAINT, head);
	layout_add(out, layout, is_marked ? LAYOUT_PLAIN : LAYOUT_FAINT, shown.data);
	while (out->size && out->data[out->size - 1] == ' ')
		out->size--;
	buf_add_string(out, "\n");
	buf_release(&shown);
}

static void add_pointer(struct buf *out, const struct layout *layout, size_t indent, uint32_t column, size_t margin)
{
	if (column <= margin || (layout->width && indent + 9 + column - margin > layout->width))
		return;
	buf_format(out, "%*s", (int)indent, "");
	layout_add(out, layout, LAYOUT_FAINT, "       | ");
	buf_format(out, "%*s", (int)(column - margin - 1), "");
	layout_add(out, layout, LAYOUT_MARK, "^");
	buf_add_string(out, "\n");
}

bool quotes_is_near(const struct quote *a, const struct quote *b)
{
	uint32_t apart = a->line < b->line ? b->line - a->line : a->line - b->line;
	return a->file && b->file && strcmp(a->file, b->file) == 0 && apart <= LINES_BETWEEN;
}

bool quotes_add(struct buf *out, struct quotes *self, const struct layout *layout, size_t indent,
		const struct quote *places, size_t count)
{
	uint32_t first = UINT32_MAX, last = 0;
	for (size_t i = 0; i < count; i++) {
		first = places[i].line < first ? places[i].line : first;
		last = places[i].line > last ? places[i].line : last;
	}
	if (!count || !places[0].file || !first)
		return false;
	struct quoted *quoted = open_file(self, places[0].file);
	const struct source *file = &quoted->source;
	if (file->line_count && !are_same_lines(quoted, places, count)) {
		if (!strings_has(&self->changed, places[0].file))
			strings_add(&self->changed, places[0].file);
		return false;
	}
	if (last > file->line_count)
		return false;
	first = first > LINES_BEFORE ? first - LINES_BEFORE : 1;
	last = last + LINES_AFTER > file->line_count ? (uint32_t)file->line_count : last + LINES_AFTER;
	size_t line_count = last - first + 1;
	struct buf *lines = mem_alloc(line_count * sizeof *lines);
	uint32_t *columns = mem_alloc(line_count * sizeof *columns);
	for (uint32_t line = first; line <= last; line++) {
		const struct quote *place = find_place(places, count, line);
		columns[line - first] = place ? place->column : 0;
		size_t size = 0;
		const char *at = source_line(file, line, &size);
		quote_text(&lines[line - first], at, size, &columns[line - first]);
	}
	size_t margin = margin_of(lines, line_count);
	for (uint32_t line = first; line <= last; line++) {
		bool is_marked = find_place(places, count, line);
		add_line(out, layout, indent, line, &lines[line - first], margin, is_marked);
		if (columns[line - first])
			add_pointer(out, layout, indent, columns[line - first], margin);
		buf_release(&lines[line - first]);
	}
	free(lines);
	free(columns);
	return true;
}

static void add_names(struct buf *out, const struct layout *layout, size_t indent, struct strings *names,
		      const char *what)
{
	for (size_t i = 0; i < names->count; i++) {
		struct buf line = { 0 };
		buf_add_string(&line, "(");
		text_terminal(&line, names->items[i]);
		buf_format(&line, "%s)", what);
		layout_fold(out, layout, LAYOUT_FAINT, indent, line.data);
		buf_release(&line);
	}
	strings_release(names);
}

void quotes_add_notes(struct buf *out, struct quotes *self, const struct layout *layout, size_t indent)
{
	add_names(out, layout, indent, &self->elsewhere, " is the file that the lines were taken from");
	add_names(out, layout, indent, &self->troubles, ", so its lines are not shown");
	add_names(out, layout, indent, &self->changed,
		  " was changed after the program was built, so its lines are not shown");
}
