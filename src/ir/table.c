/* table.c: see table.h. */
#include "ir/table.h"

#include <inttypes.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ir/debug.h"
#include "ir/lines.h"
#include "ir/module.h"
#include "ir/near.h"
#include "ir/uses.h"

static LLVMContextRef context_of(const struct table *table)
{
	return LLVMGetModuleContext(table->module);
}

void table_init(struct table *table, LLVMModuleRef module)
{
	*table = (struct table){ .module = module };
	table->site_stand_in = LLVMAddGlobal(module, LLVMInt8TypeInContext(context_of(table)), "heddle.sites.stand.in");
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->function_count; i++) {
		free(table->functions[i].original);
		free(table->functions[i].name);
		free(table->functions[i].file);
	}
	for (size_t i = 0; i < table->site_count; i++) {
		free(table->sites[i].file);
		free(table->sites[i].variable);
		free(table->sites[i].locks);
	}
	for (size_t i = 0; i < table->inline_count; i++) {
		free(table->inlines[i].function);
		free(table->inlines[i].file);
	}
	free(table->functions);
	free(table->sites);
	free(table->inlines);
	ptrmap_release(&table->inline_of);
	map_release(&table->strings);
}

/* Makes room for one more of an array's elements. */
static void *grow(void *array, size_t count, size_t *room, size_t element_bytes)
{
	if (count < *room)
		return array;
	*room = *room ? *room * 2 : 64;
	return mem_resize(array, *room * element_bytes);
}

struct heddle_function *table_begin_function(struct table *table, LLVMValueRef function, const char *original,
					     unsigned plain)
{
	table->functions =
		grow(table->functions, table->function_count, &table->function_room, sizeof *table->functions);
	struct table_function *entry = &table->functions[table->function_count++];
	*entry = (struct table_function){ .first_site = table->site_count };
	entry->clone = plain == HEDDLE_PLAIN_NOT ? function : NULL;
	entry->original = mem_copy_string(original);
	entry->name = mem_copy_string(module_symbol(function));
	entry->row.plain = (uint16_t)plain;
	if (module_is_local(function))
		entry->row.flags |= HEDDLE_FUNCTION_LOCAL;
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	if (subprogram) {
		entry->row.line = LLVMDISubprogramGetLine(subprogram);
		entry->file = debug_file(subprogram);
	}
	return &entry->row;
}

static uint32_t line_word(const struct near_line *line)
{
	return line->line | (line->is_near ? HEDDLE_LINE_NEAR : 0);
}

/* One row for each distinct step of an inlining chain, which the instruction is one of; 1 + its index. */
static size_t inline_row(struct table *table, LLVMValueRef instruction, LLVMMetadataRef scope, LLVMMetadataRef at)
{
	LLVMMetadataRef callee = debug_subprogram(context_of(table), scope);
	/* A location is the call of one function; the step is known by the location alone. */
	size_t known = (size_t)(uintptr_t)ptrmap_get(&table->inline_of, at, NULL);
	if (known)
		return known;
	LLVMMetadataRef outer = LLVMDILocationGetInlinedAt(at);
	size_t next = outer ? inline_row(table, instruction, LLVMDILocationGetScope(at), outer) : 0;
	struct near_line line = near_line(context_of(table), instruction, at);
	table->inlines = grow(table->inlines, table->inline_count, &table->inline_room, sizeof *table->inlines);
	const char *name = callee ? debug_function_name(context_of(table), callee) : NULL;
	table->inlines[table->inline_count++] = (struct table_inline){
		.function = mem_copy_string(name ? name : ""),
		.file = debug_file(LLVMDILocationGetScope(at)),
		.line = line_word(&line),
		.column = line.is_near ? 0 : line.column,
		.next = next,
	};
	ptrmap_set(&table->inline_of, at, (void *)(uintptr_t)table->inline_count);
	return table->inline_count;
}

LLVMValueRef table_add_site(struct table *table, LLVMValueRef instruction, const struct access *access, char *variable)
{
	table->sites = grow(table->sites, table->site_count, &table->site_room, sizeof *table->sites);
	struct table_site *site = &table->sites[table->site_count];
	*site = (struct table_site){ .function = table->function_count - 1, .variable = variable };
	site->row.access = access->kind;
	site->row.order = access->order;
	site->row.flags = access->flags;
	site->row.size = access->size_bytes > UINT32_MAX ? 0 : (uint32_t)access->size_bytes;
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	struct near_line line = near_line(context_of(table), instruction, location);
	site->row.line = line_word(&line);
	if (!line.is_near)
		site->row.column = line.column > UINT16_MAX ? UINT16_MAX : (uint16_t)line.column;
	if (location) {
		LLVMMetadataRef scope = LLVMDILocationGetScope(location),
				inlined = LLVMDILocationGetInlinedAt(location);
		site->file = debug_file(scope);
		if (inlined)
			site->inlined = inline_row(table, instruction, scope, inlined);
	} else {
		const char *file = table->functions[site->function].file;
		site->file = file ? mem_copy_string(file) : NULL;
	}
	LLVMTypeRef i8 = LLVMInt8TypeInContext(context_of(table));
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(context_of(table)),
					   table->site_count * sizeof(struct heddle_site), 0);
	table->site_count++;
	return LLVMConstInBoundsGEP2(i8, table->site_stand_in, &offset, 1);
}

void table_set_locks(struct table *table, const char *names)
{
	struct table_site *site = &table->sites[table->site_count - 1];
	site->row.flags |= HEDDLE_SITE_LOCKED;
	free(site->locks);
	site->locks = mem_copy_string(names);
}

void table_set_uses(struct table *table, LLVMValueRef instruction)
{
	struct table_site *site = &table->sites[table->site_count - 1];
	if (uses_is_computed(instruction))
		site->row.flags |= HEDDLE_SITE_COMPUTED;
	if (uses_only_computes(instruction))
		site->row.flags |= HEDDLE_SITE_ONLY_COMPUTED;
	const uint64_t bits = uses_bits(instruction), all = site->row.size < 8 ? (1ul << 8 * site->row.size) - 1 : ~0ul;
	if (site->row.size && (bits & all) != all) {
		site->row.flags |= HEDDLE_SITE_BITS;
		site->bits = bits;
	}
}

/* ---- writing ---- */

static LLVMTypeRef i32_of(LLVMModuleRef module)
{
	return LLVMInt32TypeInContext(LLVMGetModuleContext(module));
}

static LLVMValueRef number(LLVMModuleRef module, uint32_t value)
{
	return LLVMConstInt(i32_of(module), value, 0);
}

/* target - (base + offset), as 32 bits: a heddle_rel. */
static LLVMValueRef distance(LLVMModuleRef module, LLVMValueRef target, LLVMValueRef base, uint64_t offset_bytes)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
	if (!target)
		return number(module, 0);
	LLVMValueRef offset = LLVMConstInt(i64, offset_bytes, 0);
	LLVMValueRef field = LLVMConstInBoundsGEP2(LLVMInt8TypeInContext(context), base, &offset, 1);
	LLVMValueRef bytes = LLVMConstSub(LLVMConstPtrToInt(target, i64), LLVMConstPtrToInt(field, i64));
	return LLVMConstTrunc(bytes, LLVMInt32TypeInContext(context));
}

/* A table of rows of `words` 32-bit words. Its initialiser is set later, since its words refer to itself. */
static LLVMValueRef add_table(LLVMModuleRef module, const char *name, const char *section, size_t rows, unsigned words)
{
	LLVMTypeRef type = LLVMArrayType2(LLVMArrayType2(i32_of(module), words), rows);
	LLVMValueRef table = LLVMAddGlobal(module, type, name);
	LLVMSetLinkage(table, LLVMInternalLinkage);
	LLVMSetGlobalConstant(table, 1);
	LLVMSetSection(table, section);
	LLVMSetAlignment(table, 4);
	return table;
}

/* The linker keeps what is marked used even when it collects garbage. */
static void mark_used(LLVMModuleRef module, LLVMValueRef *globals, unsigned count)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0);
	LLVMValueRef list = LLVMAddGlobal(module, LLVMArrayType2(pointer, count), "llvm.used");
	LLVMSetLinkage(list, LLVMAppendingLinkage);
	LLVMSetSection(list, "llvm.metadata");
	LLVMSetInitializer(list, LLVMConstArray2(pointer, globals, count));
}

/* With a zero at the end. key: what it is known by. */
static LLVMValueRef bytes_global(struct table *table, const char *key, const char *bytes, size_t size)
{
	LLVMValueRef known = map_get(&table->strings, key);
	if (known)
		return known;
	LLVMValueRef value = LLVMConstStringInContext2(context_of(table), bytes, size, 0);
	LLVMValueRef global = LLVMAddGlobal(table->module, LLVMTypeOf(value), "heddle.text");
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
	LLVMSetAlignment(global, 1);
	LLVMSetInitializer(global, value);
	/* Where data may be far away, names must not be. */
	if (module_flag(table->module, "Code Model", 1) != 1)
		LLVMSetSection(global, ".rodata.heddle");
	map_set(&table->strings, key, global);
	return global;
}

static LLVMValueRef string_global(struct table *table, const char *text)
{
	return text && *text ? bytes_global(table, text, text, strlen(text)) : NULL;
}

/* The name of what a site accesses, and after it the names of locks and the bits, if there are any. */
static LLVMValueRef variable_global(struct table *table, const struct table_site *site)
{
	const bool has_bits = site->row.flags & HEDDLE_SITE_BITS;
	if (!site->locks && !has_bits)
		return string_global(table, site->variable);
	struct buf bytes = { 0 }, key = { 0 };
	const char *variable = site->variable ? site->variable : "";
	buf_add(&bytes, variable, strlen(variable) + 1);
	if (site->locks)
		buf_add(&bytes, site->locks, strlen(site->locks) + has_bits);
	if (has_bits)
		buf_format(&bytes, "%" PRIx64, site->bits);
	/* No name has a newline. */
	buf_format(&key, "%s\n%s\n%" PRIx64, variable, site->locks ? site->locks : "\n", site->bits);
	LLVMValueRef global = bytes_global(table, key.data, bytes.data, bytes.size);
	buf_release(&bytes);
	buf_release(&key);
	return global;
}

static LLVMValueRef row_address(struct table *table, LLVMValueRef base, size_t index, size_t row_bytes)
{
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(context_of(table)), index * row_bytes, 0);
	return LLVMConstInBoundsGEP2(LLVMInt8TypeInContext(context_of(table)), base, &offset, 1);
}

enum {
	FUNCTION_WORDS = sizeof(struct heddle_function) / 4,
	SITE_WORDS = sizeof(struct heddle_site) / 4,
	INLINE_WORDS = sizeof(struct heddle_inline) / 4
};

/* The place of a field in its row, in words. */
#define WORD(type, field) (offsetof(struct type, field) / 4)

static LLVMValueRef declare_original(LLVMModuleRef module, const char *name)
{
	LLVMValueRef known = LLVMGetNamedFunction(module, name);
	if (known)
		return known;
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), NULL, 0, 0);
	LLVMValueRef function = LLVMAddFunction(module, name, type);
	LLVMSetVisibility(function, LLVMHiddenVisibility);
	return function;
}

static LLVMValueRef function_row(struct table *table, size_t index, LLVMValueRef functions, LLVMValueRef sites)
{
	const struct table_function *entry = &table->functions[index];
	uint64_t at = index * sizeof(struct heddle_function);
	LLVMValueRef words[FUNCTION_WORDS];
#define REL(field, target)                                                                                             \
	words[WORD(heddle_function, field)] =                                                                          \
		distance(table->module, target, functions, at + offsetof(struct heddle_function, field))
#define NUM(field) words[WORD(heddle_function, field)] = number(table->module, entry->row.field)
	REL(original, declare_original(table->module, entry->original));
	REL(clone, entry->clone);
	REL(name, string_global(table, entry->name));
	REL(file, string_global(table, entry->file));
	REL(sites,
	    entry->row.site_count ? row_address(table, sites, entry->first_site, sizeof(struct heddle_site)) : NULL);
	NUM(line);
	NUM(site_count);
	NUM(skipped_count);
	NUM(asm_count);
	words[WORD(heddle_function, plain)] =
		number(table->module, entry->row.plain | (uint32_t)entry->row.flags << 16);
#undef NUM
#undef REL
	return LLVMConstArray2(i32_of(table->module), words, FUNCTION_WORDS);
}

static LLVMValueRef site_row(struct table *table, size_t index, LLVMValueRef functions, LLVMValueRef sites,
			     LLVMValueRef inlines)
{
	const struct table_site *entry = &table->sites[index];
	uint64_t at = index * sizeof(struct heddle_site);
	LLVMModuleRef module = table->module;
	LLVMValueRef words[SITE_WORDS];
#define REL(field, target)                                                                                             \
	words[WORD(heddle_site, field)] = distance(module, target, sites, at + offsetof(struct heddle_site, field))
	REL(function, row_address(table, functions, entry->function, sizeof(struct heddle_function)));
	REL(file, string_global(table, entry->file));
	REL(variable, variable_global(table, entry));
	REL(inlined,
	    entry->inlined ? row_address(table, inlines, entry->inlined - 1, sizeof(struct heddle_inline)) : NULL);
#undef REL
	words[WORD(heddle_site, line)] = number(module, entry->row.line);
	words[WORD(heddle_site, column)] = number(module, entry->row.column | (uint32_t)entry->row.access << 16 |
								  (uint32_t)entry->row.order << 24);
	words[WORD(heddle_site, size)] = number(module, entry->row.size);
	words[WORD(heddle_site, flags)] = number(module, entry->row.flags);
	return LLVMConstArray2(i32_of(module), words, SITE_WORDS);
}

static LLVMValueRef inline_row_value(struct table *table, size_t index, LLVMValueRef inlines)
{
	const struct table_inline *entry = &table->inlines[index];
	uint64_t at = index * sizeof(struct heddle_inline);
	LLVMModuleRef module = table->module;
	LLVMValueRef words[INLINE_WORDS];
#define REL(field, target)                                                                                             \
	words[WORD(heddle_inline, field)] =                                                                            \
		distance(module, target, inlines, at + offsetof(struct heddle_inline, field))
	REL(function, string_global(table, entry->function));
	REL(file, string_global(table, entry->file));
	REL(next, entry->next ? row_address(table, inlines, entry->next - 1, sizeof(struct heddle_inline)) : NULL);
#undef REL
	words[WORD(heddle_inline, line)] = number(module, entry->line);
	words[WORD(heddle_inline, column)] = number(module, entry->column);
	return LLVMConstArray2(i32_of(module), words, INLINE_WORDS);
}

static void set_rows(LLVMValueRef global, LLVMModuleRef module, LLVMValueRef *rows, size_t count, unsigned words)
{
	LLVMSetInitializer(global, LLVMConstArray2(LLVMArrayType2(i32_of(module), words), rows, count));
}

static LLVMValueRef write_lines(struct table *table, const struct buf *lines)
{
	struct buf record = { 0 };
	if (lines)
		lines_pack(lines, &record);
	LLVMValueRef value =
		LLVMConstStringInContext2(context_of(table), record.data ? record.data : "", record.size, 1);
	LLVMValueRef global = LLVMAddGlobal(table->module, LLVMTypeOf(value), "heddle.lines");
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetSection(global, HEDDLE_SECTION_LINES);
	LLVMSetAlignment(global, 8);
	LLVMSetInitializer(global, value);
	buf_release(&record);
	return global;
}

void table_write(struct table *table, const struct buf *lines)
{
	LLVMModuleRef module = table->module;
	LLVMValueRef functions =
		add_table(module, "heddle.functions", HEDDLE_SECTION_FUNCTIONS, table->function_count, FUNCTION_WORDS);
	LLVMValueRef sites = add_table(module, "heddle.sites", HEDDLE_SECTION_SITES, table->site_count, SITE_WORDS);
	LLVMValueRef inlines =
		add_table(module, "heddle.inlines", HEDDLE_SECTION_INLINES, table->inline_count, INLINE_WORDS);
	size_t most = table->function_count + table->site_count + table->inline_count + 1;
	LLVMValueRef *rows = mem_alloc(most * sizeof *rows);
	for (size_t i = 0; i < table->function_count; i++)
		rows[i] = function_row(table, i, functions, sites);
	set_rows(functions, module, rows, table->function_count, FUNCTION_WORDS);
	for (size_t i = 0; i < table->site_count; i++)
		rows[i] = site_row(table, i, functions, sites, inlines);
	set_rows(sites, module, rows, table->site_count, SITE_WORDS);
	for (size_t i = 0; i < table->inline_count; i++)
		rows[i] = inline_row_value(table, i, inlines);
	set_rows(inlines, module, rows, table->inline_count, INLINE_WORDS);
	free(rows);
	LLVMReplaceAllUsesWith(table->site_stand_in, sites);
	LLVMDeleteGlobal(table->site_stand_in);
	LLVMValueRef used[] = { functions, sites, inlines, write_lines(table, lines) };
	mark_used(module, used, sizeof used / sizeof *used);
}

void table_write_build(LLVMModuleRef module, const struct heddle_build *build)
{
	enum { BUILD_WORDS = sizeof *build / 4 };
	uint32_t raw[BUILD_WORDS];
	LLVMValueRef words[BUILD_WORDS];
	memcpy(raw, build, sizeof raw);
	for (size_t i = 0; i < BUILD_WORDS; i++)
		words[i] = number(module, raw[i]);
	LLVMValueRef global = LLVMAddGlobal(module, LLVMArrayType2(i32_of(module), BUILD_WORDS), "__heddle_build");
	LLVMSetGlobalConstant(global, 1);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	LLVMSetAlignment(global, 4);
	LLVMSetInitializer(global, LLVMConstArray2(i32_of(module), words, BUILD_WORDS));
}
