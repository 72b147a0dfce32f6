/*
 * woven.c: see woven.h. A table is found by its address in the loaded program and read from the file; a distance in a
 * record counts from the address of its own field. Checking and reading go through the same few functions, so that
 * what was checked is what is read.
 */
#include "symbols/woven.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf_file.h"
#include "base/path.h"
#include "base/ptrmap.h"
#include "symbols/woven_lines.h"

/* Longer strings and deeper chains exist in damaged files only. */
#define STRING_MAX ((size_t)1 << 20)
#define INLINE_DEPTH_MAX 1024u
#define CALLS_IN_LINE 64u

struct table {
	const unsigned char *bytes;
	uint64_t address;
	uint32_t count, record_bytes;
};

struct woven {
	struct elf_file elf;
	struct heddle_build build;
	struct table functions, sites, inlines;
	struct sources *sources;
};

/* Names of sources, as reports show them. The linker keeps one copy of each string, so there are few. */
struct sources {
	struct path_view view;
	struct ptrmap displayed; /* string in the file -> string in owned */
	struct strings owned;
	struct woven_lines lines;
};

static uint64_t field_address(const struct table *table, uint32_t index, size_t field)
{
	return table->address + (uint64_t)index * table->record_bytes + field;
}

/* The string a field names: 0 with *string set (null when it names nothing), or -EINVAL. */
static int read_string(const struct woven *woven, const struct table *table, uint32_t index, size_t field,
		       heddle_rel distance, const char **string)
{
	size_t left;
	*string = NULL;
	if (distance == 0)
		return 0;
	const unsigned char *at =
		elf_file_at(&woven->elf, field_address(table, index, field) + (uint64_t)(int64_t)distance, &left);
	if (!at || !memchr(at, '\0', left < STRING_MAX ? left : STRING_MAX))
		return -EINVAL;
	*string = (const char *)at;
	return 0;
}

/* The same for the name of a source. */
static int read_source(const struct woven *woven, const struct table *table, uint32_t index, size_t field,
		       heddle_rel distance, const char **string)
{
	struct sources *sources = woven->sources;
	int code = read_string(woven, table, index, field, distance, string);
	if (code < 0 || !*string)
		return code;
	const char *displayed = ptrmap_get(&sources->displayed, *string, NULL);
	if (!displayed) {
		char *name = path_view_display(&sources->view, *string);
		strings_add(&sources->owned, name);
		displayed = sources->owned.items[sources->owned.count - 1];
		ptrmap_set(&sources->displayed, *string, (void *)(uintptr_t)displayed);
		free(name);
	}
	*string = displayed;
	return 0;
}

/* The index of the record that a field of another names: 0 with *found set (WOVEN_NONE when it names nothing). */
static int read_index(const struct table *from, uint32_t index, size_t field, heddle_rel distance,
		      const struct table *to, uint32_t *found)
{
	*found = WOVEN_NONE;
	if (distance == 0)
		return 0;
	uint64_t inside = field_address(from, index, field) + (uint64_t)(int64_t)distance - to->address;
	if (inside % to->record_bytes || inside / to->record_bytes >= to->count)
		return -EINVAL;
	*found = (uint32_t)(inside / to->record_bytes);
	return 0;
}

#define FIELD(type, name) offsetof(struct type, name)

/* Each read_ function returns 1, 0 for a placeholder, or -EINVAL. */
static int read_function(const struct woven *woven, uint32_t index, struct woven_function *function)
{
	const struct table *table = &woven->functions;
	struct heddle_function *record = &function->record;
	memcpy(record, table->bytes + (size_t)index * sizeof *record, sizeof *record);
	if (record->original == 0)
		return 0;
	if (read_string(woven, table, index, FIELD(heddle_function, name), record->name, &function->name) < 0 ||
	    read_source(woven, table, index, FIELD(heddle_function, file), record->file, &function->file) < 0 ||
	    !function->name || record->plain >= HEDDLE_PLAIN_COUNT)
		return -EINVAL;
	function->first_site = WOVEN_NONE;
	if (record->site_count == 0)
		return 1;
	if (read_index(table, index, FIELD(heddle_function, sites), record->sites, &woven->sites,
		       &function->first_site) < 0 ||
	    function->first_site == WOVEN_NONE || record->site_count > woven->sites.count - function->first_site)
		return -EINVAL;
	return 1;
}

/* The string after one whose distance is *at, which becomes that of this one. */
static int read_next(const struct woven *woven, uint32_t index, int64_t *at, const char *before, const char **next)
{
	*at += (int64_t)strlen(before) + 1;
	if (*at == 0 || *at > INT32_MAX ||
	    read_string(woven, &woven->sites, index, FIELD(heddle_site, variable), (heddle_rel)*at, next) < 0)
		return -EINVAL;
	return 0;
}

/* The names of locks after that of the variable, and the bits. */
static int read_more(const struct woven *woven, uint32_t index, struct woven_site *site)
{
	const uint32_t flags = site->record.flags;
	int64_t at = site->record.variable;
	const char *last = site->variable, *bits;
	char *end;
	site->locks = NULL;
	site->bits = UINT64_MAX;
	if (!(flags & (HEDDLE_SITE_LOCKED | HEDDLE_SITE_BITS)))
		return 0;
	if (!last)
		return -EINVAL;
	if (flags & HEDDLE_SITE_LOCKED) {
		if (read_next(woven, index, &at, last, &site->locks) < 0)
			return -EINVAL;
		last = site->locks;
	}
	if (flags & HEDDLE_SITE_BITS) {
		if (read_next(woven, index, &at, last, &bits) < 0 || !*bits)
			return -EINVAL;
		site->bits = strtoull(bits, &end, 16);
		if (*end)
			return -EINVAL;
	}
	if (site->locks && !*site->locks)
		site->locks = NULL;
	if (!*site->variable)
		site->variable = NULL;
	return 0;
}

static int read_site(const struct woven *woven, uint32_t index, struct woven_site *site)
{
	const struct table *table = &woven->sites;
	struct heddle_site *record = &site->record;
	memcpy(record, table->bytes + (size_t)index * sizeof *record, sizeof *record);
	if (record->access == HEDDLE_ACCESS_NONE && !(record->flags & HEDDLE_SITE_NAME))
		return 0;
	if (record->access >= HEDDLE_ACCESS_COUNT || (record->order & 15) > HEDDLE_ORDER_SEQ_CST ||
	    record->order >> 4 > HEDDLE_ORDER_SEQ_CST)
		return -EINVAL;
	if (read_source(woven, table, index, FIELD(heddle_site, file), record->file, &site->file) < 0 ||
	    read_string(woven, table, index, FIELD(heddle_site, variable), record->variable, &site->variable) < 0 ||
	    read_more(woven, index, site) < 0 ||
	    read_index(table, index, FIELD(heddle_site, function), record->function, &woven->functions,
		       &site->function) < 0 ||
	    read_index(table, index, FIELD(heddle_site, inlined), record->inlined, &woven->inlines, &site->inlined) < 0)
		return -EINVAL;
	return site->function == WOVEN_NONE ? -EINVAL : 1;
}

static int read_inline(const struct woven *woven, uint32_t index, struct woven_inline *step)
{
	const struct table *table = &woven->inlines;
	struct heddle_inline record;
	memcpy(&record, table->bytes + (size_t)index * sizeof record, sizeof record);
	step->line = record.line;
	step->column = record.column;
	if (read_string(woven, table, index, FIELD(heddle_inline, function), record.function, &step->function) < 0 ||
	    read_source(woven, table, index, FIELD(heddle_inline, file), record.file, &step->file) < 0 ||
	    read_index(table, index, FIELD(heddle_inline, next), record.next, &woven->inlines, &step->next) < 0)
		return -EINVAL;
	return step->function ? 1 : 0;
}

/* Finds how deep every chain is, so that none is endless. A step is entered once; walks end at known ones. */
static int check_inlines(struct woven *woven, struct err *err)
{
	enum { UNKNOWN = 0 };
	uint32_t count = woven->inlines.count;
	uint16_t *depths = mem_alloc(count * sizeof *depths); /* 1: the chain ends here or at a placeholder */
	int code = 0;
	for (uint32_t i = 0; i < count && code == 0; i++) {
		uint32_t path[INLINE_DEPTH_MAX], length = 0, at = i;
		uint16_t depth = 0;
		while (at != WOVEN_NONE && depths[at] == UNKNOWN && length < INLINE_DEPTH_MAX && code == 0) {
			struct woven_inline step;
			int kind = read_inline(woven, at, &step);
			if (kind < 0)
				code = elf_file_damaged(&woven->elf,
							"the record of an inlined function names "
							"nothing",
							err);
			path[length++] = at;
			at = kind > 0 ? step.next : WOVEN_NONE;
		}
		if (at != WOVEN_NONE)
			depth = depths[at];
		if (code == 0 && ((at != WOVEN_NONE && depth == UNKNOWN) || depth + length > INLINE_DEPTH_MAX))
			code = elf_file_damaged(&woven->elf, "a chain of inlined functions does not end", err);
		while (length > 0 && code == 0)
			depths[path[--length]] = ++depth;
	}
	free(depths);
	return code;
}

static int check_records(struct woven *woven, struct err *err)
{
	for (uint32_t i = 0; i < woven->functions.count; i++) {
		struct woven_function function;
		if (read_function(woven, i, &function) < 0)
			return elf_file_damaged(&woven->elf, "the record of a function is invalid", err);
	}
	int code = check_inlines(woven, err);
	for (uint32_t i = 0; i < woven->sites.count && code == 0; i++) {
		struct woven_site site;
		struct woven_function function;
		struct woven_inline step;
		int kind = read_site(woven, i, &site);
		/* What a site names must be there, not a placeholder. */
		if (kind < 0 || (kind > 0 && read_function(woven, site.function, &function) <= 0) ||
		    (kind > 0 && site.inlined != WOVEN_NONE && read_inline(woven, site.inlined, &step) <= 0))
			code = elf_file_damaged(&woven->elf, "the record of a site is invalid", err);
	}
	return code;
}

static int find_table(struct woven *woven, struct table *table, uint64_t start, uint64_t end, uint32_t record_bytes,
		      struct err *err)
{
	size_t left;
	*table = (struct table){ .address = start, .record_bytes = record_bytes };
	if (start == end)
		return 0;
	table->bytes = elf_file_at(&woven->elf, start, &left);
	if (!table->bytes || end < start || end - start > left || (end - start) % record_bytes ||
	    (end - start) / record_bytes >= WOVEN_NONE)
		return elf_file_damaged(&woven->elf, "a table is not at its expected place", err);
	table->count = (uint32_t)((end - start) / record_bytes);
	return 0;
}

static int other_version(const struct woven *woven, uint32_t version, struct err *err)
{
	err_hint(err, "rebuild it with the heddle-cc of this version of Heddle");
	return err_set(err, EPROTO,
		       "\"%s\" was woven by another version of Heddle: its tables have version %u, this "
		       "heddle reads version %u",
		       woven->elf.path, version, HEDDLE_ABI_VERSION);
}

/* Whether the tables are what heddle-cc wrote: the check is over these, in this order. */
static bool is_whole(const struct woven *woven, const struct table *calls, uint64_t wanted)
{
	const struct table *const tables[] = { &woven->functions, &woven->sites, &woven->inlines, calls };
	uint64_t check = 0;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		check = heddle_check(check, tables[i]->bytes, (size_t)tables[i]->count * tables[i]->record_bytes);
	return check == wanted;
}

#define TARGET(object, address, name)                                                                                  \
	((address) + offsetof(struct heddle_object, name) + (uint64_t)(int64_t)(object).name)

static int find_tables(struct woven *woven, const unsigned char *descriptor, size_t size_bytes, uint64_t address,
		       struct err *err)
{
	struct heddle_note note;
	struct heddle_object object;
	struct table lines = { 0 }, calls = { 0 };
	size_t left;
	if (size_bytes < sizeof note.version)
		return elf_file_damaged(&woven->elf, "its note is incomplete", err);
	memcpy(&note.version, descriptor, sizeof note.version);
	if (note.version != HEDDLE_ABI_VERSION)
		return other_version(woven, note.version, err);
	if (size_bytes < sizeof note)
		return elf_file_damaged(&woven->elf, "its note is incomplete", err);
	memcpy(&note, descriptor, sizeof note);
	uint64_t at = address + offsetof(struct heddle_note, object) + (uint64_t)(int64_t)note.object;
	const unsigned char *bytes = elf_file_at(&woven->elf, at, &left);
	if (!bytes || left < sizeof object || memcmp(bytes, HEDDLE_MAGIC, sizeof object.magic) != 0)
		return elf_file_damaged(&woven->elf, "its note points nowhere", err);
	memcpy(&object, bytes, sizeof object);
	if (object.version != HEDDLE_ABI_VERSION)
		return other_version(woven, object.version, err);
	bytes = elf_file_at(&woven->elf, TARGET(object, at, build), &left);
	if (!object.build || !bytes || left < sizeof woven->build)
		return elf_file_damaged(&woven->elf, "it does not identify its build", err);
	memcpy(&woven->build, bytes, sizeof woven->build);
	int code = find_table(woven, &woven->functions, TARGET(object, at, functions),
			      TARGET(object, at, functions_end), sizeof(struct heddle_function), err);
	if (code == 0)
		code = find_table(woven, &woven->sites, TARGET(object, at, sites), TARGET(object, at, sites_end),
				  sizeof(struct heddle_site), err);
	if (code == 0)
		code = find_table(woven, &woven->inlines, TARGET(object, at, inlines), TARGET(object, at, inlines_end),
				  sizeof(struct heddle_inline), err);
	if (code == 0)
		code = find_table(woven, &lines, TARGET(object, at, lines), TARGET(object, at, lines_end),
				  sizeof(struct heddle_lines), err);
	woven->sources->lines =
		(struct woven_lines){ .bytes = lines.bytes, .size_bytes = (size_t)lines.count * lines.record_bytes };
	if (code == 0)
		code = find_table(woven, &calls, TARGET(object, at, calls), TARGET(object, at, calls_end),
				  sizeof(struct heddle_call), err);
	if (code == 0 && (!is_whole(woven, &calls, object.check) ||
			  heddle_check(0, &object, offsetof(struct heddle_object, root_check)) != object.root_check))
		code = elf_file_damaged(&woven->elf, "a table has changed since it was linked", err);
	if (code == 0 && !woven_lines_are_whole(&woven->sources->lines))
		code = elf_file_damaged(&woven->elf, "its table of lines cannot be read", err);
	return code;
}

/* There is no note: says why as well as can be known. */
static int not_woven(const struct elf_file *elf, struct err *err)
{
	Elf64_Shdr section;
	if (elf->header.e_type == ET_REL) {
		if (elf_file_find_section(elf, HEDDLE_SECTION_UNITS, &section)) {
			err_hint(err, "link it with heddle-cc, and specify the program");
			return err_set(err, EINVAL, "\"%s\" was compiled by heddle-cc but is not linked yet",
				       elf->path);
		}
		err_hint(err, "build with CC=heddle-cc CXX=heddle-c++, and specify the program");
		return err_set(err, EINVAL, "\"%s\" is an object file that heddle-cc did not compile", elf->path);
	}
	if (elf->header.e_type != ET_EXEC && elf->header.e_type != ET_DYN)
		return err_set(err, EINVAL, "\"%s\" is neither a program nor a library", elf->path);
	if (elf->segment_count == 0)
		return elf_file_damaged(elf, "it has no program headers", err);
	if (elf_file_is_static(elf)) {
		err_hint(err, "link it dynamically (without -static), with heddle-cc");
		return err_set(err, EINVAL,
			       "\"%s\" is statically linked, and heddle-cc cannot weave static "
			       "programs",
			       elf->path);
	}
	if (elf_file_find_section(elf, HEDDLE_SECTION_UNITS, &section)) {
		err_hint(err, "also link it with heddle-cc or heddle-c++");
		return err_set(err, EINVAL, "\"%s\" contains code compiled by heddle-cc, but was not linked by it",
			       elf->path);
	}
	err_hint(err, "build it with CC=heddle-cc CXX=heddle-c++");
	return err_set(err, EINVAL, "\"%s\" is not woven", elf->path);
}

int woven_open(const char *path, struct woven **woven, struct err *err)
{
	struct woven *self = mem_alloc(sizeof *self);
	size_t size;
	uint64_t address;
	self->sources = mem_alloc(sizeof *self->sources);
	path_view_init(&self->sources->view);
	int code = elf_file_read(&self->elf, path, err);
	if (code == 0) {
		const unsigned char *note =
			elf_file_note(&self->elf, HEDDLE_NOTE_NAME, HEDDLE_NOTE_OBJECT, &size, &address);
		code = note ? find_tables(self, note, size, address, err) : not_woven(&self->elf, err);
	}
	if (code == 0)
		code = check_records(self, err);
	if (code == 0) {
		*woven = self;
		return 0;
	}
	woven_free(self);
	return code;
}

void woven_free(struct woven *woven)
{
	if (!woven)
		return;
	elf_file_release(&woven->elf);
	path_view_release(&woven->sources->view);
	ptrmap_release(&woven->sources->displayed);
	strings_release(&woven->sources->owned);
	woven_lines_release(&woven->sources->lines);
	free(woven->sources);
	free(woven);
}

void woven_free_value(void *woven)
{
	woven_free(woven);
}

const struct heddle_build *woven_build(const struct woven *woven)
{
	return &woven->build;
}

struct woven_code woven_code(const struct woven *woven)
{
	struct woven_code code = { 0 };
	Elf64_Shdr section;
	const char *name;
	for (uint32_t i = 0; elf_file_section(&woven->elf, i, &section, &name); i++) {
		if (!(section.sh_flags & SHF_EXECINSTR))
			continue;
		code.is_known = true;
		if (strcmp(name, HEDDLE_SECTION_CLONES) == 0)
			code.clone_bytes += section.sh_size;
		else
			code.other_bytes += section.sh_size;
	}
	return code;
}

uint32_t woven_function_count(const struct woven *woven)
{
	return woven->functions.count;
}

uint32_t woven_site_count(const struct woven *woven)
{
	return woven->sites.count;
}

bool woven_function(const struct woven *woven, uint32_t index, struct woven_function *function)
{
	return index < woven->functions.count && read_function(woven, index, function) > 0;
}

uint32_t woven_site_at(const struct woven *woven, uint64_t address)
{
	uint64_t inside = address - woven->sites.address;
	if (woven->sites.count == 0 || address < woven->sites.address || inside % woven->sites.record_bytes ||
	    inside / woven->sites.record_bytes >= woven->sites.count)
		return WOVEN_NONE;
	return (uint32_t)(inside / woven->sites.record_bytes);
}

uint64_t woven_site_address(const struct woven *woven, uint32_t index)
{
	if (index >= woven->sites.count)
		BUG("there is no site %u", index);
	return woven->sites.address + (uint64_t)index * woven->sites.record_bytes;
}

bool woven_site(const struct woven *woven, uint32_t index, struct woven_site *site)
{
	return index < woven->sites.count && read_site(woven, index, site) > 0 &&
	       site->record.access != HEDDLE_ACCESS_NONE;
}

/* Whether the record is about a call in that line, or in what was inlined there; *column is where in the line. */
static bool is_called_at(const struct woven *woven, const struct woven_site *site, const char *file, uint32_t line,
			 uint32_t *column)
{
	*column = site->record.column;
	if (site->record.line == line && site->file && strcmp(site->file, file) == 0)
		return true;
	for (uint32_t at = site->inlined; at != WOVEN_NONE;) {
		struct woven_inline step;
		if (read_inline(woven, at, &step) <= 0)
			return false;
		*column = step.column;
		if (step.line == line && step.file && strcmp(step.file, file) == 0)
			return true;
		at = step.next;
	}
	return false;
}

/* A call of a line; the optimiser makes several of it, some of which have lost the name. */
struct call_in_line {
	uint32_t column;
	bool has_name;
};

static struct call_in_line *find_call(struct call_in_line *calls, size_t *count, uint32_t column)
{
	for (size_t i = 0; i < *count; i++)
		if (calls[i].column == column)
			return &calls[i];
	if (*count == CALLS_IN_LINE)
		return NULL;
	calls[*count] = (struct call_in_line){ .column = column };
	return &calls[(*count)++];
}

const char *woven_name(const struct woven *woven, const char *file, uint32_t line, enum heddle_named kind)
{
	const char *name = NULL;
	struct call_in_line calls[CALLS_IN_LINE];
	size_t count = 0;
	for (uint32_t i = 0; i < woven->sites.count; i++) {
		struct woven_site site;
		struct heddle_site record;
		uint32_t column;
		memcpy(&record, woven->sites.bytes + (size_t)i * sizeof record, sizeof record);
		if (!(record.flags & HEDDLE_SITE_NAME) || record.size != (uint32_t)kind ||
		    read_site(woven, i, &site) <= 0 || !is_called_at(woven, &site, file, line, &column))
			continue;
		struct call_in_line *call = find_call(calls, &count, column);
		if (!call || (name && site.variable && strcmp(name, site.variable) != 0))
			return NULL;
		if (site.variable) {
			name = site.variable;
			call->has_name = true;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (!calls[i].has_name)
			return NULL;
	return name;
}

void woven_inline(const struct woven *woven, uint32_t index, struct woven_inline *step)
{
	if (index >= woven->inlines.count || read_inline(woven, index, step) <= 0)
		*step = (struct woven_inline){ .function = "?", .next = WOVEN_NONE };
}

const char *woven_source(const struct woven *woven, const char *name)
{
	return woven_lines_source(&woven->sources->lines, &woven->sources->view, name);
}

bool woven_line(const struct woven *woven, const char *file, uint32_t line, struct buf *own, struct buf *around)
{
	return woven_lines_excerpt(&woven->sources->lines, &woven->sources->view, file, line, own, around);
}

const char *woven_text(const struct woven *woven, const char *file, size_t *at)
{
	return woven_lines_text(&woven->sources->lines, &woven->sources->view, file, at);
}
