/* symbol.c: the files of a run that have names: which file an address belongs to, its tables of sites, and the strings that were found.
 * symbol_code.c names code, symbol_memory.c names memory. */
#include "symbols/symbol.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/symbol_priv.h"
#include "symbols/woven.h"

struct symbols *symbols_new(const struct report *report)
{
	struct symbols *self = mem_alloc(sizeof *self);
	self->report = report;
	path_view_init(&self->view);
	return self;
}

static void free_known(void *value)
{
	struct known *known = value;
	free(known->places);
	free(known);
}

void symbols_free(struct symbols *self)
{
	map_release_values(&self->code, free_known);
	map_release_values(&self->woven, woven_free_value);
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

Dwfl_Module *symbols_module(struct symbols *self, uint64_t address)
{
	if (!self->is_open)
		open_modules(self);
	return self->dwfl ? dwfl_addrmodule(self->dwfl, address) : NULL;
}

const char *symbols_keep(struct symbols *self, const char *string)
{
	if (!string)
		return NULL;
	strings_add(&self->owned, string);
	return self->owned.items[self->owned.count - 1];
}

const char *symbols_file(struct symbols *self, const char *file)
{
	if (!file)
		return NULL;
	char *whole = path_join(NULL, file), *displayed = path_view_display(&self->view, whole);
	const char *kept = symbols_keep(self, displayed);
	free(whole);
	free(displayed);
	return kept;
}

const struct woven *symbols_woven(struct symbols *self, const char *path)
{
	if (!map_has(&self->woven, path)) {
		struct woven *opened = NULL;
		struct err ignored = ERR_INIT;
		map_set(&self->woven, path, woven_open(path, &opened, &ignored) == 0 ? opened : NULL);
	}
	return map_get(&self->woven, path);
}

const struct woven *symbols_site(struct symbols *self, uint64_t address, uint32_t *index)
{
	const char *path;
	uint64_t in_file;
	if (!symbols_in_file(self, address, &path, &in_file))
		return NULL;
	const struct woven *woven = symbols_woven(self, path);
	*index = woven ? woven_site_at(woven, in_file) : WOVEN_NONE;
	return *index == WOVEN_NONE ? NULL : woven;
}

bool symbols_line(struct symbols *self, const char *file, uint32_t line, struct buf *own, struct buf *around)
{
	for (size_t i = 0; i < self->report->module_count; i++) {
		const char *path = self->report->modules[i].path;
		const struct woven *woven = path[0] == '/' ? symbols_woven(self, path) : NULL;
		if (woven && woven_line(woven, file, line, own, around))
			return true;
	}
	return false;
}

bool symbols_in_file(struct symbols *self, uint64_t address, const char **path, uint64_t *in_file)
{
	Dwfl_Module *module = symbols_module(self, address);
	GElf_Addr bias;
	if (!module || !dwfl_module_getelf(module, &bias))
		return false;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, path, NULL);
	*in_file = address - bias;
	return *path != NULL;
}

bool symbols_in_run(struct symbols *self, const char *path, uint64_t in_file, uint64_t *address)
{
	char *real = realpath(path, NULL);
	bool is_found = false;
	for (size_t i = 0; i < self->report->module_count && real && !is_found; i++) {
		const struct report_module *module = &self->report->modules[i];
		GElf_Addr bias;
		if (strcmp(module->path, real) != 0 || !is_first_mapping(self->report, i))
			continue;
		elf_version(EV_CURRENT);
		is_found = find_bias(real, module, &bias);
		*address = in_file + (is_found ? bias : 0);
	}
	free(real);
	return is_found;
}

Dwfl *symbols_files(struct symbols *self)
{
	if (!self->is_open)
		open_modules(self);
	return self->dwfl;
}
