/* debug.c: see debug.h. */
#include "ir/debug.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

static bool is_node(LLVMMetadataRef node)
{
	if (!node)
		return false;
	LLVMMetadataKind kind = LLVMGetMetadataKind(node);
	return kind != LLVMMDStringMetadataKind && kind != LLVMConstantAsMetadataMetadataKind &&
	       kind != LLVMLocalAsMetadataMetadataKind && kind != LLVMDistinctMDOperandPlaceholderMetadataKind &&
	       kind != LLVMDIArgListMetadataKind;
}

unsigned debug_operand_count(LLVMContextRef context, LLVMMetadataRef node)
{
	return is_node(node) ? LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(context, node)) : 0;
}

/* llvm-c hands out all operands at once. Nodes with many (element lists) are read in one go by their users. */
static LLVMValueRef operand_value(LLVMContextRef context, LLVMMetadataRef node, unsigned index)
{
	unsigned count = debug_operand_count(context, node);
	if (index >= count)
		return NULL;
	LLVMValueRef few[16], *all = count <= 16 ? few : mem_alloc(count * sizeof *all);
	LLVMGetMDNodeOperands(LLVMMetadataAsValue(context, node), all);
	LLVMValueRef value = all[index];
	if (all != few)
		free(all);
	return value;
}

LLVMMetadataRef debug_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned index)
{
	LLVMValueRef value = operand_value(context, node, index);
	return value ? LLVMValueAsMetadata(value) : NULL;
}

const char *debug_string(LLVMContextRef context, LLVMMetadataRef node, unsigned index)
{
	LLVMValueRef value = operand_value(context, node, index);
	if (!value || !LLVMIsAMDString(value))
		return NULL;
	unsigned length;
	const char *text = LLVMGetMDString(value, &length);
	return text && length ? text : NULL;
}

unsigned debug_type_tag(LLVMMetadataRef node)
{
	if (!node)
		return 0;
	LLVMMetadataKind kind = LLVMGetMetadataKind(node);
	if (kind != LLVMDIDerivedTypeMetadataKind && kind != LLVMDICompositeTypeMetadataKind &&
	    kind != LLVMDIBasicTypeMetadataKind)
		return 0;
	return LLVMGetDINodeTag(node);
}

LLVMMetadataRef debug_bare_type(LLVMContextRef context, LLVMMetadataRef type)
{
	for (int steps = 0; steps < 64; steps++) {
		switch (debug_type_tag(type)) {
		case DEBUG_TYPEDEF:
		case DEBUG_CONST:
		case DEBUG_VOLATILE:
		case DEBUG_RESTRICT:
		case DEBUG_ATOMIC:
			type = debug_operand(context, type, DEBUG_TYPE_BASE);
			break;
		default:
			return type;
		}
	}
	return NULL;
}

uint64_t debug_type_size(LLVMContextRef context, LLVMMetadataRef type)
{
	LLVMMetadataRef bare = debug_bare_type(context, type);
	return debug_type_tag(bare) ? LLVMDITypeGetSizeInBits(bare) / 8 : 0;
}

LLVMMetadataRef debug_subprogram(LLVMContextRef context, LLVMMetadataRef scope)
{
	while (scope) {
		LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
		if (kind == LLVMDISubprogramMetadataKind)
			return scope;
		if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDILexicalBlockFileMetadataKind)
			return NULL;
		scope = debug_operand(context, scope, DEBUG_BLOCK_SCOPE);
	}
	return NULL;
}

const char *debug_function_name(LLVMContextRef context, LLVMMetadataRef subprogram)
{
	const char *linkage = debug_string(context, subprogram, DEBUG_SUBPROGRAM_LINKAGE);
	return linkage ? linkage : debug_string(context, subprogram, DEBUG_SCOPE_NAME);
}

char *debug_file_name(LLVMMetadataRef file)
{
	unsigned size = 0, folder_size = 0;
	const char *name = file ? LLVMDIFileGetFilename(file, &size) : NULL;
	if (!name || !size)
		return NULL;
	const char *folder = LLVMDIFileGetDirectory(file, &folder_size);
	char *plain = mem_format("%.*s", (int)size, name);
	char *in = mem_format("%.*s", (int)folder_size, folder ? folder : "");
	/* "<stdin>" and the like are in no folder. */
	char *path = path_join(plain[0] == '<' ? NULL : in, plain);
	free(plain);
	free(in);
	return path;
}

char *debug_file(LLVMMetadataRef scope)
{
	return debug_file_name(scope ? LLVMDIScopeGetFile(scope) : NULL);
}

bool debug_is_of_system(LLVMMetadataRef subprogram)
{
	char *file = subprogram ? debug_file(subprogram) : NULL;
	bool is_it = !file || strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0;
	free(file);
	return is_it;
}
