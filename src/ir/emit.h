/* emit.h: code generation for modules that Heddle makes. */
#ifndef IR_EMIT_H
#define IR_EMIT_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "base/err.h"

/* A target machine for the module: its triple, the relocation and code model of its flags; opt_level 0 to 3. Null with
 * err set on failure. */
LLVMTargetMachineRef emit_machine(LLVMModuleRef module, unsigned opt_level, struct err *err);

/* Writes the module as an object file; removes the file when that fails. Returns 0, or -errno with err set. */
int emit_object(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *path, struct err *err);

#endif
