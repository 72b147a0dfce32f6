/* race_match.c: see race_match.h. */
#include "judge/race_match.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/line.h"
#include "symbols/stack.h"

/* A line that a site is in: where it is written, or where that was inlined. */
struct place {
	uint32_t file, line, column; /* file: an index */
	uint32_t depth;              /* 0: where it is written; 1: where that function was inlined; and so on */
	struct site_ref site;
};

/* The files of the program that a name of a file of the log stands for. */
struct files {
	uint32_t *ids;
	size_t count;
};

struct race_matcher {
	struct description *programs;
	struct strings files;
	struct map file_ids;  /* name to index + 1 */
	struct map log_files; /* name to struct files */
	struct map linkages;  /* of functions, also of inlined ones, to the description that has it */
	struct map variables; /* global ones or others, without members, that sites access */
	struct map functions; /* name in a log to whether it is in the program: 1 or 2 */
	struct place *places; /* by file, line, site, depth */
	size_t place_count, place_room;
};

/* The variable without its members; null when the site accesses it through a pointer, or may do so. */
static char *own_variable(const char *variable)
{
	if (!variable || strstr(variable, "->") || strpbrk(variable, "[*("))
		return NULL;
	return mem_format("%.*s", (int)strcspn(variable, "."), variable);
}

/* The table of places. */

static uint32_t file_id(struct race_matcher *self, const char *name)
{
	uintptr_t id = (uintptr_t)map_get(&self->file_ids, name);
	if (!id) {
		strings_add(&self->files, name);
		id = self->files.count;
		map_set(&self->file_ids, name, (void *)id);
	}
	return (uint32_t)id - 1;
}

static void add_place(struct race_matcher *self, const char *file, uint32_t line, uint32_t column, uint32_t depth,
		      struct site_ref site)
{
	if (!file || !line_number(line))
		return;
	if (self->place_count == self->place_room) {
		self->place_room = self->place_room ? 2 * self->place_room : 1024;
		self->places = mem_resize(self->places, self->place_room * sizeof *self->places);
	}
	self->places[self->place_count++] =
		(struct place){ file_id(self, file), line_number(line), column, depth, site };
}

static void add_sites(struct race_matcher *self, uint32_t program)
{
	const struct woven *woven = self->programs[program].woven;
	struct woven_site site;
	struct woven_function function;
	for (uint32_t id = 0; id < woven_function_count(woven); id++)
		if (woven_function(woven, id, &function))
			map_set(&self->linkages, function.name, &self->programs[program]);
	for (uint32_t id = 0; id < woven_site_count(woven); id++) {
		if (!woven_site(woven, id, &site) || site.record.access == HEDDLE_ACCESS_FENCE ||
		    site.record.access == HEDDLE_ACCESS_OPAQUE)
			continue;
		struct site_ref ref = { program, id };
		char *variable = own_variable(site.variable);
		if (variable)
			map_set(&self->variables, variable, self);
		free(variable);
		add_place(self, site.file, site.record.line, site.record.column, 0, ref);
		struct woven_inline step;
		uint32_t depth = 1;
		for (uint32_t at = site.inlined; at != WOVEN_NONE; at = step.next) {
			woven_inline(woven, at, &step);
			map_set(&self->linkages, step.function, &self->programs[program]);
			add_place(self, step.file, step.line, step.column, depth++, ref);
		}
	}
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->site.program != y->site.program)
		return x->site.program < y->site.program ? -1 : 1;
	if (x->site.id != y->site.id)
		return x->site.id < y->site.id ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

struct race_matcher *race_matcher_new(struct description *programs, size_t program_count)
{
	struct race_matcher *self = mem_alloc(sizeof *self);
	self->programs = programs;
	for (size_t i = 0; i < program_count; i++)
		add_sites(self, (uint32_t)i);
	if (self->place_count)
		qsort(self->places, self->place_count, sizeof *self->places, compare_places);
	return self;
}

static void free_files(void *value)
{
	struct files *files = value;
	free(files->ids);
	free(files);
}

void race_matcher_free(struct race_matcher *self)
{
	map_release_values(&self->log_files, free_files);
	strings_release(&self->files);
	map_release(&self->file_ids);
	map_release(&self->linkages);
	map_release(&self->functions);
	map_release(&self->variables);
	free(self->places);
	free(self);
}

/* The first place of a line or behind it. */
static size_t lower_bound(const struct race_matcher *self, uint32_t file, uint32_t line)
{
	size_t low = 0, high = self->place_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct place *place = &self->places[middle];
		if (place->file < file || (place->file == file && place->line < line))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Files and functions. */

/* How many names at the end of both paths are the same. */
static size_t common_names(const char *a, const char *b)
{
	size_t i = strlen(a), j = strlen(b), count = 0;
	for (;;) {
		size_t x = i, y = j;
		while (x > 0 && a[x - 1] != '/')
			x--;
		while (y > 0 && b[y - 1] != '/')
			y--;
		if (i == x || i - x != j - y || memcmp(a + x, b + y, i - x) != 0)
			return count;
		count++;
		if (x == 0 || y == 0)
			return count;
		i = x - 1;
		j = y - 1;
	}
}

static const struct files *find_files(struct race_matcher *self, const char *name)
{
	struct files *files = map_get(&self->log_files, name);
	if (files)
		return files;
	files = mem_alloc(sizeof *files);
	size_t most = 1;
	for (size_t i = 0; i < self->files.count; i++) {
		size_t common = common_names(self->files.items[i], name);
		if (common < most)
			continue;
		if (common > most)
			files->count = 0;
		most = common;
		files->ids = mem_resize(files->ids, (files->count + 1) * sizeof *files->ids);
		files->ids[files->count++] = (uint32_t)i;
	}
	map_set(&self->log_files, name, files);
	return files;
}

/* Without what gcc adds to copies of a function: "f.isra.0", "f.constprop.0". */
static char *bare_name(const char *name)
{
	static const char *const endings[] = { ".isra.", ".constprop.", ".part.", ".cold", ".lto_priv." };
	char *bare = mem_copy_string(name);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		char *at = strstr(bare, endings[i]);
		if (at)
			*at = '\0';
	}
	return bare;
}

static bool is_function(struct race_matcher *self, const char *name)
{
	uintptr_t known = (uintptr_t)map_get(&self->functions, name);
	char *bare = known ? NULL : bare_name(name);
	for (size_t i = 0; i < self->linkages.room && !known; i++) {
		const struct map_slot *slot = &self->linkages.slots[i];
		if (slot->key && names_match(&((struct description *)slot->value)->names, bare, slot->key))
			known = 2;
	}
	free(bare);
	map_set(&self->functions, name, (void *)(known ? known : 1));
	return known == 2;
}

/* Matching. */

/* One side that is being matched. */
struct search {
	struct race_matcher *matcher;
	const struct race_log_side *side;
	struct site_list *sites;
	enum race_match_how how;
	bool is_proved, is_moved, is_near;
	bool is_unnamed; /* the program does not have the function, so it says nothing about where the line is */
	char *reason;
};

static void read_site(const struct race_matcher *self, struct site_ref ref, struct woven_site *site)
{
	if (!woven_site(self->programs[ref.program].woven, ref.id, site))
		BUG("a site of a table of places is not there");
}

static bool fits(enum race_log_access access, uint32_t site)
{
	bool is_both = site == HEDDLE_ACCESS_ATOMIC_UPDATE || site == HEDDLE_ACCESS_ATOMIC_EXCHANGE;
	bool is_read = site == HEDDLE_ACCESS_READ || site == HEDDLE_ACCESS_ATOMIC_READ;
	return access == RACE_LOG_UNKNOWN || is_both || (access == RACE_LOG_READ) == is_read;
}

static bool is_at(struct race_matcher *self, const struct race_log_frame *frame, const char *file, uint32_t line)
{
	if (!frame->file || !file || frame->line != line_number(line))
		return false;
	const struct files *files = find_files(self, frame->file);
	uintptr_t id = (uintptr_t)map_get(&self->file_ids, file);
	for (size_t i = 0; i < files->count; i++)
		if (files->ids[i] + 1 == id)
			return true;
	return false;
}

/* How many of the calls that a place was inlined into are the callers in the log; -1: one is another. */
static int count_callers(const struct search *self, size_t level, const struct place *place,
			 const struct woven_site *site)
{
	const struct woven *woven = self->matcher->programs[place->site.program].woven;
	struct woven_inline step;
	uint32_t depth = 0;
	int count = 0;
	for (uint32_t at = site->inlined; at != WOVEN_NONE; at = step.next) {
		woven_inline(woven, at, &step);
		if (depth++ < place->depth)
			continue;
		if (++level >= self->side->frame_count)
			break;
		if (!is_at(self->matcher, &self->side->frames[level], step.file, step.line))
			return -1;
		count++;
	}
	return count;
}

/* The function that a place is in, by its linkage name; null: not known. */
static const char *function_at(const struct race_matcher *self, const struct place *place,
			       const struct woven_site *site)
{
	const struct woven *woven = self->programs[place->site.program].woven;
	struct woven_inline step;
	struct woven_function function;
	uint32_t depth = 0;
	for (uint32_t at = site->inlined; at != WOVEN_NONE; at = step.next) {
		woven_inline(woven, at, &step);
		if (depth++ == place->depth)
			return step.function;
	}
	return woven_function(woven, site->function, &function) ? function.name : NULL;
}

/* Whether the place is in another function than the frame, as far as both are known. */
static bool is_elsewhere(const struct search *self, const struct race_log_frame *frame, const struct place *place,
			 const struct woven_site *site)
{
	if (!frame->function || self->is_unnamed)
		return false;
	const char *linkage = function_at(self->matcher, place, site);
	char *name = bare_name(frame->function);
	const bool is_same =
		!linkage || names_match(&self->matcher->programs[place->site.program].names, name, linkage);
	free(name);
	return !is_same;
}

#define RANK_CALLERS (1u << 20)
#define RANK_COLUMN (1u << 15)

/* How well a place fits to a frame of the log; the best ones are taken. 0: not at all. */
static uint32_t rank(struct search *self, size_t level, const struct place *place)
{
	const struct race_log_frame *frame = &self->side->frames[level];
	struct woven_site site;
	read_site(self->matcher, place->site, &site);
	if (!fits(self->side->access, site.record.access))
		return 0;
	if (is_elsewhere(self, frame, place, &site)) {
		self->is_moved = true;
		return 0;
	}
	int callers = count_callers(self, level, place, &site);
	bool is_column = frame->column > 0 && place->column == (uint32_t)frame->column;
	uint32_t more = callers > 0 ? (uint32_t)callers : 0;
	/* What a library function accesses is a range. */
	bool is_size = level ? !site.record.size : site.record.size == self->side->size_bytes;
	return 1u + (callers >= 0 ? RANK_CALLERS : 0) + ((place->depth == 0) == (level == 0) ? 1u << 16 : 0) +
	       (is_column ? RANK_COLUMN : 0) + (more < 255 ? more : 255) * 4u +
	       (is_size            ? 2u
		: site.record.size ? 0
				   : 1u);
}

/* Adds the best places of a line of the log's frame. */
static bool take_line(struct search *self, size_t level, uint32_t file, uint32_t line, uint32_t *best)
{
	const struct race_matcher *matcher = self->matcher;
	for (size_t at = lower_bound(matcher, file, line);
	     at < matcher->place_count && matcher->places[at].file == file && matcher->places[at].line == line; at++) {
		uint32_t here = rank(self, level, &matcher->places[at]);
		if (!here || here < *best)
			continue;
		if (here > *best)
			site_list_clear(self->sites);
		*best = here;
		site_list_add(self->sites, matcher->places[at].site);
	}
	return *best > 0;
}

static const char *access_word(enum race_log_access access)
{
	return access == RACE_LOG_READ ? "read" : access == RACE_LOG_WRITE ? "write" : "access";
}

/* How the best place of the line is inexact; null: it is not. */
static char *inexact_of(const struct search *self, const struct race_log_frame *frame, uint32_t best)
{
	if (best < RANK_CALLERS)
		return mem_format("%s:%u is called from other places in this program than in the log", frame->file,
				  frame->line);
	if (self->is_unnamed)
		return mem_format("this program has no function %s", frame->function);
	if (frame->column > 0 && !(best & RANK_COLUMN))
		return mem_format("no %s in column %d of %s:%u", access_word(self->side->access), frame->column,
				  frame->file, frame->line);
	return NULL;
}

static bool take_exact(struct search *self, size_t level)
{
	const struct race_log_frame *frame = &self->side->frames[level];
	const struct files *files = find_files(self->matcher, frame->file);
	uint32_t best = 0;
	self->is_moved = false;
	self->is_unnamed = frame->function && !is_function(self->matcher, frame->function);
	for (size_t i = 0; i < files->count; i++)
		take_line(self, level, files->ids[i], frame->line, &best);
	if (!best)
		return false;
	self->is_moved = false;
	self->reason = inexact_of(self, frame, best);
	self->how = self->reason ? RACE_MATCH_INEXACT : RACE_MATCH_EXACT;
	return true;
}

/* Whether the place is in the function that the frame names. */
static bool is_in_function(struct race_matcher *self, const struct place *place, const char *name)
{
	struct description *program = &self->programs[place->site.program];
	struct woven_site site;
	struct woven_function function;
	read_site(self, place->site, &site);
	return names_match(&program->names, name, describe_written_in(program, &site)) ||
	       (woven_function(program->woven, site.function, &function) &&
		names_match(&program->names, name, function.name));
}

/* The nearest line of the same function that has an access of the kind; 0: none is near enough. */
static uint32_t near_line(struct search *self, const struct race_log_frame *frame, uint32_t file)
{
	struct race_matcher *matcher = self->matcher;
	uint32_t first = frame->line > RACE_MATCH_LINES ? frame->line - RACE_MATCH_LINES : 1, best = 0,
		 least = UINT32_MAX;
	char *name = frame->function ? bare_name(frame->function) : NULL;
	for (size_t at = lower_bound(matcher, file, first);
	     name && at < matcher->place_count && matcher->places[at].file == file &&
	     matcher->places[at].line <= frame->line + RACE_MATCH_LINES;
	     at++) {
		const struct place *place = &matcher->places[at];
		uint32_t away = place->line > frame->line ? place->line - frame->line : frame->line - place->line;
		struct woven_site site;
		read_site(matcher, place->site, &site);
		if (away < least && fits(self->side->access, site.record.access) &&
		    is_in_function(matcher, place, name)) {
			least = away;
			best = place->line;
		}
	}
	free(name);
	return best;
}

static bool take_near(struct search *self, size_t level)
{
	const struct race_log_frame *frame = &self->side->frames[level];
	const struct files *files = find_files(self->matcher, frame->file);
	/* The same compiler gives the same lines to what it does not leave out. */
	for (size_t i = 0; i < files->count && frame->column <= 0; i++) {
		uint32_t line = near_line(self, frame, files->ids[i]), best = 0;
		if (!line || !take_line(self, level, files->ids[i], line, &best))
			continue;
		self->how = RACE_MATCH_INEXACT;
		self->is_near = true;
		self->reason =
			mem_format("no %s at %s:%u in this program; the nearest in %s is at line %u",
				   access_word(self->side->access), frame->file, frame->line, frame->function, line);
		return true;
	}
	return false;
}

/* The line of the file with an access, of any kind, that is nearest; 0: none. */
static uint32_t nearest_line(const struct race_matcher *self, uint32_t file, uint32_t line)
{
	size_t at = lower_bound(self, file, line);
	uint32_t above = at < self->place_count && self->places[at].file == file ? self->places[at].line : 0;
	uint32_t below = at > 0 && self->places[at - 1].file == file ? self->places[at - 1].line : 0;
	if (!above || !below)
		return above ? above : below;
	return above - line < line - below ? above : below;
}

static void fail_at(struct search *self, const struct race_log_frame *frame)
{
	const struct files *files = find_files(self->matcher, frame->file);
	const char *word = access_word(self->side->access);
	if (self->is_moved) {
		self->reason = mem_format(
			"the log is from another build: %s:%u is not in %s in this program, so lines have moved",
			frame->file, frame->line, frame->function);
		return;
	}
	const char *called = self->side->frames[0].function;
	if (frame != self->side->frames && called) {
		self->reason = mem_format("the call of %s at %s:%u is not an access that Heddle observes", called,
					  frame->file, frame->line);
		return;
	}
	if (frame->function && !is_function(self->matcher, frame->function)) {
		self->reason = mem_format(
			"the log is from another build, or not from this program: it has no function %s (%s:%u)",
			frame->function, frame->file, frame->line);
		return;
	}
	uint32_t nearest = files->count ? nearest_line(self->matcher, files->ids[0], frame->line) : 0;
	if (!nearest)
		self->reason = mem_format("this program has no access in %s", frame->file);
	else if (nearest == frame->line)
		self->reason = mem_format("no %s at %s:%u in this program, only other accesses: lines may have moved",
					  word, frame->file, frame->line);
	else
		self->reason = mem_format(
			"no %s at %s:%u in this program; the nearest access is at line %u: lines may have moved", word,
			frame->file, frame->line, nearest);
}

/* The folder of a path has what the program has, too: a file there is not a library's. */
static bool is_in_program_folder(const struct search *self, const char *file)
{
	const char *end = strrchr(file, '/');
	for (size_t i = 0; end && i < self->side->frame_count; i++) {
		const char *other = self->side->frames[i].file, *slash = other ? strrchr(other, '/') : NULL;
		if (slash && slash - other == end - file && memcmp(other, file, (size_t)(end - file)) == 0 &&
		    find_files(self->matcher, other)->count)
			return true;
	}
	return false;
}

/* Valgrind names files without their folders. */
static bool is_header(const char *file)
{
	const char *ending = strrchr(file, '.');
	return !ending || strncmp(ending, ".h", 2) == 0 || strcmp(ending, ".tcc") == 0 || strcmp(ending, ".inc") == 0;
}

/* Whether a frame without a match may be passed over, so that the access is at the call. */
static bool is_library(struct search *self, const struct race_log_frame *frame)
{
	if (!frame->file)
		return !frame->function || !is_function(self->matcher, frame->function);
	if (stack_is_system_file(frame->file) || strstr(frame->file, "/libsanitizer/"))
		return true;
	const struct files *files = find_files(self->matcher, frame->file);
	for (size_t i = 0; i < files->count; i++)
		if (!stack_is_system_file(self->matcher->files.items[files->ids[i]]))
			return false;
	if (files->count || is_in_program_folder(self, frame->file))
		return files->count;
	return is_header(frame->file) || !frame->function || !is_function(self->matcher, frame->function);
}

static void fail_all(struct search *self)
{
	const struct race_log_frame *first = self->side->frames;
	if (!self->side->frame_count)
		self->reason = mem_copy_string("the log has no stack of this access");
	else if (!first->function && first->module)
		self->reason = mem_format(
			"the log has no names, only %s+0x%lx: build with -g, and let the tool find its symbolizer",
			first->module, (unsigned long)first->offset);
	else
		self->reason = mem_format("no function of the stack is in this program; the innermost is %s",
					  first->function ? first->function : "not known");
}

static bool is_freeing(const char *function)
{
	return function && (strcmp(function, "free") == 0 || strcmp(function, "realloc") == 0 ||
			    strncmp(function, "operator delete", 15) == 0);
}

/* A proved site cannot be where threads are held, so others are preferred. */
static void prefer_unproved(struct search *self)
{
	struct site_list kept = { 0 };
	for (size_t i = 0; i < self->sites->count; i++) {
		struct woven_site site;
		read_site(self->matcher, self->sites->items[i], &site);
		if (!(site.record.flags & HEDDLE_SITE_PROVED))
			site_list_add(&kept, self->sites->items[i]);
	}
	self->is_proved = self->sites->count && !kept.count;
	if (self->is_proved)
		return;
	site_list_clear(self->sites);
	*self->sites = kept;
}

/* Why there is no site at a frame of the program's own. */
static void fail_own(struct search *self, size_t level)
{
	const struct race_log_frame *frame = &self->side->frames[level];
	if (frame->file && frame->line)
		fail_at(self, frame);
	else
		self->reason = mem_format("the log has no line of %s: build with -g", frame->function);
}

static void find_side(struct search *self)
{
	const struct race_log_frame *frames = self->side->frames;
	for (size_t level = 0; level < self->side->frame_count; level++) {
		const struct race_log_frame *frame = &frames[level];
		bool has_line = frame->file && frame->line, is_freed = level && is_freeing(frames[0].function);
		if (has_line && !is_freed && take_exact(self, level)) {
			prefer_unproved(self);
			return;
		}
		if (is_library(self, frame))
			continue;
		/* Of a call only the line itself can have the access. */
		if (is_freed)
			self->reason = mem_format("the memory is freed here, which is not an access: a call of %s",
						  frames[0].function);
		else if (has_line && !level && !self->is_moved && take_near(self, level))
			prefer_unproved(self);
		else
			fail_own(self, level);
		return;
	}
	fail_all(self);
}

/* Without the namespace. */
static const char *short_name(const char *name)
{
	const char *colon = strrchr(name, ':');
	return colon ? colon + 1 : name;
}

/* The log names the variable: accesses to others are not meant. If there are only such, lines have moved. */
static void take_variable(struct search *self, const char *global)
{
	struct site_list kept = { 0 };
	char *other = NULL;
	if (!global || !map_get(&self->matcher->variables, short_name(global)))
		return;
	for (size_t i = 0; i < self->sites->count; i++) {
		struct woven_site site;
		read_site(self->matcher, self->sites->items[i], &site);
		char *own = own_variable(site.variable);
		if (own && strcmp(short_name(own), short_name(global)) != 0) {
			free(other);
			other = own;
			continue;
		}
		site_list_add(&kept, self->sites->items[i]);
		free(own);
	}
	if (!kept.count && other) {
		const struct race_log_frame *frame = self->side->frames;
		free(self->reason);
		self->how = RACE_MATCH_NONE;
		self->is_moved = true;
		self->reason =
			mem_format("the log is from another build: %s is accessed in line %u of %s in this program, "
				   "and %s in the log, so lines have moved",
				   other, frame->line, frame->file ? frame->file : "the source", global);
	}
	free(other);
	site_list_clear(self->sites);
	*self->sites = kept;
}

/* Accesses to variables of the same names as those of the other side, which is known. */
static void guess_side(struct search *self, const struct site_list *other)
{
	const struct race_matcher *matcher = self->matcher;
	for (size_t i = 0; i < other->count; i++) {
		struct woven_site known, site;
		read_site(matcher, other->items[i], &known);
		const struct woven *woven = matcher->programs[other->items[i].program].woven;
		for (uint32_t id = 0; known.variable && id < woven_site_count(woven); id++)
			if (woven_site(woven, id, &site) && site.variable &&
			    strcmp(site.variable, known.variable) == 0 && !(site.record.flags & HEDDLE_SITE_PROVED) &&
			    fits(self->side->access, site.record.access) &&
			    (!fits(RACE_LOG_READ, known.record.access) || fits(RACE_LOG_WRITE, site.record.access)))
				site_list_add(self->sites, (struct site_ref){ other->items[i].program, id });
	}
	free(self->reason);
	self->how = self->sites->count ? RACE_MATCH_GUESSED : RACE_MATCH_NONE;
	self->reason = mem_copy_string(
		self->sites->count
			? "the log does not say where the other access is: accesses to a variable of the same name"
			: "the log does not say where the other access is");
}

void race_match(struct race_matcher *self, const struct race_log_pair *pair, struct race_match *match)
{
	struct search searches[2];
	*match = (struct race_match){ 0 };
	for (size_t i = 0; i < 2; i++) {
		searches[i] =
			(struct search){ .matcher = self, .side = &pair->sides[i], .sites = &match->pair.sides[i] };
		find_side(&searches[i]);
		if (searches[i].how != RACE_MATCH_NONE)
			take_variable(&searches[i], pair->global);
	}
	for (size_t i = 0; i < 2; i++)
		if (!pair->sides[i].frame_count && match->pair.sides[!i].count)
			guess_side(&searches[i], &match->pair.sides[!i]);
	for (size_t i = 0; i < 2; i++) {
		match->how[i] = searches[i].how;
		match->is_proved[i] = searches[i].is_proved;
		match->is_moved[i] = searches[i].is_moved;
		match->is_near[i] = searches[i].is_near;
		match->reasons[i] = searches[i].reason;
	}
}

void race_match_release(struct race_match *match)
{
	site_pair_release(&match->pair);
	free(match->reasons[0]);
	free(match->reasons[1]);
	*match = (struct race_match){ 0 };
}

bool race_match_is_found(const struct race_match *match)
{
	return match->pair.sides[0].count && match->pair.sides[1].count;
}
