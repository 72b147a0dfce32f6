/* named.c: see named.h. */
#include "ir/named.h"

#include "base/sync_call.h"

static const char *called_name(LLVMValueRef instruction)
{
	size_t size;
	LLVMValueRef callee =
		LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
	if (!callee || !LLVMIsAFunction(callee))
		return NULL;
	const char *name = LLVMGetValueName2(callee, &size);
	return LLVMIsDeclaration(callee) || sync_call_is_cxx(name) ? name : NULL;
}

static bool is_pointer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* The lock that a guard on the stack is made with, and in *where the instruction that does; null when there is none, or several. */
static LLVMValueRef guarded(LLVMValueRef guard, LLVMValueRef *where)
{
	LLVMValueRef lock = NULL;
	if (!LLVMIsAAllocaInst(guard))
		return NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(guard); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use), found = NULL;
		const char *name = called_name(user);
		if (name && sync_call_makes_guard(name) && LLVMGetNumArgOperands(user) > 1 &&
		    LLVMGetOperand(user, 0) == guard)
			found = LLVMGetOperand(user, 1);
		else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == guard &&
			 is_pointer(LLVMGetOperand(user, 0)) && !LLVMIsNull(LLVMGetOperand(user, 0)))
			found = LLVMGetOperand(user, 0); /* the constructor was inlined: the lock is its first member */
		if (!found || found == lock)
			continue;
		if (lock)
			return NULL;
		lock = found;
		*where = user;
	}
	return lock;
}

unsigned named_find(LLVMValueRef instruction, struct named found[NAMED_MAX])
{
	struct sync_argument arguments[SYNC_CALL_MAX_ARGUMENTS];
	unsigned count = 0;
	const char *name = called_name(instruction);
	unsigned argument_count = name ? sync_call_find(name, LLVMGetNumArgOperands(instruction), arguments) : 0;
	for (unsigned i = 0; i < argument_count; i++) {
		LLVMValueRef pointer = LLVMGetOperand(instruction, arguments[i].index), where = instruction;
		if (!is_pointer(pointer))
			continue;
		if (arguments[i].is_guard)
			pointer = guarded(pointer, &where);
		found[count++] = (struct named){ pointer, where, arguments[i].kind };
	}
	return count;
}
