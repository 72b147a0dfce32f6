/*
 * without.c: see without.h. Calls are followed outwards from the functions that synchronise: through tail calls, which return to the caller of their caller, and through
 * functions of headers, up to the requested lines.
 */
#include "campaign/without.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"
#include "base/map.h"
#include "base/proc.h"
#include "base/text.h"
#include "campaign/skippable.h"
#include "launch/calls.h"
#include "store/store.h"
#include "symbols/line.h"
#include "symbols/stack.h"
#include "symbols/symbol.h"
#include "symbols/woven.h"

#define BIAS 0x10000000u /* where a file that can be anywhere is thought to be */
#define MAX_NEAREST 3u
#define MAX_WAYS 100000u
#define NOT_REQUESTED UINT32_MAX

/* A line that has calls that can be skipped, in a file with a name that was asked for. */
struct candidate {
	size_t requested; /* number of the line that was asked for, of the same file */
	uint32_t line;
	const char *function;
};

/* What is known of all files together. */
struct lookup {
	struct without *without;
	struct candidate *candidates;
	size_t candidate_count;
	bool has_lines; /* some call has a line */
	bool is_full;
	struct strings others; /* files besides without_line.found that match */
};

/* One file. */
struct object {
	struct lookup *lookup;
	struct symbols *symbols;
	uint64_t bias, header;
	struct calls calls;
	struct buf text; /* of its addresses */
	struct buf inner;
	uint32_t owners[HEDDLE_SKIPS], count, inner_count, outer_count;
	struct map seen; /* ways that were followed */
};

/* A call on the way from a line to a function that synchronises. */
struct way {
	const struct call *call;
	const struct skippable *function;
	uint32_t line;   /* number of the line that it is on, or NOT_REQUESTED */
	bool is_system;  /* all that is known of it is in headers of the system */
	bool is_outside; /* call calls a function of a header, and not the one that synchronises */
};

static bool is_file(const char *file, const char *requested)
{
	size_t size = strlen(file), tail = strlen(requested);
	while (strncmp(requested, "./", 2) == 0)
		requested += 2, tail -= 2;
	return tail && size >= tail && strcmp(file + size - tail, requested) == 0 &&
	       (size == tail || file[size - tail - 1] == '/');
}

static void add_candidate(struct lookup *lookup, size_t requested, uint32_t line, const char *function)
{
	for (size_t i = 0; i < lookup->candidate_count; i++)
		if (lookup->candidates[i].line == line && lookup->candidates[i].requested == requested)
			return;
	lookup->candidates = mem_resize(lookup->candidates, (lookup->candidate_count + 1) * sizeof *lookup->candidates);
	lookup->candidates[lookup->candidate_count++] = (struct candidate){ requested, line, function };
}

static void set_found(struct lookup *lookup, struct without_line *line, const char *file)
{
	if (!line->found)
		line->found = mem_copy_string(file);
	else if (strcmp(line->found, file) != 0 && !strings_has(&lookup->others, file))
		strings_add(&lookup->others, file);
}

static void look_at(struct object *self, struct way *way, const struct symbol_place *place)
{
	struct without *without = self->lookup->without;
	for (uint32_t i = 0; i < without->count; i++) {
		struct without_line *line = &without->lines[i];
		if (!is_file(place->file, line->file))
			continue;
		if (!way->function->why_not && !line_is_near(place->line))
			add_candidate(self->lookup, i, line_number(place->line), way->function->name);
		if (line_number(place->line) != line->line || way->line != NOT_REQUESTED)
			continue;
		if (way->function->why_not) {
			char *text = mem_format("%s (%s)", way->function->name, way->function->why_not);
			if (!strings_has(&line->refused, text))
				strings_add(&line->refused, text);
			free(text);
			continue;
		}
		set_found(self->lookup, line, place->file);
		way->line = i;
	}
}

/* Looks where the call is. */
static void locate(struct object *self, struct way *way)
{
	const struct symbol_place *places;
	size_t count = symbols_code(self->symbols, self->bias + way->call->after, &places);
	for (size_t i = 0; i < count; i++) {
		if (!places[i].file || !places[i].line)
			continue;
		self->lookup->has_lines |= !line_is_near(places[i].line);
		if (!stack_is_system_file(places[i].file)) {
			way->is_system = false;
			look_at(self, way, &places[i]);
		}
	}
	if (!count)
		way->is_system = false;
}

static void add_address(struct object *self, struct buf *to, char kind, const struct way *way)
{
	char text[16];
	snprintf(text, sizeof text, ",%c%08" PRIx32, kind, (uint32_t)(way->call->after - self->header));
	buf_add_string(to, text);
}

static void name_function(struct without_line *line, const char *name)
{
	if (!strings_has(&line->functions, name))
		strings_add(&line->functions, name);
}

/* Whether it has a meaning to the runtime. */
static void emit(struct object *self, const struct way *way)
{
	struct without *without = self->lookup->without;
	if (without->address_count + self->count + self->inner_count >= HEDDLE_SKIPS) {
		self->lookup->is_full = true;
		return;
	}
	if (way->line == NOT_REQUESTED) {
		add_address(self, &self->inner, 'i', way);
		self->inner_count++;
		return;
	}
	name_function(&without->lines[way->line], way->function->name);
	add_address(self, &self->text, way->is_outside ? 'o' : 'c', way);
	self->outer_count += way->is_outside;
	self->owners[self->count++] = way->line;
}

static void follow(struct object *self, struct way way);

/* All calls of the function that has the call. */
static void follow_callers(struct object *self, const struct way *inner, bool is_outside)
{
	const char *function = inner->call->caller;
	for (size_t i = 0; function && i < self->calls.count; i++) {
		const struct call *call = &self->calls.items[i];
		if (call->is_other_file || strcmp(call->callee, function) != 0)
			continue;
		struct way way = *inner;
		way.call = call;
		way.is_outside = is_outside;
		if (way.line == NOT_REQUESTED)
			locate(self, &way);
		follow(self, way);
	}
}

static void follow(struct object *self, struct way way)
{
	char key[64];
	snprintf(key, sizeof key, "%zx %s %" PRIx32 " %d", (size_t)(way.call - self->calls.items),
		 way.function->why_not ? "-" : "+", way.line, way.is_outside);
	if (self->seen.count > MAX_WAYS || !map_set(&self->seen, key, NULL) || way.function->why_not)
		return;
	if (way.call->is_tail) {
		if (way.line != NOT_REQUESTED || way.is_system)
			follow_callers(self, &way, way.is_outside);
	} else if (way.line != NOT_REQUESTED) {
		emit(self, &way);
	} else if (way.is_system) {
		emit(self, &way);
		follow_callers(self, &way, true);
	}
}

static void take_addresses(struct object *self, const struct woven *woven)
{
	struct without *without = self->lookup->without;
	if (!self->count)
		return;
	buf_add_string(&without->options, ":without=");
	for (size_t i = 0; i < 16; i++)
		buf_format(&without->options, "%02x", woven_build(woven)->id[i]);
	buf_add_string(&without->options, self->text.data);
	for (uint32_t i = 0; i < self->count; i++)
		without->owners[without->address_count++] = self->owners[i];
	if (!self->outer_count)
		return;
	buf_add_string(&without->options, self->inner.data ? self->inner.data : "");
	for (uint32_t i = 0; i < self->inner_count; i++)
		without->owners[without->address_count++] = NOT_REQUESTED;
}

/* Where struct heddle_object is; false when the file has none. */
static bool find_header(const struct elf_file *elf, uint64_t *header)
{
	size_t size;
	uint64_t address;
	struct heddle_note note;
	const unsigned char *bytes = elf_file_note(elf, HEDDLE_NOTE_NAME, HEDDLE_NOTE_OBJECT, &size, &address);
	if (!bytes || size < sizeof note)
		return false;
	memcpy(&note, bytes, sizeof note);
	*header = address + offsetof(struct heddle_note, object) + (uint64_t)(int64_t)note.object;
	return true;
}

static void look_through(struct lookup *lookup, const struct elf_file *elf, const struct woven *woven, const char *path)
{
	struct object self = { .lookup = lookup, .bias = elf->header.e_type == ET_DYN ? BIAS : 0 };
	struct report_module module = { .end = UINT64_MAX, .path = path };
	struct report report = { .modules = &module, .module_count = 1 };
	for (uint32_t i = elf->segment_count; i-- > 0;)
		if (elf->segments[i].p_type == PT_LOAD) {
			module.offset = elf->segments[i].p_offset & ~(uint64_t)4095;
			module.start = self.bias + (elf->segments[i].p_vaddr & ~(uint64_t)4095);
		}
	if (!find_header(elf, &self.header))
		return;
	self.symbols = symbols_new(&report);
	calls_find(&self.calls, elf);
	for (size_t i = 0; i < self.calls.count; i++) {
		const struct call *call = &self.calls.items[i];
		const struct skippable *function = call->is_other_file ? skippable_find(call->callee) : NULL;
		if (!function)
			continue;
		struct way way = { .call = call, .function = function, .line = NOT_REQUESTED, .is_system = true };
		locate(&self, &way);
		follow(&self, way);
	}
	take_addresses(&self, woven);
	calls_release(&self.calls);
	symbols_free(self.symbols);
	map_release(&self.seen);
	buf_release(&self.text);
	buf_release(&self.inner);
}

static void look_into(struct lookup *lookup, const char *path)
{
	struct woven *woven;
	struct elf_file elf = { .path = NULL };
	struct err ignored = ERR_INIT;
	if (woven_open(path, &woven, &ignored) < 0)
		return;
	if (elf_file_read(&elf, path, &ignored) == 0)
		look_through(lookup, &elf, woven, path);
	elf_file_release(&elf);
	woven_free(woven);
}

/* The libraries that the loader would load; it does not start the program then. */
static void list_libraries(struct strings *paths, const char *program)
{
	struct elf_file elf = { .path = NULL };
	struct err ignored = ERR_INIT;
	bool has_loader = elf_file_read(&elf, program, &ignored) == 0 && elf_file_loader(&elf);
	elf_file_release(&elf);
	if (!has_loader)
		return;
	struct buf command = { 0 };
	buf_add_string(&command, "LD_TRACE_LOADED_OBJECTS=1 ");
	proc_quote(&command, (char *[]){ (char *)program, NULL });
	FILE *list = popen(command.data, "re");
	char line[4096], path[4096];
	while (list && fgets(line, sizeof line, list)) {
		const char *arrow = strstr(line, "=> /");
		if (arrow && sscanf(arrow + 3, "%4095s", path) == 1)
			strings_add(paths, path);
	}
	if (list)
		pclose(list);
	buf_release(&command);
}

static int read_place(struct without_line *line, const char *place, struct err *err)
{
	const char *colon = strrchr(place, ':');
	char *end = NULL;
	unsigned long number = colon && colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : 0;
	line->place = text_terminal_copy(place);
	if (!colon || colon == place || !end || *end || number == 0 || number > INT32_MAX)
		return err_set(err, EINVAL, "--without expects FILE:LINE, not \"%s\"", line->place);
	line->file = mem_format("%.*s", (int)(colon - place), place);
	line->line = (uint32_t)number;
	return 0;
}

/* Atomic operations and fences are instructions: they are not calls that could be skipped. */
static bool has_atomic(const char *program, const struct without_line *line)
{
	struct woven *woven;
	struct woven_site site;
	struct err ignored = ERR_INIT;
	bool is_found = false;
	if (woven_open(program, &woven, &ignored) < 0)
		return false;
	for (uint32_t i = 0; i < woven_site_count(woven) && !is_found; i++) {
		if (!woven_site(woven, i, &site) || site.record.access < HEDDLE_ACCESS_ATOMIC_READ ||
		    site.record.access > HEDDLE_ACCESS_FENCE)
			continue;
		is_found = site.file && site.record.line == line->line && is_file(site.file, line->file);
		for (uint32_t at = site.inlined; at != WOVEN_NONE && !is_found;) {
			struct woven_inline step;
			woven_inline(woven, at, &step);
			is_found = step.file && step.line == line->line && is_file(step.file, line->file);
			at = step.next;
		}
	}
	woven_free(woven);
	return is_found;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* Hints at the lines nearest to it. */
static void hint_nearest(const struct lookup *lookup, const struct without_line *line, struct err *err)
{
	struct buf text = { 0 };
	size_t listed[MAX_NEAREST];
	unsigned count = 0;
	while (count < MAX_NEAREST) {
		size_t best = SIZE_MAX;
		for (size_t i = 0; i < lookup->candidate_count; i++) {
			bool is_old = &lookup->without->lines[lookup->candidates[i].requested] != line;
			for (unsigned k = 0; k < count; k++)
				is_old |= listed[k] == i;
			if (!is_old &&
			    (best == SIZE_MAX || distance(lookup->candidates[i].line, line->line) <
							 distance(lookup->candidates[best].line, line->line)))
				best = i;
		}
		if (best == SIZE_MAX)
			break;
		buf_format(&text, "%s%" PRIu32 " (%s)", count ? ", " : "", lookup->candidates[best].line,
			   lookup->candidates[best].function);
		listed[count++] = best;
	}
	if (count)
		err_hint(err, "the nearest line%s with calls that can be skipped: %s", count == 1 ? "" : "s",
			 text.data);
	else if (!lookup->has_lines)
		err_hint(err, "lines are known only if the program was compiled with -g");
	else
		err_hint(err, "no source with this name has such calls; calls through pointers are not found");
	buf_release(&text);
}

static int check_line(const struct lookup *lookup, const struct without_line *line, const char *program,
		      struct err *err)
{
	if (line->functions.count)
		return 0;
	if (line->refused.count) {
		err_set(err, EINVAL, "--without %s: cannot skip %s", line->place, line->refused.items[0]);
		return -EINVAL;
	}
	if (line->found) {
		err_hint(err, "compile it with -fno-optimize-sibling-calls");
		return err_set(err, EINVAL,
			       "--without %s: the call on this line is the last of its function, and was compiled to a "
			       "jump; no call "
			       "of that function was found",
			       line->place);
	}
	if (has_atomic(program, line)) {
		err_hint(err, "only calls of the threads libraries can be skipped");
		return err_set(err, EINVAL, "--without %s: the line has an atomic operation, which cannot be skipped",
			       line->place);
	}
	hint_nearest(lookup, line, err);
	return err_set(err, EINVAL, "--without %s: no call on this line synchronises", line->place);
}

static int check(const struct lookup *lookup, const char *program, struct err *err)
{
	int code = 0;
	if (lookup->is_full)
		return err_set(err, EINVAL, "--without: more than %u calls would have to be skipped", HEDDLE_SKIPS);
	for (size_t i = 0; i < lookup->without->count && code == 0; i++)
		code = check_line(lookup, &lookup->without->lines[i], program, err);
	if (code == 0 && lookup->others.count) {
		char *shown = text_terminal_copy(lookup->others.items[0]);
		err_hint(err, "one of them is \"%s\": name more of its path", shown);
		code = err_set(err, EINVAL, "--without: several sources match");
		free(shown);
	}
	return code;
}

int without_find(struct without *self, const struct strings *places, const char *program, struct err *err)
{
	struct lookup lookup = { .without = self };
	struct strings paths = { 0 };
	int code = 0;
	self->lines = mem_alloc((places->count + 1) * sizeof *self->lines);
	for (size_t i = 0; i < places->count && code == 0; i++)
		code = read_place(&self->lines[self->count++], places->items[i], err);
	if (code == 0) {
		strings_add(&paths, program);
		list_libraries(&paths, program);
		for (size_t i = 0; i < paths.count; i++)
			look_into(&lookup, paths.items[i]);
		code = check(&lookup, program, err);
	}
	strings_release(&paths);
	strings_release(&lookup.others);
	free(lookup.candidates);
	return code;
}

void without_release(struct without *self)
{
	for (size_t i = 0; i < self->count; i++) {
		free(self->lines[i].file);
		free(self->lines[i].place);
		free(self->lines[i].found);
		strings_release(&self->lines[i].functions);
		strings_release(&self->lines[i].refused);
	}
	free(self->lines);
	buf_release(&self->options);
	*self = (struct without){ 0 };
}

void without_take(struct without *self, const struct heddle_channel *channel)
{
	for (size_t line = 0; line < self->count; line++) {
		uint64_t skipped = 0;
		for (uint32_t i = 0; i < self->address_count; i++)
			if (self->owners[i] == line)
				skipped += channel->skipped[i];
		self->lines[line].skipped += skipped;
		self->lines[line].schedules += skipped != 0;
	}
}

/* A name that is one part of a path, and different for other lines. */
char *without_store(const struct strings *places, const char *store)
{
	struct buf name = { 0 }, all = { 0 };
	for (size_t i = 0; i < places->count; i++) {
		buf_format(&all, "%s\n", places->items[i]);
		buf_format(&name, "%s%s", i ? "+" : "", places->items[i]);
	}
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] == '/' || name.data[i] == ':')
			name.data[i] = '-';
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < all.size; i++)
		hash = (hash ^ (unsigned char)all.data[i]) * 0x100000001b3u;
	char *path = mem_format("%s-without/%.64s-%08" PRIx32, store_folder(store), name.data,
				(uint32_t)(hash ^ hash >> 32));
	buf_release(&name);
	buf_release(&all);
	return path;
}

void without_describe(const struct without *self, const char *store, struct strings *lines)
{
	if (self->count)
		strings_note(lines,
			     "hypothetical: this was the program without the synchronisation named by --without; the "
			     "findings are "
			     "kept apart from its own, in %s",
			     store);
	for (size_t i = 0; i < self->count; i++) {
		const struct without_line *line = &self->lines[i];
		struct buf names = { 0 };
		for (size_t k = 0; k < line->functions.count; k++)
			buf_format(&names, "%s%s", k ? ", " : "", line->functions.items[k]);
		if (line->skipped)
			strings_note(lines, "--without %s: %s skipped %" PRIu64 " time%s in %" PRIu64 " schedule%s",
				     line->place, names.data, line->skipped, line->skipped == 1 ? "" : "s",
				     line->schedules, line->schedules == 1 ? "" : "s");
		else
			strings_note(lines, "--without %s: %s was never called, so nothing was skipped", line->place,
				     names.data);
		buf_release(&names);
	}
}
