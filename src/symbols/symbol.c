/* symbol.c: see symbol.h. */
#include "symbols/symbol.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/path.h"
#include "base/sync_call.h"
#include "base/text.h"
#include "symbols/line.h"
#include "symbols/names.h"
#include "symbols/names_short.h"
#include "symbols/stack.h"
#include "symbols/symbol_data.h"
#include "symbols/symbol_line.h"
#include "symbols/woven.h"

#define INLINE_DEPTH_MAX 64u
#define REGISTER_RBP 6  /* as DWARF numbers it */
#define FRAME_BYTES 16u /* above where it points to: its old value, and where the function returns to */

/* What is known of one address. */
struct known {
	struct symbol_place *places;
	size_t count;
};

struct symbols {
	const struct report *report;
	Dwfl *dwfl; /* null until the first question, and when libdw cannot be used */
	bool is_open;
	struct path_view view;
	struct names names;
	struct strings owned;
	struct map code;         /* address in hexadecimal to struct known */
	struct map woven;        /* path to struct woven, or to null when it is not woven */
	struct map learned;      /* address in hexadecimal to its name in owned: see symbols_learn */
	struct map learned_from; /* kind and such a name to the first address that has it */
	struct map lines;        /* kind, line, file and object to what woven_name says, in the tables of woven */
	struct map data;         /* address in hexadecimal to its name in owned, or to null when it has none */
	struct map named;        /* the same for symbols_public */
};

struct symbols *symbols_new(const struct report *report)
{
	struct symbols *self = mem_alloc(sizeof *self);
	self->report = report;
	path_view_init(&self->view);
	return self;
}

void symbols_free(struct symbols *self)
{
	for (size_t i = 0; i < self->code.room; i++) {
		struct known *known = self->code.slots[i].key ? self->code.slots[i].value : NULL;
		if (known)
			free(known->places);
		free(known);
	}
	for (size_t i = 0; i < self->woven.room; i++)
		if (self->woven.slots[i].key && self->woven.slots[i].value)
			woven_free(self->woven.slots[i].value);
	map_release(&self->code);
	map_release(&self->woven);
	symbols_forget(self);
	map_release(&self->data);
	map_release(&self->lines);
	map_release(&self->named);
	if (self->dwfl)
		dwfl_end(self->dwfl);
	names_release(&self->names);
	strings_release(&self->owned);
	path_view_release(&self->view);
	free(self);
}

static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* How far from the addresses in its file a mapped file is; false when the mapping is not of this file. */
static bool find_bias(const char *path, const struct report_module *mapping, GElf_Addr *bias)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	size_t count = 0;
	bool is_found = false;
	if (elf && elf_kind(elf) == ELF_K_ELF && elf_getphdrnum(elf, &count) == 0)
		for (size_t i = 0; i < count && !is_found; i++) {
			GElf_Phdr segment;
			if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
				continue;
			GElf_Off first = segment.p_offset & ~(GElf_Off)4095;
			if (mapping->offset < first || mapping->offset >= segment.p_offset + segment.p_filesz)
				continue;
			is_found = true;
			*bias = mapping->start - mapping->offset + segment.p_offset - segment.p_vaddr;
		}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return is_found;
}

static bool is_first_mapping(const struct report *report, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(report->modules[i].path, report->modules[at].path) == 0)
			return false;
	return report->modules[at].path[0] == '/';
}

static void open_modules(struct symbols *self)
{
	self->is_open = true;
	self->dwfl = dwfl_begin(&callbacks);
	if (!self->dwfl)
		return;
	elf_version(EV_CURRENT);
	dwfl_report_begin(self->dwfl);
	for (size_t i = 0; i < self->report->module_count; i++) {
		const struct report_module *module = &self->report->modules[i];
		GElf_Addr bias;
		if (is_first_mapping(self->report, i) && find_bias(module->path, module, &bias))
			dwfl_report_elf(self->dwfl, module->path, module->path, -1, bias, true);
	}
	dwfl_report_end(self->dwfl, NULL, NULL);
}

static Dwfl_Module *find_module(struct symbols *self, uint64_t address)
{
	if (!self->is_open)
		open_modules(self);
	return self->dwfl ? dwfl_addrmodule(self->dwfl, address) : NULL;
}

/* A string that lives as long as we do. */
static const char *keep(struct symbols *self, const char *string)
{
	if (!string)
		return NULL;
	strings_add(&self->owned, string);
	return self->owned.items[self->owned.count - 1];
}

static const char *keep_file(struct symbols *self, const char *file)
{
	if (!file)
		return NULL;
	char *whole = path_join(NULL, file), *told = path_view_tell(&self->view, whole);
	const char *kept = keep(self, told);
	free(whole);
	free(told);
	return kept;
}

static const struct woven *find_woven(struct symbols *self, const char *path)
{
	if (!map_has(&self->woven, path)) {
		struct woven *opened = NULL;
		struct err ignored = ERR_INIT;
		map_set(&self->woven, path, woven_open(path, &opened, &ignored) == 0 ? opened : NULL);
	}
	return map_get(&self->woven, path);
}

/* The same for a name from the debug information of a mapped file. Where the build folder is hidden
 * (-ffile-prefix-map), names are relative, and DWARF has them below a folder that they are not in. */
static const char *keep_code_file(struct symbols *self, const char *object, const char *file)
{
	const char *kept = keep_file(self, file);
	const struct woven *woven = file && file[0] != '/' && object ? find_woven(self, object) : NULL;
	const char *known = woven ? woven_source(woven, kept) : NULL;
	return known ? known : kept;
}

static const char *keep_function(struct symbols *self, const char *linkage)
{
	return linkage ? keep(self, names_readable(&self->names, linkage)) : NULL;
}

static void name_place(struct symbols *self, struct symbol_place *place, const char *linkage)
{
	place->function = keep_function(self, linkage);
	place->linkage = linkage && strcmp(linkage, place->function) != 0 ? keep(self, linkage) : NULL;
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
	place->file = keep_file(self, first.file);
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
	*woven = path ? find_woven(self, path) : NULL;
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
	place->file = keep_file(self, function.file);
	place->line = line_near(function.record.line);
	look_inside(self, woven, &function, place);
}

bool symbols_is_woven(struct symbols *self, uint64_t address)
{
	Dwfl_Module *module = address ? find_module(self, address - 1) : NULL;
	const char *symbol = module ? dwfl_module_addrname(module, address - 1) : NULL;
	const struct woven *woven;
	struct woven_function function;
	return symbol && find_function(self, module, symbol, &woven, &function) &&
	       function.record.plain == HEDDLE_PLAIN_NOT;
}

static void look_up(struct symbols *self, uint64_t address, struct known *known)
{
	Dwfl_Module *module = find_module(self, address);
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

const struct woven *symbols_site(struct symbols *self, uint64_t address, uint32_t *index)
{
	const char *path;
	uint64_t in_file;
	if (!symbols_in_file(self, address, &path, &in_file))
		return NULL;
	const struct woven *woven = find_woven(self, path);
	*index = woven ? woven_site_at(woven, in_file) : WOVEN_NONE;
	return *index == WOVEN_NONE ? NULL : woven;
}

bool symbols_line(struct symbols *self, const char *file, uint32_t line, struct buf *own, struct buf *around)
{
	for (size_t i = 0; i < self->report->module_count; i++) {
		const char *path = self->report->modules[i].path;
		const struct woven *woven = path[0] == '/' ? find_woven(self, path) : NULL;
		if (woven && woven_line(woven, file, line, own, around))
			return true;
	}
	return false;
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
		    strcmp(keep_file(self, site.file), wanted->file) != 0)
			continue;
		wanted->is_several = wanted->found != NULL;
		wanted->found = site.variable;
		if (wanted->is_several)
			return;
	}
}

const char *symbols_pointed(struct symbols *self, uint64_t address)
{
	Dwfl_Module *module = address ? find_module(self, address - 1) : NULL;
	Dwarf_Addr bias;
	Dwarf_Die unit;
	const char *object = NULL;
	if (!module || !find_unit(module, address - 1, &unit, &bias))
		return NULL;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &object, NULL);
	const struct woven *woven = object ? find_woven(self, object) : NULL;
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

const char *symbols_file(struct symbols *self, const char *file)
{
	return keep_file(self, file);
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
	struct symbol_place place = { .file = keep_file(self, site.file), .line = site.record.line };
	for (uint32_t at = site.inlined; at != WOVEN_NONE && known->count < INLINE_DEPTH_MAX;) {
		struct woven_inline step;
		woven_inline(woven, at, &step);
		name_place(self, &place, step.function);
		add_place(known, place);
		place = (struct symbol_place){ .file = keep_file(self, step.file), .line = step.line };
		at = step.next;
	}
	if (woven_function(woven, site.function, &function))
		name_place(self, &place, function.name);
	add_place(known, place);
}

size_t symbols_code(struct symbols *self, uint64_t address, const struct symbol_place **places)
{
	char key[24];
	snprintf(key, sizeof key, "%" PRIx64, address);
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
	Dwfl_Module *module = address ? find_module(self, address - 1) : NULL;
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
	names_tell(out, place->function ? place->function : "?");
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
	Dwfl_Module *module = address ? find_module(self, address - 1) : NULL;
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
	char key[24];
	snprintf(key, sizeof key, "%" PRIx64, address);
	if (!map_has(&self->named, key))
		map_set(&self->named, key, (void *)(uintptr_t)find_public(self, address));
	return map_get(&self->named, key);
}

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
	const char *name = find_variable(find_module(self, address), address, &offset);
	if (!name)
		return false;
	char *variable = without_number(names_readable(&self->names, name));
	*linkage = name;
	*readable = keep(self, variable);
	free(variable);
	return true;
}

/* Appends the name of a variable; false when there is none. */
static bool name_data(struct buf *out, struct symbols *self, uint64_t address)
{
	Dwfl_Module *module = find_module(self, address);
	GElf_Off offset;
	const char *name = find_variable(module, address, &offset);
	if (!name)
		return false;
	char *variable = without_number(names_told(&self->names, name));
	text_terminal(out, variable);
	symbol_data_member(out, module, address, offset);
	free(variable);
	return true;
}

bool symbols_describe_data(struct buf *out, struct symbols *self, uint64_t address)
{
	char key[24];
	snprintf(key, sizeof key, "%" PRIx64, address);
	if (!map_has(&self->data, key)) {
		struct buf name = { 0 };
		bool is_named = name_data(&name, self, address);
		map_set(&self->data, key, is_named ? (void *)(uintptr_t)keep(self, name.data) : NULL);
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
	const struct woven *woven = find_woven(self, path);
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
	char key[24];
	snprintf(key, sizeof key, "%" PRIx64, address);
	map_set(&self->learned, key, (void *)(uintptr_t)keep(self, name));
}

static void tell_apart(struct symbols *self, uint64_t address, const char *name)
{
	char *longer = mem_format("%s (0x%" PRIx64 ")", name, address);
	set_name(self, address, longer);
	free(longer);
}

bool symbols_learn(struct symbols *self, uint64_t address, const struct symbol_calls *calls, enum heddle_named kind)
{
	char key[24];
	struct buf name = { 0 };
	snprintf(key, sizeof key, "%" PRIx64, address);
	if (!address || map_has(&self->learned, key) || find_module(self, address))
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
		tell_apart(self, *first, name.data);
		tell_apart(self, address, name.data);
	}
	free(named);
	buf_release(&name);
	return true;
}

bool symbols_describe_object(struct buf *out, struct symbols *self, uint64_t address)
{
	char key[24];
	snprintf(key, sizeof key, "%" PRIx64, address);
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
	for (size_t i = 0; i < self->learned_from.room; i++)
		if (self->learned_from.slots[i].key)
			free(self->learned_from.slots[i].value);
	map_release(&self->learned_from);
	map_release(&self->learned);
	self->learned_from = self->learned = (struct map){ 0 };
}

bool symbols_decode(struct symbols *self, uint64_t address, uint64_t *value)
{
	Dwfl_Module *module = find_module(self, address);
	return module && symbol_data_decode(module, address, value);
}

bool symbols_in_file(struct symbols *self, uint64_t address, const char **path, uint64_t *in_file)
{
	Dwfl_Module *module = find_module(self, address);
	GElf_Addr bias;
	if (!module || !dwfl_module_getelf(module, &bias))
		return false;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, path, NULL);
	*in_file = address - bias;
	return *path != NULL;
}

Dwfl *symbols_files(struct symbols *self)
{
	if (!self->is_open)
		open_modules(self);
	return self->dwfl;
}
