/*
 * debug.h: reading debug metadata through llvm-c, which has getters for little of it: the rest is read as operands by
 * number. The numbers are those of LLVM 19 (llvm/IR/DebugInfoMetadata.h).
 */
#ifndef IR_DEBUG_H
#define IR_DEBUG_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stdint.h>

/* Tags of DWARF 5, section 7.5.3, as far as they are needed. */
enum debug_tag {
	DEBUG_ARRAY = 0x01,
	DEBUG_CLASS = 0x02,
	DEBUG_MEMBER = 0x0d,
	DEBUG_POINTER = 0x0f,
	DEBUG_REFERENCE = 0x10,
	DEBUG_STRUCTURE = 0x13,
	DEBUG_TYPEDEF = 0x16,
	DEBUG_UNION = 0x17,
	DEBUG_INHERITANCE = 0x1c,
	DEBUG_CONST = 0x26,
	DEBUG_VOLATILE = 0x35,
	DEBUG_RESTRICT = 0x37,
	DEBUG_RVALUE_REFERENCE = 0x42,
	DEBUG_ATOMIC = 0x47,
};

/* Which operand holds what. */
enum {
	DEBUG_SCOPE_NAME = 2,         /* DISubprogram, DIType, DICompositeType: name */
	DEBUG_SUBPROGRAM_LINKAGE = 3, /* DISubprogram: linkage name */
	DEBUG_SUBPROGRAM_TYPE = 4,
	DEBUG_SUBROUTINE_TYPES = 3,
	DEBUG_TYPE_BASE = 3,       /* DIDerivedType, DICompositeType: base type */
	DEBUG_TYPE_ELEMENTS = 4,   /* DICompositeType */
	DEBUG_TYPE_PARAMETERS = 6, /* DICompositeType: of a template */
	DEBUG_TYPE_IDENTIFIER = 7,
	DEBUG_PARAMETER_TYPE = 1, /* DITemplateTypeParameter */
	DEBUG_VARIABLE_NAME = 1,
	DEBUG_VARIABLE_TYPE = 3,
	DEBUG_BLOCK_SCOPE = 1, /* DILexicalBlock, DILexicalBlockFile: the scope around it */
};

/* Operand number index of a metadata node; null when there is none or it is null. */
LLVMMetadataRef debug_operand(LLVMContextRef context, LLVMMetadataRef node, unsigned index);
unsigned debug_operand_count(LLVMContextRef context, LLVMMetadataRef node);

/* Operand index as a string that lives as long as the context; null when it is empty or not a string. */
const char *debug_string(LLVMContextRef context, LLVMMetadataRef node, unsigned index);

/* The tag of a type, or 0 when node is not a type. */
unsigned debug_type_tag(LLVMMetadataRef node);

/* Behind typedefs and qualifiers. May return null: void. */
LLVMMetadataRef debug_bare_type(LLVMContextRef context, LLVMMetadataRef type);

/* Size of a type in bytes, following typedefs; 0 when not known. */
uint64_t debug_type_size(LLVMContextRef context, LLVMMetadataRef type);

/* The function that a scope (a lexical block, or the function itself) belongs to; null when it is not in one. */
LLVMMetadataRef debug_subprogram(LLVMContextRef context, LLVMMetadataRef scope);

/* The file of a scope as the compiler was given it; null when not known. Caller frees. */
char *debug_file(LLVMMetadataRef scope);

/* Whether a function (its DISubprogram) is written in a header of the system's, as those of the C++ library are; also when that is not known. */
bool debug_is_of_system(LLVMMetadataRef subprogram);
char *debug_file_name(LLVMMetadataRef file); /* of a DIFile */

/* Linkage name of a DISubprogram, or its name. */
const char *debug_function_name(LLVMContextRef context, LLVMMetadataRef subprogram);

#endif
