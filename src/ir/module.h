/*
 * module.h: what the rest of src/ir needs from LLVM in common: loading and writing modules, and the names by which
 * clones, which are in objects of their own, reach the functions and variables of the unit they came from.
 */
#ifndef IR_MODULE_H
#define IR_MODULE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"

/* Parses bitcode into a fresh context. Returns null with err set when it is not valid. Release with module_free. */
LLVMModuleRef module_parse(const struct buf *bitcode, const char *name, struct err *err);
void module_free(LLVMModuleRef module);

/* Appends the module as bitcode to out. */
void module_write(LLVMModuleRef module, struct buf *out);

/* A symbol's name as the object file has it: without the \01 that stops LLVM from decorating it. */
const char *module_symbol(LLVMValueRef global);

bool module_is_local(LLVMValueRef global);

/* Whether the linker keeps one of several definitions of this function, so that a name without the unit's tag names
 * the one that was kept. */
bool module_is_shared(LLVMValueRef function);

/* A variable of the compiler's own, that is not part of the program: llvm.used and the like. */
bool module_is_special(LLVMValueRef variable);

/* The hidden alias by which a clone's object names the function or variable of unit tag; caller frees. */
char *module_alias_name(LLVMValueRef global, const char *tag);

#define MODULE_ALIAS_FUNCTION "__heddle_o."
#define MODULE_ALIAS_VARIABLE "__heddle_v."

/* Whether the function has an enumerated attribute, or a string attribute, of that name. */
bool module_has_attribute(LLVMValueRef function, const char *name);

/* The value of an integer module flag, or otherwise when there is none. */
unsigned module_flag(LLVMModuleRef module, const char *name, unsigned otherwise);

/* Whether any basic block of the function has its address taken, or a jump goes to a computed address. */
bool module_has_computed_goto(LLVMValueRef function);

/* Gives every function and variable without a name one, so that they can be spoken of. */
void module_name_all(LLVMModuleRef module);

/* What file-scope assembly of a unit mentions. Clones are in another object, where what it defines and does not export
 * is not known. */
struct module_assembly {
	LLVMModuleRef module;
	struct map words; /* not null: exported */
};

void module_assembly_init(struct module_assembly *assembly, LLVMModuleRef module);
void module_assembly_release(struct module_assembly *assembly);

/* Whether the function needs something that only the unit's own object knows: a macro or a label of file-scope assembly,
 * or a static function or variable that inline assembly names in its text. */
bool module_needs_own_assembly(const struct module_assembly *assembly, LLVMValueRef function);

/* Why this function gets no clone: enum heddle_plain of abi.h, HEDDLE_PLAIN_NOT when it gets one. resolvers: the
 * ifunc resolvers of the module. */
struct ptrmap;
unsigned module_plain_reason(LLVMValueRef function, const struct ptrmap *resolvers);
void module_find_resolvers(LLVMModuleRef module, struct ptrmap *resolvers);

/* Whether the compiler itself added a variable, to count what runs or to check it: --coverage, -fprofile-generate,
 * -fsanitize-coverage, -fsanitize=vptr. Its accesses are not the program's. All of these names are reserved for it. */
bool module_is_counter(LLVMValueRef variable);

#endif
