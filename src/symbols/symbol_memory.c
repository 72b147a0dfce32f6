/* symbol_memory.c: names of memory: variables that have symbols, and objects without one, named after the program's lines that use them. */
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/sync_call.h"
#include "base/text.h"
#include "symbols/names_short.h"
#include "symbols/stack.h"
#include "symbols/symbol_data.h"
#include "symbols/symbol_priv.h"
#include "symbols/woven.h"

/* Compilers number the static variables of functions: "count.0". */
static char *without_number(const char *symbol)
{
	size_t size = strlen(symbol), digits = size;
	while (digits > 1 && symbol[digits - 1] >= '0' && symbol[digits - 1] <= '9')
		digits--;
	if (digits < size && digits > 1 && symbol[digits - 1] == '.')
		size = digits - 1;
	return mem_format("%.*s", (int)size, symbol);
}

/* The symbol of a variable, or null. */
static const char *find_variable(Dwfl_Module *module, uint64_t address, GElf_Off *offset)
{
	GElf_Sym symbol;
	const char *name = module ? dwfl_module_addrinfo(module, address, offset, &symbol, NULL, NULL, NULL) : NULL;
	/* Symbols without a size reach to the next one; that is a guess we do not make. */
	if (!name || GELF_ST_TYPE(symbol.st_info) == STT_FUNC || (symbol.st_size && *offset >= symbol.st_size) ||
	    (!symbol.st_size && *offset))
		return NULL;
	return name;
}

bool symbols_variable(struct symbols *self, uint64_t address, const char **linkage, const char **readable)
{
	GElf_Off offset;
	const char *name = find_variable(symbols_module(self, address), address, &offset);
	if (!name)
		return false;
	char *variable = without_number(names_readable(&self->names, name));
	*linkage = name;
	*readable = symbols_keep(self, variable);
	free(variable);
	return true;
}

/* Appends the name of a variable; false when there is none. */
static bool name_data(struct buf *out, struct symbols *self, uint64_t address)
{
	Dwfl_Module *module = symbols_module(self, address);
	GElf_Off offset;
	const char *name = find_variable(module, address, &offset);
	if (!name)
		return false;
	char *variable = without_number(names_displayed(&self->names, name));
	text_terminal(out, variable);
	symbol_data_member(out, module, address, offset);
	free(variable);
	return true;
}

bool symbols_describe_data(struct buf *out, struct symbols *self, uint64_t address)
{
	char key[SYMBOL_KEY_ROOM];
	symbol_key(key, address);
	if (!map_has(&self->data, key)) {
		struct buf name = { 0 };
		bool is_named = name_data(&name, self, address);
		map_set(&self->data, key, is_named ? (void *)(uintptr_t)symbols_keep(self, name.data) : NULL);
		buf_release(&name);
	}
	const char *name = map_get(&self->data, key);
	if (name)
		buf_add_string(out, name);
	else
		buf_format(out, "0x%" PRIx64, address);
	return name != NULL;
}

/* What the tables call it in that line of the program; null when it has no name there. */
static const char *name_in_line(struct symbols *self, uint64_t code, const struct symbol_place *own,
				enum heddle_named kind)
{
	const char *path;
	uint64_t in_file;
	if (!symbols_in_file(self, code, &path, &in_file))
		return NULL;
	const struct woven *woven = symbols_woven(self, path);
	if (!woven)
		return NULL;
	char *key = mem_format("%d:%" PRIu32 ":%s:%s", (int)kind, own->line, own->file, path);
	if (!map_has(&self->lines, key))
		map_set(&self->lines, key, (void *)(uintptr_t)woven_name(woven, own->file, own->line, kind));
	const char *name = map_get(&self->lines, key);
	free(key);
	return name;
}

/* Whether the function of a library that the program called is about such things itself. One that has locks of its own inside is not: what
 * else the line locks is something else. */
static bool is_about(const struct symbol_place *called, enum heddle_named kind)
{
	struct sync_argument found[SYNC_CALL_MAX_ARGUMENTS];
	const char *linkage = called->linkage ? called->linkage : called->function;
	unsigned count = linkage ? sync_call_find(linkage, UINT_MAX, found) : 0;
	for (unsigned i = 0; i < count; i++)
		if (found[i].kind == kind)
			return true;
	return false;
}

/* What is inlined into the line of the first call was seen by the weave; of functions that were called their names say what they are. */
static const char *name_at_call(struct symbols *self, const struct symbol_calls *calls, enum heddle_named kind)
{
	const struct symbol_place *called = NULL;
	bool is_first = true;
	for (size_t i = 0; i < calls->count; i++) {
		const uint64_t code = calls->addresses[i];
		const struct symbol_place *places;
		const enum stack_owner owner = stack_owner(self, code);
		size_t count = owner == STACK_OF_RUNTIME ? 0 : symbols_code(self, code, &places);
		for (size_t j = 0; j < count; j++) {
			if (stack_is_own(self, code, &places[j]))
				return called && !is_about(called, kind) ? NULL
									 : name_in_line(self, code, &places[j], kind);
			/* Functions of libc do what their callers ask for. */
			if ((!is_first || j + 1 == count) && (owner == STACK_OF_PROGRAM || places[j].linkage))
				called = &places[j];
		}
		is_first = is_first && (owner == STACK_OF_RUNTIME || !count);
		if (!calls->is_unwound && !symbols_has_frame(self, code))
			return NULL;
	}
	return NULL;
}

static void set_name(struct symbols *self, uint64_t address, const char *name)
{
	char key[SYMBOL_KEY_ROOM];
	symbol_key(key, address);
	map_set(&self->learned, key, (void *)(uintptr_t)symbols_keep(self, name));
}

static void append_address(struct symbols *self, uint64_t address, const char *name)
{
	char *longer = mem_format("%s (0x%" PRIx64 ")", name, address);
	set_name(self, address, longer);
	free(longer);
}

bool symbols_learn(struct symbols *self, uint64_t address, const struct symbol_calls *calls, enum heddle_named kind)
{
	char key[SYMBOL_KEY_ROOM];
	struct buf name = { 0 };
	symbol_key(key, address);
	if (!address || map_has(&self->learned, key) || symbols_module(self, address))
		return true;
	const char *found = name_at_call(self, calls, kind);
	if (!found)
		return false;
	text_terminal(&name, found);
	char *named = mem_format("%d:%s", (int)kind, name.data);
	uint64_t *first = map_get(&self->learned_from, named);
	if (!first) {
		first = mem_alloc(sizeof *first);
		*first = address;
		map_set(&self->learned_from, named, first);
		set_name(self, address, name.data);
	} else {
		append_address(self, *first, name.data);
		append_address(self, address, name.data);
	}
	free(named);
	buf_release(&name);
	return true;
}

bool symbols_describe_object(struct buf *out, struct symbols *self, uint64_t address)
{
	char key[SYMBOL_KEY_ROOM];
	symbol_key(key, address);
	const char *name = map_get(&self->learned, key);
	if (name) {
		buf_add_string(out, name);
		return true;
	}
	struct buf data = { 0 };
	bool has_name = symbols_describe_data(&data, self, address);
	if (has_name) {
		char *whole = mem_copy_string(data.data);
		buf_add_string(out, sync_call_cut_name(data.data) ? data.data : whole);
		free(whole);
	} else {
		buf_add_string(out, data.data);
	}
	buf_release(&data);
	return has_name;
}

void symbols_forget(struct symbols *self)
{
	map_release_values(&self->learned_from, free);
	map_release(&self->learned);
}

bool symbols_decode(struct symbols *self, uint64_t address, uint64_t *value)
{
	Dwfl_Module *module = symbols_module(self, address);
	return module && symbol_data_decode(module, address, value);
}
