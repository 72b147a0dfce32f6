/* build.c: see build.h. */
#include "learned/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/map.h"
#include "base/mem.h"
#include "symbols/describe.h"
#include "symbols/line.h"

struct line_code {
	uint32_t line;
	const char *code;
	size_t size;
};

/* The code of the lines of one file, by ascending line. */
struct file_code {
	struct line_code *lines;
	size_t count, room;
};

static int compare_lines(const void *a, const void *b)
{
	const struct line_code *left = a, *right = b;
	return (left->line > right->line) - (left->line < right->line);
}

static void free_file(void *file)
{
	struct file_code *self = file;
	free(self->lines);
	free(self);
}

/* The code of a file; read once. */
static const struct file_code *read_file(struct map *files, const struct woven *woven, const char *file)
{
	const char *text;
	struct line_code line;
	struct file_code *self = map_get(files, file ? file : "");
	if (self)
		return self;
	self = mem_alloc(sizeof *self);
	map_set(files, file ? file : "", self);
	for (size_t at = 0; file && (text = woven_text(woven, file, &at));)
		while (lines_next(&text, &line.line, &line.code, &line.size)) {
			if (self->count == self->room) {
				self->room = self->room ? self->room * 2 : 64;
				self->lines = mem_resize(self->lines, self->room * sizeof *self->lines);
			}
			self->lines[self->count++] = line;
		}
	if (self->count)
		qsort(self->lines, self->count, sizeof *self->lines, compare_lines);
	return self;
}

static char *code_of(const struct file_code *self, uint32_t line)
{
	struct line_code key = { .line = line_number(line) };
	const struct line_code *found =
		self->count ? bsearch(&key, self->lines, self->count, sizeof key, compare_lines) : NULL;
	return found ? mem_format("%.*s", (int)found->size, found->code) : mem_copy_string("");
}

/* A site and the facts of its place, while places are found. */
struct entry {
	struct learned_place place;
	char *calls; /* where it was inlined: lines and columns */
	uint32_t site;
};

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* What keys have but the ordinal. */
static int compare_alike(const struct learned_place *left, const struct learned_place *right)
{
	int order = strcmp(left->function, right->function);
	order = order ? order : strcmp(learned_place_file(left), learned_place_file(right));
	order = order ? order : strcmp(left->code, right->code);
	order = order ? order : strcmp(left->callers, right->callers);
	order = order ? order : compare_numbers(left->access, right->access);
	return order ? order : compare_numbers(left->size, right->size);
}

/* And what tells places apart which are alike. */
static int compare_places(const struct entry *one, const struct entry *other)
{
	const struct learned_place *left = &one->place, *right = &other->place;
	int order = compare_alike(left, right);
	order = order ? order : compare_text(left->file, right->file);
	order = order ? order : compare_numbers(line_number(left->line), line_number(right->line));
	order = order ? order : compare_numbers(left->column, right->column);
	order = order ? order : strcmp(one->calls, other->calls);
	return order ? order : compare_text(left->variable, right->variable);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;
	int order = compare_places(left, right);
	return order ? order : compare_numbers(left->site, right->site);
}

/* The calls by which the site's function was inlined. The lines of calls are numbered in eight digits, so that their order as text is that of the source. */
static void read_calls(const struct build *self, struct map *files, uint32_t site_number, struct entry *entry)
{
	struct woven_site site;
	struct woven_inline step, next;
	struct woven_function function;
	struct buf callers = { 0 }, calls = { 0 };
	buf_add_string(&callers, "");
	buf_add_string(&calls, "");
	woven_site(self->woven, site_number, &site);
	for (uint32_t at = site.inlined; at != WOVEN_NONE; at = step.next) {
		const char *caller = "?";
		woven_inline(self->woven, at, &step);
		if (step.next != WOVEN_NONE) {
			woven_inline(self->woven, step.next, &next);
			caller = next.function;
		} else if (woven_function(self->woven, site.function, &function)) {
			caller = function.name;
		}
		char *code = code_of(read_file(files, self->woven, step.file), step.line);
		buf_format(&callers, "%s %s\n", caller, code);
		buf_format(&calls, "%s:%08" PRIu32 ":%08" PRIu32 "\n", step.file ? step.file : "",
			   line_number(step.line), step.column);
		free(code);
	}
	entry->place.callers = callers.data;
	entry->calls = calls.data;
}

static struct entry *collect(const struct build *self, size_t *count)
{
	struct description description = { .woven = self->woven };
	struct entry *entries = mem_alloc(((size_t)self->site_count + 1) * sizeof *entries);
	struct woven_site site;
	*count = 0;
	for (uint32_t id = 0; id < self->site_count; id++) {
		if (!woven_site(self->woven, id, &site))
			continue;
		/* The strings are still those of the file. */
		entries[(*count)++] =
			(struct entry){ .site = id,
					.place = { .function = (char *)describe_written_in(&description, &site),
						   .file = (char *)site.file,
						   .variable = (char *)site.variable,
						   .line = site.record.line,
						   .column = site.record.column,
						   .size = site.record.size,
						   .access = site.record.access } };
	}
	return entries;
}

static void read_code(const struct build *self, struct entry *entries, size_t count)
{
	struct map files = { 0 };
	for (size_t i = 0; i < count; i++) {
		entries[i].place.code =
			code_of(read_file(&files, self->woven, entries[i].place.file), entries[i].place.line);
		read_calls(self, &files, entries[i].site, &entries[i]);
	}
	map_release_values(&files, free_file);
}

static void make_places(struct build *self, struct entry *entries, size_t count)
{
	if (count)
		qsort(entries, count, sizeof *entries, compare_entries);
	self->places = mem_alloc((count + 1) * sizeof *self->places);
	self->keys = mem_alloc((count + 1) * sizeof *self->keys);
	for (size_t i = 0; i < count; i++) {
		struct learned_place *last = self->place_count ? &self->places[self->place_count - 1] : NULL;
		if (!i || compare_places(&entries[i - 1], &entries[i]) != 0) {
			struct learned_place *place = &self->places[self->place_count];
			learned_place_copy(place, &entries[i].place);
			place->ordinal = last && compare_alike(last, place) == 0 ? last->ordinal + 1 : 0;
			self->keys[self->place_count++] = learned_place_key(place);
		}
		self->of_site[entries[i].site] = self->place_count - 1;
	}
	for (size_t i = 0; i < count; i++) {
		free(entries[i].place.code);
		free(entries[i].place.callers);
		free(entries[i].calls);
	}
}

int build_open(struct build *self, const char *path, struct err *err)
{
	size_t count;
	*self = (struct build){ 0 };
	int code = woven_open(path, &self->woven, err);
	if (code < 0)
		return code;
	self->path = mem_copy_string(path);
	self->site_count = woven_site_count(self->woven);
	self->of_site = mem_alloc(((size_t)self->site_count + 1) * sizeof *self->of_site);
	memset(self->of_site, 0xff, self->site_count * sizeof *self->of_site);
	struct entry *entries = collect(self, &count);
	read_code(self, entries, count);
	make_places(self, entries, count);
	free(entries);
	return 0;
}

void build_release(struct build *self)
{
	for (uint32_t i = 0; i < self->place_count; i++) {
		learned_place_release(&self->places[i]);
		free(self->keys[i]);
	}
	free(self->places);
	free(self->keys);
	free(self->of_site);
	free(self->path);
	woven_free(self->woven);
	*self = (struct build){ 0 };
}

const uint8_t *build_id(const struct build *self)
{
	return woven_build(self->woven)->id;
}
