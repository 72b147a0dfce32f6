/*
 * lookup.c: see lookup.h. The list of loaded objects is the one that the dynamic linker keeps for debuggers: the program,
 * preloaded libraries, then what they need, breadth first, which is the order of the global scope. The format of the
 * tables is that of the System V ABI; DT_GNU_HASH is as in binutils' bfd/elflink.c.
 */
#include "rt/enter/lookup.h"

#include <link.h>
#include <string.h>

#include "rt/text.h"

struct symbol_table {
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Half) * versions;
	const uint32_t *gnu_hash, *hash;
	ElfW(Addr) base;
};

#define VERSION_HIDDEN 0x8000 /* an older version, for programs that were linked with it */

/* glibc makes addresses of these entries in place, except in objects whose dynamic section is read only. */
static const void *entry_address(const struct link_map *object, const ElfW(Dyn) * entry)
{
	return (const void *)(entry->d_un.d_ptr < object->l_addr ? object->l_addr + entry->d_un.d_ptr
								 : entry->d_un.d_ptr);
}

static bool table_read(struct symbol_table *table, const struct link_map *object)
{
	*table = (struct symbol_table){ .base = object->l_addr };
	for (const ElfW(Dyn) *entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++)
		switch (entry->d_tag) {
		case DT_SYMTAB:
			table->symbols = entry_address(object, entry);
			break;
		case DT_STRTAB:
			table->strings = entry_address(object, entry);
			break;
		case DT_VERSYM:
			table->versions = entry_address(object, entry);
			break;
		case DT_GNU_HASH:
			table->gnu_hash = entry_address(object, entry);
			break;
		case DT_HASH:
			table->hash = entry_address(object, entry);
			break;
		}
	return table->symbols && table->strings && (table->gnu_hash || table->hash);
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;
	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* What the symbol stands for if it is the one, else null. */
static void *match(const struct symbol_table *table, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &table->symbols[index];
	unsigned type = ELF64_ST_TYPE(symbol->st_info);
	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
	    (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC) ||
	    (table->versions && (table->versions[index] & VERSION_HIDDEN)) ||
	    strcmp(table->strings + symbol->st_name, name) != 0)
		return NULL;
	ElfW(Addr) address = table->base + symbol->st_value;
	return type == STT_GNU_IFUNC ? ((void *(*)(void))address)() : (void *)address;
}

/* Header: buckets, first symbol in them, words of the filter, its shift; then filter, buckets, and one word for each
 * symbol: its hash, with the last bit set at the end of a bucket. */
static void *find_by_gnu_hash(const struct symbol_table *table, const struct lookup *lookup)
{
	const uint32_t *header = table->gnu_hash;
	uint32_t bucket_count = header[0], first = header[1], filter_count = header[2], hash = lookup->hash;
	const uint64_t *filter = (const uint64_t *)(header + 4);
	const uint32_t *buckets = (const uint32_t *)(filter + filter_count), *chain = buckets + bucket_count;
	if (!bucket_count || !filter_count)
		return NULL;
	uint64_t word = filter[hash / 64 % filter_count];
	if (!(word >> hash % 64 & word >> (hash >> header[3]) % 64 & 1))
		return NULL;
	for (uint32_t i = buckets[hash % bucket_count]; i >= first; i++) {
		void *found = (chain[i - first] | 1) == (hash | 1) ? match(table, i, lookup->name) : NULL;
		if (found || chain[i - first] & 1)
			return found;
	}
	return NULL;
}

static void *find(const struct symbol_table *table, const struct lookup *lookup)
{
	if (table->gnu_hash)
		return find_by_gnu_hash(table, lookup);
	/* Rare: a library linked for very old systems only. The second word is the number of symbols. */
	void *found = NULL;
	for (uint32_t i = 1; i < table->hash[1] && !found; i++)
		found = match(table, i, lookup->name);
	return found;
}

void lookup_next(struct lookup *lookups, size_t count)
{
	size_t missing = 0;
	for (size_t i = 0; i < count; i++) {
		missing += !lookups[i].address;
		if (!lookups[i].hash)
			lookups[i].hash = hash_of(lookups[i].name);
	}
	const struct link_map *object = _r_debug.r_map;
	while (object && object->l_ld != _DYNAMIC)
		object = object->l_next;
	while (missing > 0 && object && (object = object->l_next)) {
		struct symbol_table table;
		if (!table_read(&table, object))
			continue;
		for (size_t i = 0; i < count; i++)
			if (!lookups[i].address && (lookups[i].address = find(&table, &lookups[i])))
				missing--;
	}
}

const char *lookup_file(const char *name, const char *but_not)
{
	const struct lookup wanted = { name, NULL, hash_of(name) }, other = { but_not, NULL, hash_of(but_not) };
	for (const struct link_map *object = _r_debug.r_map; object; object = object->l_next) {
		struct symbol_table table;
		if (object->l_ld == _DYNAMIC || !table_read(&table, object) || !find(&table, &wanted))
			continue;
		return find(&table, &other) ? NULL : object->l_name;
	}
	return NULL;
}

const void *lookup_program(const char *name)
{
	const struct lookup wanted = { name, NULL, hash_of(name) };
	struct symbol_table table;
	return _r_debug.r_map && table_read(&table, _r_debug.r_map) ? find(&table, &wanted) : NULL;
}

/* Of a library: the first segment is at its start, and the header of the file is in it. */
static bool has_code(const struct link_map *object, uintptr_t code)
{
	if (!object->l_addr || code < object->l_addr)
		return false;
	const ElfW(Ehdr) *header = (const void *)object->l_addr;
	const ElfW(Phdr) *segments = (const void *)(object->l_addr + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && code - object->l_addr - segments[i].p_vaddr < segments[i].p_memsz)
			return true;
	return false;
}

bool lookup_is_in(const char *name, uintptr_t code)
{
	for (const struct link_map *object = _r_debug.r_map; object; object = object->l_next)
		if (text_after(text_file_name(object->l_name), name) && has_code(object, code))
			return true;
	return false;
}

void *lookup_beside(const char *name, uintptr_t code)
{
	const struct lookup wanted = { name, NULL, hash_of(name) };
	const struct link_map *object = _r_debug.r_map;
	struct symbol_table table;
	for (const struct link_map *at = object; at; at = at->l_next)
		if (has_code(at, code))
			object = at;
	return object && table_read(&table, object) ? find(&table, &wanted) : NULL;
}
