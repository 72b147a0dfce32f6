/*
 * variable.h: names for accesses in the words of the source: "q->head", "table[]", "this->count". The name is found
 * from debug information: the variable that the pointer was computed from, then the path through its type by byte
 * offset. Where optimisation has left no variable, a pointer that was loaded from memory is named by where it was
 * loaded from, one that a call returned by the call, and failing all that the type that type-based alias metadata
 * gives is shown in parentheses: "(conn)->state". A name is a help to the reader; nothing depends on it.
 */
#ifndef IR_VARIABLE_H
#define IR_VARIABLE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/ptrmap.h"

struct variable_names {
	LLVMModuleRef module;
	LLVMTargetDataRef layout;
	LLVMMetadataRef no_expression, dereference,
		first_word;   /* the expressions (), (DW_OP_deref) and "the first 8 bytes of it" */
	struct ptrmap locals; /* value -> struct local *, of the current function */
	struct map types;     /* name or identifier of a composite type -> its metadata */
	int types_are_known;
	unsigned dbg_kind, tbaa_kind;
	bool is_own_only;         /* variables of the program's own functions alone, not of headers of the system */
	LLVMMetadataRef location; /* with is_own_only: what is named, with the calls that were inlined around it */
};

void variable_names_init(struct variable_names *names, LLVMModuleRef module, LLVMTargetDataRef layout);
void variable_names_release(struct variable_names *names);

/* Forgets the locals of the last function and learns those of this one. The module's debug information is in the form
 * of intrinsics (LLVMSetIsNewDbgInfoFormat(module, 0)). */
void variable_names_enter(struct variable_names *names, LLVMValueRef function);

/* The name of what instruction accesses at pointer, size_bytes long (UINT64_MAX: not known); null when there is none.
 * Caller frees. */
char *variable_name(struct variable_names *names, LLVMValueRef instruction, LLVMValueRef pointer, uint64_t size_bytes);

/* The same by the names that the program's own functions use: those in inlined library code say nothing. Null when it
 * has no name there; caller frees. */
char *variable_object_name(struct variable_names *names, LLVMValueRef instruction, LLVMValueRef pointer,
			   uint64_t size_bytes);

/* Whether the pointer leads to a global variable that the optimiser keeps in another form, such as one byte for a
 * number that has only two values: the bytes in memory are not the value that the source refers to. */
bool variable_is_encoded(struct variable_names *names, LLVMValueRef pointer);

#endif
