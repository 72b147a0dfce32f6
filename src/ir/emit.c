/* emit.c: see emit.h. */
#include "ir/emit.h"

#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <unistd.h>

#include "ir/module.h"

LLVMTargetMachineRef emit_machine(LLVMModuleRef module, unsigned opt_level, struct err *err)
{
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmParser();
	LLVMInitializeX86AsmPrinter();
	LLVMTargetRef target;
	char *message = NULL;
	if (LLVMGetTargetFromTriple(LLVMGetTarget(module), &target, &message)) {
		err_set(err, ENOTSUP, "%s", message);
		LLVMDisposeMessage(message);
		return NULL;
	}
	static const LLVMCodeGenOptLevel levels[] = { LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
						      LLVMCodeGenLevelDefault, LLVMCodeGenLevelAggressive };
	static const LLVMCodeModel models[] = { LLVMCodeModelTiny, LLVMCodeModelSmall, LLVMCodeModelKernel,
						LLVMCodeModelMedium, LLVMCodeModelLarge };
	unsigned model = module_flag(module, "Code Model", 1);
	LLVMRelocMode reloc = module_flag(module, "PIC Level", 0) ? LLVMRelocPIC : LLVMRelocStatic;
	return LLVMCreateTargetMachine(target, LLVMGetTarget(module), "x86-64", "",
				       levels[opt_level > 3 ? 3 : opt_level], reloc, models[model > 4 ? 1 : model]);
}

int emit_object(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *path, struct err *err)
{
	char *message = NULL;
	if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
		err_set(err, EPROTO, "the weave produced invalid IR: %.800s", message);
		err_hint(err, "this is a bug in Heddle; please report it");
		LLVMDisposeMessage(message);
		return -EPROTO;
	}
	LLVMDisposeMessage(message);
	message = NULL;
	if (LLVMTargetMachineEmitToFile(machine, module, path, LLVMObjectFile, &message)) {
		err_set(err, EIO, "cannot write \"%s\": %s", path, message);
		LLVMDisposeMessage(message);
		unlink(path);
		return -EIO;
	}
	return 0;
}
