/* symbol_code.c: names of code: the functions, inlined ones included, and the line at an address. From debug information, else from the
 * tables of woven files, else from symbols. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbols/line.h"
#include "symbols/names_short.h"
#include "symbols/stack.h"
#include "symbols/symbol_line.h"
#include "symbols/symbol_priv.h"
#include "symbols/woven.h"

#define INLINE_DEPTH_MAX 64u
#define REGISTER_RBP 6  /* as DWARF numbers it */
#define FRAME_BYTES 16u /* above where it points to: its old value, and where the function returns to */

/* symbols_file for a name from the debug information of a mapped file. Where the build folder is hidden
 * (-ffile-prefix-map), names are relative, and DWARF has them below a folder that they are not in. */
static const char *keep_code_file(struct symbols *self, const char *object, const char *file)
{
	const char *kept = symbols_file(self, file);
	const struct woven *woven = file && file[0] != '/' && object ? symbols_woven(self, object) : NULL;
	const char *known = woven ? woven_source(woven, kept) : NULL;
	return known ? known : kept;
}

static const char *keep_function(struct symbols *self, const char *linkage)
{
	return linkage ? symbols_keep(self, names_readable(&self->names, linkage)) : NULL;
}

static void name_place(struct symbols *self, struct symbol_place *place, const char *linkage)
{
	place->function = keep_function(self, linkage);
	place->linkage = linkage && strcmp(linkage, place->function) != 0 ? symbols_keep(self, linkage) : NULL;
}

/* The linkage name where there is one: it contains the class and the parameters. */
static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	return name ? name : dwarf_diename(die);
}

static void add_place(struct known *known, struct symbol_place place)
{
	known->places = mem_resize(known->places, (known->count + 1) * sizeof *known->places);
	known->places[known->count++] = place;
}

static const char *call_file(Dwarf_Die *unit, Dwarf_Die *call, uint32_t *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t count;
	*line = 0;
	if (dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &number) == 0)
		*line = (uint32_t)number;
	if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &number) != 0 ||
	    dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* The unit that has the code at an address of its file. libdw's own search needs a table of ranges (.debug_aranges) that
 * clang does not write. */
static bool find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Die *found, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
	if (unit) {
		*found = *unit;
		return true;
	}
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (dwarf_haspc(unit, address - *bias) == 1) {
			*found = *unit;
			return true;
		}
	return false;
}

/* Adds the functions around the address, innermost first. file and line are those of the code itself. */
static void add_scopes(struct symbols *self, struct known *known, Dwarf_Die *unit, Dwarf_Addr address,
		       const char *object, const char *file, uint32_t line)
{
	Dwarf_Die functions[INLINE_DEPTH_MAX];
	size_t count = symbol_functions(unit, address, functions, INLINE_DEPTH_MAX);
	for (size_t i = 0; i < count; i++) {
		if (!line)
			line = symbol_declaration(&functions[i], file);
		struct symbol_place place = { .file = keep_code_file(self, object, file), .line = line };
		name_place(self, &place, function_name(&functions[i]));
		add_place(known, place);
		if (dwarf_tag(&functions[i]) == DW_TAG_subprogram)
			break;
		file = call_file(unit, &functions[i], &line);
	}
}

/* The innermost of the program's own functions that a site of a library's function was inlined from. False when there is none. */
static bool find_own_step(const struct woven *woven, const struct woven_site *site, struct woven_inline *own)
{
	const char *file = site->file;
	uint32_t line = site->record.line;
	for (uint32_t at = site->inlined; at != WOVEN_NONE;) {
		struct woven_inline step;
		woven_inline(woven, at, &step);
		if (file && !stack_is_system_file(file)) {
			*own = (struct woven_inline){ .function = step.function, .file = file, .line = line };
			return true;
		}
		file = step.file;
		line = step.line;
		at = step.next;
	}
	return false;
}

/* A function of a library that has one of the program's own inlined into it: that is what people know, if it is most of what the function
 * does. Else the code may just as well be the library's own. */
static void look_inside(struct symbols *self, const struct woven *woven, const struct woven_function *function,
			struct symbol_place *place)
{
	struct woven_site site;
	struct woven_inline own, first = { .function = NULL };
	uint32_t own_count = 0, count = 0;
	if (!function->file || !stack_is_system_file(function->file))
		return;
	for (uint32_t i = 0; i < function->record.site_count; i++) {
		if (!woven_site(woven, function->first_site + i, &site))
			continue;
		count++;
		if (!find_own_step(woven, &site, &own))
			continue;
		if (!own_count++)
			first = own;
	}
	if (!own_count || own_count < count - own_count)
		return;
	name_place(self, place, first.function);
	place->file = symbols_file(self, first.file);
	place->line = line_near(line_number(first.line));
}

/* The woven function that a symbol, of it or of its clone, is of. */
static bool find_function(struct symbols *self, Dwfl_Module *module, const char *symbol, const struct woven **woven,
			  struct woven_function *function)
{
	static const char clone[] = ".heddle";
	const char *path = NULL;
	size_t size = strlen(symbol);
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &path, NULL);
	*woven = path ? symbols_woven(self, path) : NULL;
	if (size > sizeof clone - 1 && strcmp(symbol + size - (sizeof clone - 1), clone) == 0)
		size -= sizeof clone - 1;
	for (uint32_t i = 0; *woven && i < woven_function_count(*woven); i++)
		if (woven_function(*woven, i, function) && strncmp(function->name, symbol, size) == 0 &&
		    !function->name[size])
			return true;
	return false;
}

/* Without debug information, where a woven function is declared is known from its tables. */
static void look_up_function(struct symbols *self, Dwfl_Module *module, const char *symbol, struct symbol_place *place)
{
	const struct woven *woven;
	struct woven_function function;
	if (!find_function(self, module, symbol, &woven, &function))
		return;
	name_place(self, place, function.name);
	place->file = symbols_file(self, function.file);
	place->line = line_near(function.record.line);
	look_inside(self, woven, &function, place);
}

bool symbols_is_woven(struct symbols *self, uint64_t address)
{
	Dwfl_Module *module = address ? symbols_module(self, address - 1) : NULL;
	const char *symbol = module ? dwfl_module_addrname(module, address - 1) : NULL;
	const struct woven *woven;
	struct woven_function function;
	return symbol && find_function(self, module, symbol, &woven, &function) &&
	       function.record.plain == HEDDLE_PLAIN_NOT;
}

static void look_up(struct symbols *self, uint64_t address, struct known *known)
{
	Dwfl_Module *module = symbols_module(self, address);
	Dwarf_Addr bias;
	Dwarf_Die unit;
	const char *file = NULL, *object = NULL;
	uint32_t line = 0;
	if (!module)
		return;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &object, NULL);
	if (find_unit(module, address, &unit, &bias)) {
		line = symbol_line(&unit, address - bias, &file);
		add_scopes(self, known, &unit, address - bias, object, file, line);
	}
	const char *symbol = known->count ? NULL : dwfl_module_addrname(module, address);
	if (symbol || (file && !known->count)) {
		struct symbol_place place = { .file = keep_code_file(self, object, file), .line = line };
		name_place(self, &place, symbol);
		if (!file)
			look_up_function(self, module, symbol, &place);
		add_place(known, place);
	}
}

/* A place in the source, and the expression there that goes through a pointer. */
struct pointed {
	const char *file;
	int line, column; /* 0: any */
	const char *found;
	bool is_several;
};

static void find_pointed(struct symbols *self, const struct woven *woven, struct pointed *wanted)
{
	struct woven_site site;
	for (uint32_t i = 0; i < woven_site_count(woven); i++) {
		if (!woven_site(woven, i, &site) || !site.file || site.record.line != (uint32_t)wanted->line ||
		    (wanted->column && site.record.column != wanted->column) || !site.variable)
			continue;
		bool is_pointer =
			strstr(site.variable, "->") || strchr(site.variable, '*') || strstr(site.variable, "[]");
		if (!is_pointer || (wanted->found && strcmp(wanted->found, site.variable) == 0) ||
		    strcmp(symbols_file(self, site.file), wanted->file) != 0)
			continue;
		wanted->is_several = wanted->found != NULL;
		wanted->found = site.variable;
		if (wanted->is_several)
			return;
	}
}

const char *symbols_pointed(struct symbols *self, uint64_t address)
{
	Dwfl_Module *module = address ? symbols_module(self, address - 1) : NULL;
	Dwarf_Addr bias;
	Dwarf_Die unit;
	const char *object = NULL;
	if (!module || !find_unit(module, address - 1, &unit, &bias))
		return NULL;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &object, NULL);
	const struct woven *woven = object ? symbols_woven(self, object) : NULL;
	Dwarf_Line *row = dwarf_getsrc_die(&unit, address - 1 - bias);
	const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	struct pointed exact = { .file = file ? keep_code_file(self, object, file) : NULL };
	if (!woven || !file || dwarf_lineno(row, &exact.line) != 0 || exact.line <= 0)
		return NULL;
	struct pointed rough = exact;
	if (dwarf_linecol(row, &exact.column) == 0 && exact.column > 0)
		find_pointed(self, woven, &exact);
	if (!exact.found)
		find_pointed(self, woven, &rough);
	const struct pointed *found = exact.found ? &exact : &rough;
	return found->is_several ? NULL : found->found;
}

/* Adds the functions around the access of a site; nothing when there is no site at the address. */
static void look_up_site(struct symbols *self, uint64_t address, struct known *known)
{
	struct woven_site site;
	struct woven_function function;
	uint32_t index;
	const struct woven *woven = symbols_site(self, address, &index);
	if (!woven || !woven_site(woven, index, &site))
		return;
	struct symbol_place place = { .file = symbols_file(self, site.file), .line = site.record.line };
	for (uint32_t at = site.inlined; at != WOVEN_NONE && known->count < INLINE_DEPTH_MAX;) {
		struct woven_inline step;
		woven_inline(woven, at, &step);
		name_place(self, &place, step.function);
		add_place(known, place);
		place = (struct symbol_place){ .file = symbols_file(self, step.file), .line = step.line };
		at = step.next;
	}
	if (woven_function(woven, site.function, &function))
		name_place(self, &place, function.name);
	add_place(known, place);
}

size_t symbols_code(struct symbols *self, uint64_t address, const struct symbol_place **places)
{
	char key[SYMBOL_KEY_ROOM];
	symbol_key(key, address);
	struct known *known = map_get(&self->code, key);
	if (!known) {
		known = mem_alloc(sizeof *known);
		map_set(&self->code, key, known);
		if (!report_is_code(self->report, address))
			look_up_site(self, address, known);
		/* A call may be the last instruction of its line, or of its function. */
		if (address && !known->count)
			look_up(self, address - 1, known);
	}
	*places = known->places;
	return known->count;
}

bool symbols_has_frame(struct symbols *self, uint64_t address)
{
	Dwfl_Module *module = address ? symbols_module(self, address - 1) : NULL;
	Dwarf_Addr bias = 0;
	Dwarf_CFI *information = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *operations;
	size_t count;
	if (!information || dwarf_cfi_addrframe(information, address - 1 - bias, &frame) != 0)
		return false;
	bool has_frame = dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1 &&
			 ((operations[0].atom == DW_OP_bregx && operations[0].number == REGISTER_RBP &&
			   operations[0].number2 == FRAME_BYTES) ||
			  (operations[0].atom == DW_OP_breg0 + REGISTER_RBP && operations[0].number == FRAME_BYTES));
	free(frame);
	return has_frame;
}

/* "libz.so.1+0x1234", or the address. */
static void describe_bare(struct buf *out, struct symbols *self, uint64_t address)
{
	const char *path;
	uint64_t in_file;
	if (!symbols_in_file(self, address, &path, &in_file)) {
		buf_format(out, "0x%" PRIx64, address);
		return;
	}
	const char *slash = strrchr(path, '/');
	text_terminal(out, slash ? slash + 1 : path);
	buf_format(out, "+0x%" PRIx64, in_file);
}

void symbols_describe_code(struct buf *out, struct symbols *self, uint64_t address)
{
	const struct symbol_place *place;
	if (symbols_code(self, address, &place) == 0) {
		describe_bare(out, self, address);
		return;
	}
	names_add_short(out, place->function ? place->function : "?");
	buf_add_string(out, " (");
	if (place->file) {
		line_add(out, place->file, place->line);
	} else {
		describe_bare(out, self, address);
	}
	buf_add_string(out, ")");
}

/* Fewer underscores first, then fewer letters, then the alphabet. */
static bool is_nicer(const char *name, const char *other)
{
	size_t blank = strspn(name, "_"), other_blank = strspn(other, "_");
	if (blank != other_blank)
		return blank < other_blank;
	size_t size = strlen(name), other_size = strlen(other);
	return size != other_size ? size < other_size : strcmp(name, other) < 0;
}

static const char *find_public(struct symbols *self, uint64_t address)
{
	Dwfl_Module *module = address ? symbols_module(self, address - 1) : NULL;
	GElf_Off offset;
	GElf_Sym symbol;
	if (!module || !dwfl_module_addrinfo(module, address - 1, &offset, &symbol, NULL, NULL, NULL))
		return NULL;
	const char *best = NULL;
	GElf_Addr start = address - 1 - offset, at;
	int count = dwfl_module_getsymtab(module);
	for (int i = 1; i < count; i++) {
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &at, NULL, NULL, NULL);
		if (name && *name && at == start && GELF_ST_BIND(symbol.st_info) != STB_LOCAL &&
		    GELF_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT && (!best || is_nicer(name, best)))
			best = name;
	}
	if (!best)
		return NULL;
	char *plain = mem_format("%.*s", (int)strcspn(best, "@"), best); /* without the version */
	best = keep_function(self, plain);
	free(plain);
	return best;
}

const char *symbols_public(struct symbols *self, uint64_t address)
{
	char key[SYMBOL_KEY_ROOM];
	symbol_key(key, address);
	if (!map_has(&self->named, key))
		map_set(&self->named, key, (void *)(uintptr_t)find_public(self, address));
	return map_get(&self->named, key);
}
