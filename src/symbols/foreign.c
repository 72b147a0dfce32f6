/* foreign.c: see foreign.h. */
#include "symbols/foreign.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "base/path.h"
#include "base/word.h"
#include "symbols/names.h"
#include "symbols/woven.h"

#define MAX_FUNCTIONS 100000u

struct function {
	GElf_Addr address;
	const char *name;
};

struct search {
	struct foreign *found;
	struct map ours; /* linkage names */
	struct function *functions;
	size_t count, room;
	GElf_Addr *own; /* addresses of ours: other names of them are ours, too */
	size_t own_count, own_room;
};

bool foreign_is_assembly(const char *file)
{
	const char *dot = file ? strrchr(file, '.') : NULL;
	return dot && (strcmp(dot, ".S") == 0 || strcmp(dot, ".s") == 0 || strcmp(dot, ".sx") == 0 ||
		       strcmp(dot, ".asm") == 0);
}

static void read_ours(struct search *self, const struct woven *woven)
{
	struct woven_function function;
	for (uint32_t i = 0; i < woven_function_count(woven); i++)
		if (woven_function(woven, i, &function))
			map_set(&self->ours, function.name, NULL);
}

/* A clone has the name of its function and a suffix; suffixes of the compiler begin with a dot, too. */
static bool is_ours(struct search *self, const char *name)
{
	char *whole = mem_copy_string(name);
	bool is_known = map_has(&self->ours, whole);
	for (char *dot; !is_known && (dot = strrchr(whole, '.')) && dot > whole;) {
		*dot = '\0';
		is_known = map_has(&self->ours, whole);
	}
	free(whole);
	return is_known;
}

/* What is linked into every program, and Heddle's own. */
static bool is_startup(const char *name)
{
	return word_is_startup(name) || word_begins_with(name, "__heddle") || word_begins_with(name, "heddle");
}

static void add_symbol(struct search *self, const GElf_Sym *symbol, const char *name)
{
	if (is_ours(self, name)) {
		if (self->own_count == self->own_room)
			self->own =
				mem_resize(self->own, (self->own_room = self->own_room * 2 + 64) * sizeof *self->own);
		self->own[self->own_count++] = symbol->st_value;
	} else if (!is_startup(name) && self->count < MAX_FUNCTIONS) {
		if (self->count == self->room)
			self->functions = mem_resize(self->functions,
						     (self->room = self->room * 2 + 64) * sizeof *self->functions);
		self->functions[self->count++] = (struct function){ symbol->st_value, name };
	}
}

static void read_symbols(struct search *self, Elf *elf)
{
	GElf_Shdr header;
	const char *file = "";
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		for (size_t i = 1; data && i < header.sh_size / header.sh_entsize; i++) {
			GElf_Sym symbol;
			if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
				continue;
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (name && GELF_ST_TYPE(symbol.st_info) == STT_FILE)
				file = name;
			if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
				continue;
			/* The object that heddle-cc adds to each file has a function of its own. */
			const bool is_added = GELF_ST_BIND(symbol.st_info) == STB_LOCAL &&
					      strcmp(file, "woven.c") == 0 && strcmp(name, "register_object") == 0;
			if (!is_added)
				add_symbol(self, &symbol, name);
		}
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const GElf_Addr one = *(const GElf_Addr *)a, other = *(const GElf_Addr *)b;
	return (one > other) - (one < other);
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *one = a, *other = b;
	int order = compare_addresses(&one->address, &other->address);
	return order ? order : strcmp(one->name, other->name);
}

/* The assembler file that has the address; null: it is none, or not known. */
static const char *find_source(Dwarf *debug, GElf_Addr address)
{
	Dwarf_Die unit;
	Dwarf_Attribute attribute;
	if (!debug || !dwarf_addrdie(debug, address, &unit))
		return NULL;
	int language = dwarf_srclang(&unit);
	const char *name = dwarf_formstring(dwarf_attr(&unit, DW_AT_name, &attribute));
	return name && (language == DW_LANG_Mips_Assembler || foreign_is_assembly(name)) ? name : NULL;
}

static void add_functions(struct search *self, Dwarf *debug)
{
	struct foreign *found = self->found;
	struct path_view view;
	struct names names = { 0 };
	path_view_init(&view);
	for (size_t i = 0; i < self->count; i++) {
		const struct function *function = &self->functions[i];
		if ((i && function->address == function[-1].address) ||
		    (self->own_count &&
		     bsearch(&function->address, self->own, self->own_count, sizeof *self->own, compare_addresses)))
			continue;
		strings_add(&found->functions, names_readable(&names, function->name));
		const char *source = find_source(debug, function->address);
		if (!source)
			continue;
		char *displayed = path_view_display(&view, source);
		found->assembly_count++;
		if (!strings_has(&found->sources, displayed))
			strings_add(&found->sources, displayed);
		free(displayed);
	}
	names_release(&names);
	path_view_release(&view);
}

void foreign_find(struct foreign *self, const char *path, const struct woven *woven)
{
	struct search search = { .found = self };
	*self = (struct foreign){ .assembly_count = 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (elf) {
		read_ours(&search, woven);
		read_symbols(&search, elf);
		if (search.own_count)
			qsort(search.own, search.own_count, sizeof *search.own, compare_addresses);
		if (search.count)
			qsort(search.functions, search.count, sizeof *search.functions, compare_functions);
		Dwarf *debug = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		add_functions(&search, debug);
		dwarf_end(debug);
		elf_end(elf);
	}
	if (fd >= 0)
		close(fd);
	map_release(&search.ours);
	free(search.functions);
	free(search.own);
}

void foreign_release(struct foreign *self)
{
	strings_release(&self->functions);
	strings_release(&self->sources);
}
