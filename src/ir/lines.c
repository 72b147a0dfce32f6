/* lines.c: see lines.h. */
#include "ir/lines.h"

#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/ptrmap.h"
#include "base/source.h"
#include "heddle/abi.h"
#include "ir/debug.h"

/* Lines of one file that are wanted, in any order, some of them several times. */
struct wanted {
	LLVMMetadataRef file;
	uint32_t *lines;
	size_t count, room;
};

struct collect {
	struct ptrmap files; /* DIFile -> struct wanted */
	struct ptrmap seen;  /* locations */
	struct wanted **all; /* in the order of the unit */
	size_t count, room;
};

static struct wanted *wanted_of(struct collect *self, LLVMMetadataRef file)
{
	struct wanted *wanted = ptrmap_get(&self->files, file, NULL);
	if (wanted)
		return wanted;
	wanted = mem_alloc(sizeof *wanted);
	wanted->file = file;
	ptrmap_set(&self->files, file, wanted);
	if (self->count == self->room) {
		self->room = self->room ? 2 * self->room : 16;
		self->all = mem_resize(self->all, self->room * sizeof(struct wanted *));
	}
	return self->all[self->count++] = wanted;
}

static void want(struct collect *self, LLVMMetadataRef location)
{
	/* Locations are unique: one that was seen has led to all those that it was inlined at. */
	for (; location && ptrmap_set(&self->seen, location, NULL); location = LLVMDILocationGetInlinedAt(location)) {
		LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
		uint32_t line = LLVMDILocationGetLine(location);
		struct wanted *wanted = file && line ? wanted_of(self, file) : NULL;
		if (!wanted)
			continue;
		if (wanted->count == wanted->room) {
			wanted->room = wanted->room ? 2 * wanted->room : 16;
			wanted->lines = mem_resize(wanted->lines, wanted->room * sizeof *wanted->lines);
		}
		wanted->lines[wanted->count++] = line;
	}
}

static bool can_have_part(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMCall:
	case LLVMInvoke:
	case LLVMVAArg:
	case LLVMUnreachable:
		return true;
	default:
		return false;
	}
}

static void want_all(struct collect *self, LLVMModuleRef module)
{
	for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
		     block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
				if (can_have_part(at))
					want(self, LLVMInstructionGetDebugLoc(at));
}

static bool read_named(struct source *source, char *path)
{
	bool is_read = source_read(source, path) == SOURCE_GOOD;
	free(path);
	return is_read;
}

/* Under what it was called before prefixes were mapped; else as it is called; else from here. */
static bool read_source(struct source *source, LLVMMetadataRef file, const struct strings *maps)
{
	unsigned folder_size = 0, name_size = 0;
	const char *folder = LLVMDIFileGetDirectory(file, &folder_size);
	const char *name = LLVMDIFileGetFilename(file, &name_size);
	char *plain = mem_format("%.*s", (int)name_size, name ? name : "");
	char *whole = folder_size && plain[0] != '/' ? mem_format("%.*s/%s", (int)folder_size, folder, plain)
						     : mem_copy_string(plain);
	bool is_read = false;
	for (size_t i = maps->count; i > 0 && !is_read; i--) {
		const char *map = maps->items[i - 1], *new = strchr(map, '=');
		size_t size = new ? strlen(new + 1) : 0;
		if (!new || strncmp(whole, new + 1, size) != 0)
			continue;
		char *rest = whole + size + (whole[size] == '/');
		is_read = read_named(source, mem_format("%.*s/%s", (int)(new - map), map, rest)) ||
			  (whole[size] != '/' && size &&
			   read_named(source, mem_format("%.*s%s", (int)(new - map), map, rest)));
	}
	is_read = is_read || source_read(source, whole) == SOURCE_GOOD || source_read(source, plain) == SOURCE_GOOD;
	free(plain);
	free(whole);
	return is_read;
}

static void keep_lines(struct buf *out, const struct source_code *code, const struct wanted *wanted)
{
	bool *is_kept = mem_alloc(code->line_count + 1);
	for (size_t i = 0; i < wanted->count; i++) {
		uint64_t before[SOURCE_AROUND], after[SOURCE_AROUND];
		if (wanted->lines[i] > code->line_count)
			continue;
		is_kept[wanted->lines[i]] = true;
		source_code_around(code, wanted->lines[i], before, after);
		for (size_t k = 0; k < SOURCE_AROUND; k++)
			is_kept[before[k]] = is_kept[after[k]] = true;
	}
	for (size_t line = 1; line <= code->line_count; line++)
		if (is_kept[line])
			buf_format(out, "%zu %s\n", line, source_code_line(code, line));
	free(is_kept);
}

static void add_file(struct buf *out, const struct wanted *wanted, const struct strings *maps)
{
	struct source source = { 0 };
	struct source_code code = { 0 };
	char *name = debug_file_name(wanted->file);
	if (name && read_source(&source, wanted->file, maps)) {
		source_code_read(&code, &source);
		buf_add(out, name, strlen(name) + 1);
		keep_lines(out, &code, wanted);
		buf_add(out, "", 1);
	}
	source_code_release(&code);
	source_release(&source);
	free(name);
}

void lines_collect(LLVMModuleRef module, const struct strings *maps, struct buf *lines)
{
	struct collect collect = { 0 };
	want_all(&collect, module);
	for (size_t i = 0; i < collect.count; i++) {
		add_file(lines, collect.all[i], maps);
		free(collect.all[i]->lines);
		free(collect.all[i]);
	}
	ptrmap_release(&collect.files);
	ptrmap_release(&collect.seen);
	free(collect.all);
}

void lines_pack(const struct buf *lines, struct buf *record)
{
	if (!lines->size || lines->size > UINT32_MAX)
		return;
	size_t room = ZSTD_compressBound(lines->size);
	char *packed = mem_alloc(room);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t size = (size_t)-1; /* an error */
	if (zstd) {
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 9);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
		size = ZSTD_compress2(zstd, packed, room, lines->data, lines->size);
	}
	ZSTD_freeCCtx(zstd);
	if (!ZSTD_isError(size)) {
		struct heddle_lines head = { (uint32_t)size, (uint32_t)lines->size };
		buf_add(record, &head, sizeof head);
		buf_add(record, packed, size);
		buf_add(record, "\0\0\0\0\0\0\0", -size & 7);
	}
	free(packed);
}
