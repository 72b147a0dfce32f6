/* build.c: see build.h. */
#include "learned/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
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

static void read_file(struct file_code *self, const struct woven *woven, const char *file)
{
	const char *text;
	struct line_code line;
	self->count = 0;
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

static int compare_sources(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;
	return compare_text(left->place.file, right->place.file);
}

/* What keys have but the ordinal. */
static int compare_alike(const struct learned_place *left, const struct learned_place *right)
{
	int order = strcmp(left->function, right->function);
	order = order ? order : strcmp(learned_place_file(left), learned_place_file(right));
	order = order ? order : strcmp(left->code, right->code);
	order = order ? order : compare_numbers(left->access, right->access);
	return order ? order : compare_numbers(left->size, right->size);
}

/* And what tells places apart which are alike. */
static int compare_places(const struct learned_place *left, const struct learned_place *right)
{
	int order = compare_alike(left, right);
	order = order ? order : compare_text(left->file, right->file);
	order = order ? order : compare_numbers(line_number(left->line), line_number(right->line));
	order = order ? order : compare_numbers(left->column, right->column);
	return order ? order : compare_text(left->variable, right->variable);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;
	int order = compare_places(&left->place, &right->place);
	return order ? order : compare_numbers(left->site, right->site);
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
	struct file_code code = { 0 };
	if (count)
		qsort(entries, count, sizeof *entries, compare_sources);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_sources(&entries[i - 1], &entries[i]) != 0)
			read_file(&code, self->woven, entries[i].place.file);
		entries[i].place.code = code_of(&code, entries[i].place.line);
	}
	free(code.lines);
}

static void make_places(struct build *self, struct entry *entries, size_t count)
{
	if (count)
		qsort(entries, count, sizeof *entries, compare_entries);
	self->places = mem_alloc((count + 1) * sizeof *self->places);
	self->keys = mem_alloc((count + 1) * sizeof *self->keys);
	for (size_t i = 0; i < count; i++) {
		struct learned_place *last = self->place_count ? &self->places[self->place_count - 1] : NULL;
		if (!last || compare_places(last, &entries[i].place) != 0) {
			struct learned_place *place = &self->places[self->place_count];
			learned_place_copy(place, &entries[i].place);
			place->ordinal = last && compare_alike(last, place) == 0 ? last->ordinal + 1 : 0;
			self->keys[self->place_count++] = learned_place_key(place);
		}
		self->of_site[entries[i].site] = self->place_count - 1;
	}
	for (size_t i = 0; i < count; i++)
		free(entries[i].place.code);
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
