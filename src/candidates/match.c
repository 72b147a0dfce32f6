/*
 * match.c: reads the output of heddle-analyse, and finds each access in the tables of the woven program: the function
 * by name and file (and by how many of the same name and file come before it: static functions of headers are there
 * several times), then the site by its number in the function. Where line, column or access are not those of the table,
 * the one site of the function that has them is taken; if there is none, or several, the access has no number.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/source.h"
#include "candidates/candidates.h"
#include "symbols/line.h"

struct table_function {
	size_t program;
	uint32_t index;
};

static char *key_of(const char *name, const char *file, uint64_t same)
{
	return mem_format("%s\n%s\n%" PRIu64, name, file ? file : "", same);
}

static void index_functions(struct analysis *self)
{
	struct map seen = { 0 };
	for (size_t program = 0; program < self->program_count; program++) {
		const struct woven *woven = self->programs[program].woven;
		for (uint32_t i = 0; i < woven_function_count(woven); i++) {
			struct woven_function function;
			if (!woven_function(woven, i, &function))
				continue;
			char *name = mem_format("%s\n%s", function.name, function.file ? function.file : "");
			uintptr_t same = (uintptr_t)map_get(&seen, name);
			map_set(&seen, name, (void *)(same + 1));
			char *key = key_of(function.name, function.file, same);
			struct table_function *row = mem_alloc(sizeof *row);
			*row = (struct table_function){ program, i };
			map_set(&self->functions, key, row);
			free(key);
			free(name);
		}
	}
	map_release(&seen);
}

int static_open(struct analysis *self, struct err *err)
{
	self->programs = mem_alloc(self->program_count * sizeof *self->programs);
	for (size_t i = 0; i < self->program_count; i++) {
		struct woven *woven;
		const char *before = self->program_count > 1 ? self->option_before(self->paths[i]) : NULL;
		if (before)
			err_hint(err, "to name a file for --%s, write --%s=FILE", before, before);
		int code = woven_open(self->paths[i], &woven, err);
		if (code < 0)
			return code;
		err->hint[0] = '\0';
		self->programs[i].woven = woven;
	}
	index_functions(self);
	return 0;
}

static bool is_same(const struct woven_site *site, const struct json *row)
{
	const char *file = json_string(row, "file");
	uint64_t column = json_number(row, "column");
	return line_number(site->record.line) == json_number(row, "line") &&
	       site->record.access == json_number(row, "access") &&
	       site->record.column == (column < UINT16_MAX ? column : UINT16_MAX) && !file == !site->file &&
	       (!file || strcmp(file, site->file) == 0);
}

struct static_site static_match(const struct analysis *self, const struct json *row)
{
	struct static_site none = { WOVEN_NONE, 0 };
	const char *name = json_string(row, "function");
	struct woven_function function;
	struct woven_site site;
	if (!name || json_is_true(row, "is_free"))
		return none;
	char *key = key_of(name, json_string(row, "function_file"), json_number(row, "same"));
	const struct table_function *found = map_get(&self->functions, key);
	free(key);
	const struct woven *woven = found ? self->programs[found->program].woven : NULL;
	if (!found || !woven_function(woven, found->index, &function) || function.first_site == WOVEN_NONE)
		return none;
	uint64_t ordinal = json_number(row, "ordinal");
	if (ordinal < function.record.site_count && woven_site(woven, function.first_site + (uint32_t)ordinal, &site) &&
	    is_same(&site, row))
		return (struct static_site){ function.first_site + (uint32_t)ordinal, found->program };
	uint32_t match = WOVEN_NONE, count = 0;
	for (uint32_t i = 0; i < function.record.site_count; i++)
		if (woven_site(woven, function.first_site + i, &site) && is_same(&site, row)) {
			match = function.first_site + i;
			count++;
		}
	return count == 1 ? (struct static_site){ match, found->program } : none;
}

static bool take_number(const char **at, uint32_t *number)
{
	char *end;
	if (**at < '0' || **at > '9')
		return false;
	unsigned long value = strtoul(*at, &end, 10);
	*number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
	*at = *end == ' ' || *end == ',' ? end + 1 : end;
	return true;
}

/* Pairs are eight numbers each. Anything else ends them. */
static void read_pairs(struct analysis *self, struct static_group *group, size_t *room)
{
	const char *at = json_string(group->row, "pairs");
	group->first = self->pair_count;
	for (at = at ? at : ""; *at;) {
		struct static_pair pair;
		uint32_t score;
		for (size_t side = 0; side < 2; side++)
			if (!take_number(&at, &pair.sides[side].site) || !take_number(&at, &pair.sides[side].root) ||
			    !take_number(&at, &pair.sides[side].locks))
				return;
		if (!take_number(&at, &score) || !take_number(&at, &pair.doubts))
			return;
		pair.score = score < 100 ? (uint8_t)score : 100;
		if (self->pair_count == *room) {
			*room = *room ? 2 * *room : 1024;
			self->pairs = mem_resize(self->pairs, *room * sizeof *self->pairs);
		}
		self->pairs[self->pair_count++] = pair;
		group->count++;
	}
}

/* How many candidates there are of each score: two numbers each. */
static void read_tally(const char *at, uint64_t tally[101])
{
	for (; at && *at;) {
		char *end;
		uint32_t score;
		if (!take_number(&at, &score) || score > 100)
			return;
		uint64_t count = strtoull(at, &end, 10);
		tally[score] = count > tally[score] ? count : tally[score];
		at = *end == ',' ? end + 1 : end;
	}
}

/* Candidates that are listed exist in any case. */
static void read_tallies(const struct analysis *self, struct static_group *group, uint32_t types_bit)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct static_pair *pair = &self->pairs[group->first + i];
		group->tally[pair->score]++;
		group->types_tally[pair->score] += (pair->doubts & types_bit) != 0;
	}
	read_tally(json_string(group->row, "tally"), group->tally);
	read_tally(json_string(group->row, "types_tally"), group->types_tally);
	for (size_t score = 0; score <= 100; score++)
		if (group->types_tally[score] > group->tally[score])
			group->types_tally[score] = group->tally[score];
}

/* The bit of a doubt in pairs; 0 when there is no such doubt. */
static uint32_t doubt_bit(const struct analysis *self, const char *name)
{
	for (uint32_t i = 0; i < 32; i++) {
		const char *word = static_doubt_word(self, i);
		if (word && strcmp(word, name) == 0)
			return UINT32_C(1) << i;
	}
	return 0;
}

static void read_groups(struct analysis *self)
{
	const struct json *groups = json_array(self->tree, "groups");
	uint32_t types_bit = doubt_bit(self, "types");
	size_t room = 0;
	self->has_groups = groups;
	self->groups = mem_alloc((json_count(groups) + 1) * sizeof *self->groups);
	for (; self->group_count < json_count(groups); self->group_count++) {
		self->groups[self->group_count].row = &groups->items[self->group_count];
		struct static_group *group = &self->groups[self->group_count];
		read_pairs(self, group, &room);
		read_tallies(self, group, types_bit);
	}
}

/* Names of sources as in all other reports: see path.h. */
static void display_files(struct json *value, const struct path_view *view)
{
	bool is_file = value->kind == JSON_STRING && value->key &&
		       (strcmp(value->key, "file") == 0 || strcmp(value->key, "function_file") == 0);
	if (is_file) {
		char *displayed = path_view_display(view, value->text);
		free(value->text);
		value->text = displayed;
	}
	for (size_t i = 0; i < value->count; i++)
		display_files(&value->items[i], view);
}

int static_read(struct analysis *self, const struct buf *text, struct err *err)
{
	int code = json_parse(&self->tree, text->data ? text->data : "", text->size, err);
	if (code < 0)
		return code;
	if (json_number(self->tree, "heddle-analysis") != 1) {
		err_hint(err, "heddle and heddle-analyse must come from the same build");
		return err_set(err, EINVAL, "heddle-analyse has another version");
	}
	struct path_view view;
	path_view_init(&view);
	display_files(self->tree, &view);
	path_view_release(&view);
	self->sites = json_array(self->tree, "sites");
	self->locksets = json_array(self->tree, "locksets");
	self->roots = json_array(self->tree, "roots");
	read_groups(self);
	self->cycles = json_array(self->tree, "cycles");
	self->found = mem_alloc((json_count(self->sites) + 1) * sizeof *self->found);
	for (size_t i = 0; i < json_count(self->sites); i++)
		self->found[i] = static_match(self, &self->sites->items[i]);
	return 0;
}

static void free_source(void *value)
{
	source_release(value);
	free(value);
}

void static_release(struct analysis *self)
{
	map_release_values(&self->functions, free);
	for (size_t i = 0; self->programs && i < self->program_count; i++) {
		names_release(&self->programs[i].names);
		woven_free((struct woven *)(uintptr_t)self->programs[i].woven);
	}
	map_release_values(&self->sources, free_source);
	sources_release(&self->places);
	names_release(&self->names);
	map_release(&self->bare);
	free(self->programs);
	free(self->found);
	free(self->groups);
	free(self->pairs);
	json_free(self->tree);
	*self = (struct analysis){ 0 };
}

/* How many functions before this one have its name and file. */
static uint64_t count_same(const struct woven *woven, const struct woven_function *function, uint32_t index)
{
	uint64_t same = 0;
	for (uint32_t i = 0; i < index; i++) {
		struct woven_function other;
		same += woven_function(woven, i, &other) && strcmp(other.name, function->name) == 0 &&
			!other.file == !function->file && (!other.file || strcmp(other.file, function->file) == 0);
	}
	return same;
}

char *static_place(const struct analysis *self, const char *place_text, struct err *err)
{
	const struct woven *woven = self->programs[0].woven;
	struct woven_site site;
	struct woven_function function;
	if (!*place_text || place_text[strspn(place_text, "0123456789")])
		return mem_copy_string(place_text);
	errno = 0;
	unsigned long long id = strtoull(place_text, NULL, 10);
	if (errno || id > UINT32_MAX || !woven_site(woven, (uint32_t)id, &site) ||
	    !woven_function(woven, site.function, &function)) {
		err_hint(err, "heddle sites lists them");
		err_set(err, EINVAL, "there is no site %s in \"%s\"", place_text, self->paths[0]);
		return NULL;
	}
	return mem_format("site:%" PRIu64 ":%" PRIu32 ":%s", count_same(woven, &function, site.function),
			  (uint32_t)id - function.first_site, function.name);
}
