/* address.c: see address.h. */
#include "ir/address.h"

#include <stddef.h>

static LLVMOpcode opcode_of(LLVMValueRef value)
{
	if (LLVMIsAInstruction(value))
		return LLVMGetInstructionOpcode(value);
	return LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value) : 0;
}

LLVMValueRef address_step_back(LLVMValueRef value)
{
	switch (opcode_of(value)) {
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
		return LLVMGetOperand(value, 0);
	default:
		return NULL;
	}
}

void address_add_step(LLVMTargetDataRef layout, LLVMValueRef step, int64_t *offset, uint64_t *stride)
{
	if (opcode_of(step) != LLVMGetElementPtr)
		return;
	LLVMTypeRef type = LLVMGetGEPSourceElementType(step);
	for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(step); i++) {
		LLVMValueRef index = LLVMGetOperand(step, i);
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
			*offset += (int64_t)LLVMOffsetOfElement(layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		if (LLVMIsAConstantInt(index))
			*offset += LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(layout, type);
		else
			*stride = LLVMABISizeOfType(layout, type);
	}
}
