/* event_text.c: see event_text.h. */
#include "symbols/event_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/ptrmap.h"
#include "base/text.h"
#include "heddle/abi.h"
#include "heddle/events.h"
#include "symbols/line.h"
#include "symbols/names_short.h"
#include "symbols/stack.h"
#include "symbols/symbol.h"
#include "symbols/woven.h"
#include "trace/syscall_names.h"

#define NAMES_SHOWN 6u

/* The program's own place that calls led from. */
struct origin {
	bool is_known;                    /* whether there is one */
	const struct symbol_place *place; /* null: there is none */
};

struct event_texts {
	struct symbols *symbols;
	struct map objects; /* path to struct woven, or to null when it is not woven */
	struct callers callers;
	struct origin *origins; /* of each of them */
};

#define WORD(ID, word, object, lock, flow) [HEDDLE_EVENT_##ID] = word,
static const char *const words[HEDDLE_EVENT_COUNT] = { HEDDLE_EVENTS(WORD) };

/* How the object of an event is shown. */
enum shown { SHOWN_NOT, SHOWN_ADDRESS, SHOWN_SYSCALL, SHOWN_NUMBER };

static enum shown shown_as(enum heddle_object_kind object)
{
	switch (object) {
	case HEDDLE_OBJECT_NOTHING:
	case HEDDLE_OBJECT_THREAD:
	case HEDDLE_OBJECT_YIELD:
	case HEDDLE_OBJECT_SLEEP:
	case HEDDLE_OBJECT_COUNT:
		return SHOWN_NOT;
	case HEDDLE_OBJECT_SYSCALL:
		return SHOWN_SYSCALL;
	case HEDDLE_OBJECT_SIGNAL:
		return SHOWN_NUMBER;
	case HEDDLE_OBJECT_MEMORY:
	case HEDDLE_OBJECT_ATOMIC:
	case HEDDLE_OBJECT_MUTEX:
	case HEDDLE_OBJECT_CONDITION:
	case HEDDLE_OBJECT_RWLOCK:
	case HEDDLE_OBJECT_SPIN:
	case HEDDLE_OBJECT_BARRIER:
	case HEDDLE_OBJECT_SEMAPHORE:
	case HEDDLE_OBJECT_ONCE:
	case HEDDLE_OBJECT_FUTEX:
	case HEDDLE_OBJECT_SKIPPED:
		break;
	}
	return SHOWN_ADDRESS;
}

struct event_texts *event_texts_new(const struct report *report)
{
	struct event_texts *self = mem_alloc(sizeof *self);
	self->symbols = symbols_new(report);
	return self;
}

void event_texts_free(struct event_texts *self)
{
	map_release_values(&self->objects, woven_free_value);
	callers_release(&self->callers);
	free(self->origins);
	symbols_free(self->symbols);
	free(self);
}

void event_texts_take_callers(struct event_texts *self, struct callers *callers)
{
	callers_release(&self->callers);
	free(self->origins);
	self->callers = *callers;
	self->origins = mem_alloc((callers->count + 1) * sizeof *self->origins);
	*callers = (struct callers){ 0 };
}

/* What the object of such an event is in the program's own names; 0: nothing that has one. */
static enum heddle_named named_kind(uint32_t kind)
{
#define NAMED(ID, word, named) [HEDDLE_OBJECT_##ID] = (enum heddle_named)(named),
	static const enum heddle_named named[HEDDLE_OBJECT_COUNT] = { HEDDLE_OBJECTS(NAMED) };
	return named[heddle_event_object(kind)];
}

static bool learn(struct event_texts *self, const struct event *event, enum heddle_named kind)
{
	uint64_t all[1 + HEDDLE_MAX_CALLERS] = { event->code };
	const uint64_t *addresses;
	size_t count = callers_get(&self->callers, event->callers, &addresses);
	for (size_t i = 0; i < count && i < HEDDLE_MAX_CALLERS; i++)
		all[1 + i] = addresses[i];
	return symbols_learn(self->symbols, event->object, &(struct symbol_calls){ all, 1 + count, false }, kind);
}

void event_texts_learn(struct event_texts *self, const struct event *events, size_t count)
{
	struct ptrmap learned = { 0 };
	struct map nameless = { 0 }; /* calls that gave no name give none again */
	for (size_t i = 0; i < count; i++) {
		char key[64];
		enum heddle_named kind = named_kind(events[i].kind);
		const void *object = (const void *)(uintptr_t)events[i].object;
		if (!kind || !object || ptrmap_get(&learned, object, NULL))
			continue;
		snprintf(key, sizeof key, "%d:%" PRIx64 ":%" PRIu32, (int)kind, events[i].code, events[i].callers);
		if (map_has(&nameless, key))
			continue;
		if (learn(self, &events[i], kind))
			ptrmap_set(&learned, object, self);
		else
			map_set(&nameless, key, self);
	}
	ptrmap_release(&learned);
	map_release(&nameless);
}

/* The site that the "code" of an access is, when it is one. */
static bool find_site(struct event_texts *self, const struct event *event, struct woven_site *site)
{
	const char *path;
	uint64_t address;
	if (!heddle_event_is_access(event->kind))
		return false;
	if (!symbols_in_file(self->symbols, event->code, &path, &address))
		return false;
	if (!map_has(&self->objects, path)) {
		struct woven *opened = NULL;
		struct err ignored = ERR_INIT;
		map_set(&self->objects, path, woven_open(path, &opened, &ignored) == 0 ? opened : NULL);
	}
	const struct woven *woven = map_get(&self->objects, path);
	uint32_t index = woven ? woven_site_at(woven, address) : WOVEN_NONE;
	return index != WOVEN_NONE && woven_site(woven, index, site);
}

bool event_texts_is_change(struct event_texts *self, const struct event *event)
{
	struct woven_site site;
	if (event->kind != HEDDLE_EVENT_ATOMIC)
		return event->kind == HEDDLE_EVENT_WRITE;
	return find_site(self, event, &site) &&
	       (site.record.access == HEDDLE_ACCESS_ATOMIC_WRITE || site.record.access == HEDDLE_ACCESS_ATOMIC_UPDATE);
}

/* libc's own code is never where the program does something. */
static bool is_libc(struct event_texts *self, uint64_t code)
{
	const char *path;
	uint64_t address;
	if (!symbols_in_file(self->symbols, code, &path, &address))
		return false;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0 ||
	       strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "libpthread", 10) == 0;
}

static const struct symbol_place *origin_of(struct event_texts *self, const struct event *event)
{
	const uint64_t *addresses;
	size_t count = callers_get(&self->callers, event->callers, &addresses);
	if (!count)
		return NULL;
	struct origin *origin = &self->origins[event->callers - 1];
	if (!origin->is_known)
		*origin = (struct origin){ true, stack_origin(self->symbols, addresses, count) };
	return origin->place;
}

/* Null: it has none. */
static const struct symbol_place *find_symbol(struct event_texts *self, const struct event *event, bool *is_own)
{
	struct woven_site site;
	const struct symbol_place *places;
	*is_own = false;
	if (!find_site(self, event, &site) && is_libc(self, event->code))
		return NULL;
	const struct symbol_place *own = stack_own_symbol(self->symbols, event->code);
	if (!own)
		own = origin_of(self, event);
	*is_own = own != NULL;
	if (own || !symbols_code(self->symbols, event->code, &places))
		return own;
	return places;
}

const char *event_texts_place(struct event_texts *self, const struct event *event, uint32_t *line)
{
	bool is_own;
	const struct symbol_place *place = find_symbol(self, event, &is_own);
	*line = place ? place->line : 0;
	return place ? place->file : NULL;
}

const char *event_texts_own_place(struct event_texts *self, const struct event *event, uint32_t *line)
{
	bool is_own;
	const struct symbol_place *place = find_symbol(self, event, &is_own);
	*line = is_own ? place->line : 0;
	return is_own ? place->file : NULL;
}

char *event_texts_function(struct event_texts *self, const struct event *event)
{
	const struct symbol_place *places;
	struct woven_site site;
	const char *function = NULL;
	size_t count = symbols_code(self->symbols, event->code, &places);
	if (find_site(self, event, &site) || stack_owner(self->symbols, event->code) == STACK_OF_PROGRAM)
		function = count ? places[count - 1].function : NULL;
	else
		function = symbols_public(self->symbols, event->code);
	return function ? names_bare(function) : NULL;
}

/* The same without folders. */
static const char *find_place(struct event_texts *self, const struct event *event, uint32_t *line)
{
	const char *file = event_texts_place(self, event, line), *slash = file ? strrchr(file, '/') : NULL;
	return slash ? slash + 1 : file;
}

static void add_object(struct buf *out, struct event_texts *self, const struct event *event)
{
	struct woven_site site;
	struct buf name = { 0 };
	enum heddle_named kind = named_kind(event->kind);
	if (kind)
		learn(self, event, kind);
	bool has_name = heddle_event_is_access(event->kind)
				? symbols_describe_data(&name, self->symbols, event->object)
				: symbols_describe_object(&name, self->symbols, event->object);
	bool has_variable = find_site(self, event, &site) && site.variable;
	/* What a header of the system calls it says nothing. */
	if (has_variable && !(has_name && !stack_own_symbol(self->symbols, event->code)))
		text_terminal(out, site.variable);
	else
		buf_add_string(out, name.data);
	buf_release(&name);
}

void event_texts_describe_address(struct buf *out, struct event_texts *self, uint64_t address)
{
	symbols_describe_object(out, self->symbols, address);
}

void event_texts_describe_what(struct buf *out, struct event_texts *self, const struct event *event)
{
	if (event->kind >= HEDDLE_EVENT_COUNT || !words[event->kind]) {
		buf_format(out, "event of kind %" PRIu32, event->kind);
		return;
	}
	if (event->kind == HEDDLE_EVENT_ATOMIC && !event->object) {
		buf_add_string(out, "fence");
		return;
	}
	const char *name = syscall_name(event->object);
	buf_add_string(out, words[event->kind]);
	switch (shown_as(heddle_event_object(event->kind))) {
	case SHOWN_ADDRESS:
		buf_add_string(out, " ");
		add_object(out, self, event);
		break;
	case SHOWN_SYSCALL:
		if (name)
			buf_format(out, " %s", name);
		else
			buf_format(out, " %" PRIu64, event->object);
		break;
	case SHOWN_NUMBER:
		buf_format(out, " %" PRIu64, event->object);
		break;
	case SHOWN_NOT:
		break;
	}
}

void event_texts_describe(struct buf *out, struct event_texts *self, const struct event *event)
{
	uint32_t line;
	const char *file = find_place(self, event, &line);
	if (file) {
		line_add(out, file, line);
		buf_add_string(out, " ");
	}
	event_texts_describe_what(out, self, event);
}

/* The names of what was accessed, each once, as far as they are few. */
static void add_names(struct buf *out, struct event_texts *self, const struct event *events, size_t count)
{
	struct strings names = { 0 };
	bool is_more = false;
	for (size_t i = 0; i < count; i++) {
		struct buf name = { 0 };
		add_object(&name, self, &events[i]);
		if (names.count < NAMES_SHOWN && !strings_has(&names, name.data))
			strings_add(&names, name.data);
		else
			is_more = is_more || !strings_has(&names, name.data);
		buf_release(&name);
	}
	for (size_t i = 0; i < names.count; i++)
		buf_format(out, "%s%s", i ? ", " : "", names.items[i]);
	if (is_more)
		buf_add_string(out, ", ...");
	strings_release(&names);
}

void event_texts_fold_what(struct buf *out, struct event_texts *self, const struct event *events, size_t count)
{
	buf_format(out, "%zu accesses: ", count);
	add_names(out, self, events, count);
}

void event_texts_fold(struct buf *out, struct event_texts *self, const struct event *events, size_t count)
{
	uint32_t first = UINT32_MAX, last = 0;
	const char *file = NULL;
	for (size_t i = 0; i < count; i++) {
		uint32_t line;
		const char *other = find_place(self, &events[i], &line);
		if (!file)
			file = other;
		if (!other || strcmp(file, other) != 0)
			continue;
		line = line_number(line);
		first = line && line < first ? line : first;
		last = line > last ? line : last;
	}
	if (file) {
		line_add(out, file, last ? first : 0);
		if (last > first)
			buf_format(out, "-%" PRIu32, last);
		buf_add_string(out, " ");
	}
	event_texts_fold_what(out, self, events, count);
}
