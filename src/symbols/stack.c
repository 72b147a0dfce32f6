/* stack.c: see stack.h. */
#include "symbols/stack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbols/line.h"
#include "symbols/names_short.h"

enum stack_owner stack_owner(struct symbols *symbols, uint64_t address)
{
	static const char *const libraries[] = {
		"libc.so",   "libc-",   "ld-linux", "libpthread", "libstdc++", "libgcc_s", "libc++",
		"libunwind", "libm.so", "libgomp",  "libomp",     "librt",     "libdl",
	};
	const char *path;
	uint64_t in_file;
	if (!symbols_in_file(symbols, address, &path, &in_file))
		return STACK_OF_PROGRAM;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	if (strcmp(name, "libheddle.so") == 0)
		return STACK_OF_RUNTIME;
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
			return STACK_OF_SYSTEM;
	return STACK_OF_PROGRAM;
}

bool stack_is_system_file(const char *file)
{
	static const char *const folders[] = { "/usr/include/", "/usr/local/include/", "/usr/lib" };
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(file, folders[i], strlen(folders[i])) == 0)
			return true;
	return strstr(file, "/include/c++/") || strstr(file, "/lib/gcc/") || strstr(file, "/lib/clang/");
}

/* Code of the system's headers, and of what is linked into every program. */
static bool is_system_place(const struct symbol_place *place)
{
	if (place->function && strcmp(place->function, "_start") == 0)
		return true;
	return place->file && stack_is_system_file(place->file);
}

bool stack_is_own(struct symbols *symbols, uint64_t address, const struct symbol_place *place)
{
	return place->file && !is_system_place(place) && stack_owner(symbols, address) == STACK_OF_PROGRAM;
}

const struct symbol_place *stack_own_symbol(struct symbols *symbols, uint64_t address)
{
	const struct symbol_place *places;
	size_t count = symbols_code(symbols, address, &places);
	for (size_t i = 0; i < count; i++)
		if (stack_is_own(symbols, address, &places[i]))
			return &places[i];
	return NULL;
}

const struct symbol_place *stack_origin(struct symbols *symbols, const uint64_t *addresses, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct symbol_place *own = stack_own_symbol(symbols, addresses[i]);
		if (own || !symbols_has_frame(symbols, addresses[i]))
			return own;
	}
	return NULL;
}

static bool is_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same(const struct stack_place *a, const struct stack_place *b)
{
	return a->address == b->address && a->symbol.line == b->symbol.line &&
	       is_equal(a->symbol.function, b->symbol.function) && is_equal(a->symbol.file, b->symbol.file);
}

/* A place of a library replaces the one before: the outermost of them stays. A function that calls itself is there once. */
static void add(struct stack_places *places, struct stack_place place)
{
	struct stack_place *last = places->count ? &places->items[places->count - 1] : NULL;
	if (last && last->is_library && place.is_library)
		*last = place;
	else if (last && is_same(last, &place))
		last->is_repeated = true;
	else if (places->count < STACK_PLACES)
		places->items[places->count++] = place;
	else if (!place.is_library)
		places->is_cut = true;
}

static void add_own(struct stack_places *places, struct symbols *symbols, uint64_t address)
{
	const struct symbol_place *found;
	size_t count = symbols_code(symbols, address, &found);
	for (size_t i = 0; i < count; i++)
		add(places, (struct stack_place){ .symbol = found[i],
						  .address = address,
						  .is_library = is_system_place(&found[i]),
						  .is_inlined = i + 1 < count });
	if (count == 0)
		add(places, (struct stack_place){ .address = address });
}

/* has_nothing_else: also what has no name that anybody would know. */
static void add_all(struct stack_places *places, struct symbols *symbols, const uint64_t *addresses, size_t count,
		    bool has_nothing_else)
{
	*places = (struct stack_places){ .count = 0 };
	for (size_t i = 0; i < count; i++) {
		enum stack_owner owner = stack_owner(symbols, addresses[i]);
		const char *function = owner == STACK_OF_PROGRAM ? NULL : symbols_public(symbols, addresses[i]);
		if (owner == STACK_OF_PROGRAM || (has_nothing_else && !function))
			add_own(places, symbols, addresses[i]);
		else if (function && strncmp(function, "__heddle", 8) != 0)
			add(places, (struct stack_place){ .symbol = { .function = function },
							  .address = addresses[i],
							  .is_library = true });
	}
	if (places->count > 1 && places->items[places->count - 1].is_library) {
		places->count--;
		places->items[places->count - 1].is_inlined = false;
	}
}

static bool has_own(const struct stack_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		if (!places->items[i].is_library)
			return true;
	return false;
}

void stack_of_thread(struct stack_places *places, struct unwinder *unwinder, struct symbols *symbols,
		     const struct report_thread *thread)
{
	uint64_t addresses[MAX_STACK_DEPTH];
	size_t count = unwind_thread(unwinder, thread, addresses, MAX_STACK_DEPTH);
	add_all(places, symbols, addresses, count, false);
	places->is_cut = places->is_cut || count == MAX_STACK_DEPTH || unwinder_is_cut(unwinder);
	if (!has_own(places)) /* the last event says more */
		add_all(places, symbols, thread->code, thread->code_count, true);
}

void stack_describe(struct buf *out, struct symbols *symbols, const struct stack_place *place)
{
	const struct symbol_place *symbol = &place->symbol;
	if (!symbol->function || (!symbol->file && !place->is_library)) {
		symbols_describe_code(out, symbols, place->address);
		return;
	}
	names_add_short(out, symbol->function);
	if (place->is_library)
		return;
	buf_add_string(out, " (");
	line_add(out, symbol->file, symbol->line);
	buf_add_string(out, place->is_inlined ? "), inlined" : place->is_repeated ? "), repeatedly" : ")");
}

/* The function that begins at the address, by its name; null when that is not known. */
static const char *function_at(struct symbols *symbols, uint64_t start)
{
	const struct symbol_place *found;
	size_t count = start ? symbols_code(symbols, start + 1, &found) : 0;
	return count ? found[count - 1].function : NULL;
}

/* The name of a function, or of what it runs if it is one of C++'s library; null: it has none that says anything. */
static char *name_of_start(struct symbols *symbols, uint64_t start)
{
	const char *function = function_at(symbols, start);
	if (!function)
		return NULL;
	if (stack_owner(symbols, start + 1) == STACK_OF_PROGRAM && !names_is_library(function))
		return names_bare(function);
	return names_of_task(function);
}

/* What a std::thread runs, which is known from the type of its state: an object's own, or a function, which is the last
 * that the state has. That of a member has two words, the first of which is not an address when it is virtual. */
static char *name_of_state(struct symbols *symbols, const struct report_thread *thread)
{
	const char *linkage, *type;
	if (!thread->has_words || !symbols_variable(symbols, thread->words[0], &linkage, &type))
		return NULL;
	switch (names_task_kind(type)) {
	case NAMES_TASK_OBJECT:
		return names_of_task(type);
	case NAMES_TASK_FUNCTION:
		return name_of_start(symbols, thread->words[2]);
	case NAMES_TASK_MEMBER:
		return name_of_start(symbols, thread->words[1]);
	case NAMES_TASK_OTHER:
		break;
	}
	return NULL;
}

/* From where it began; of threads that have ended nothing else is known. */
static bool describe_entry(struct buf *out, struct symbols *symbols, const struct report_thread *thread)
{
	char *name = name_of_start(symbols, thread->start);
	if (!name)
		name = name_of_state(symbols, thread);
	if (name)
		text_terminal(out, name);
	free(name);
	return name;
}

bool stack_describe_start(struct buf *out, struct unwinder *unwinder, struct symbols *symbols,
			  const struct report_thread *thread)
{
	struct stack_places places;
	uint64_t addresses[MAX_STACK_DEPTH];
	if (thread->name && thread->name[0] && thread->index != 1) {
		text_terminal(out, thread->name);
		return true;
	}
	if (thread->index == 1)
		return false;
	if (describe_entry(out, symbols, thread))
		return true;
	size_t count = unwind_thread(unwinder, thread, addresses, MAX_STACK_DEPTH);
	add_all(&places, symbols, addresses, count, false);
	if (places.count == STACK_PLACES || count == MAX_STACK_DEPTH)
		return false; /* it may be cut off */
	char *name = NULL, *task = NULL;
	for (size_t i = places.count; i-- > 0 && !name;) {
		const char *function = places.items[i].symbol.function;
		if (function && !task)
			task = names_of_task(function);
		if (function && !places.items[i].is_library && !names_is_library(function))
			name = names_bare(function);
	}
	const char *shown = name ? name : task;
	if (shown)
		text_terminal(out, shown);
	free(name);
	free(task);
	return shown;
}

const struct symbol_place *stack_own_place(const struct stack_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		if (!places->items[i].is_library && places->items[i].symbol.file)
			return &places->items[i].symbol;
	return NULL;
}
