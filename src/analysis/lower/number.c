/*
 * number.c: pointers in numbers. The sources of a number of 64 bits or more are tracked, since a pointer may be made of
 * it elsewhere. Narrower numbers, which are parts of a pointer at most, are tracked only where the current function
 * made them from a pointer, or makes a pointer of them: any other is assumed to be just a number. See lower_priv.h.
 */
#include <string.h>

#include "analysis/lower/lower_priv.h"

/* How far back it is looked whether a number was a pointer. */
enum { POINTER_STEPS = 6 };

static bool is_wide(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		return true;
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) >= 64;
}

static bool is_from_pointer(LLVMValueRef value)
{
	return LLVMIsAPtrToIntInst(value) || (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMPtrToInt);
}

/* A number of which nothing is kept but where it is made, so that equal indexes are known to be equal. */
static void number(struct lower *lower, LLVMValueRef at)
{
	for (LLVMUseRef use = LLVMGetFirstUse(at); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAGetElementPtrInst(user) && !LLVMIsACastInst(user) && !LLVMIsABinaryOperator(user) &&
		    !LLVMIsAPHINode(user) && !LLVMIsACallInst(user))
			continue;
		lower_add(lower, WHOLE_COPY, at, at);
		return;
	}
}

/* Whether a number was a pointer a few steps before. Numbers that come from memory, parameters and calls count as numbers. */
static bool carries_pointer(LLVMValueRef value, unsigned depth)
{
	if (is_from_pointer(value))
		return true;
	if (!LLVMIsAInstruction(value) || !depth)
		return false;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMPHI:
		for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
			if (carries_pointer(LLVMGetIncomingValue(value, i), depth - 1))
				return true;
		return false;
	case LLVMSelect:
	case LLVMAdd:
	case LLVMSub:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMFreeze:
	case LLVMBitCast:
	case LLVMInsertElement:
	case LLVMExtractElement:
	case LLVMShuffleVector:
	case LLVMMul:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
		for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
			if (carries_pointer(LLVMGetOperand(value, i), depth - 1))
				return true;
		return false;
	default:
		return false;
	}
}

/* Whether a number of 64 bits or more may have a pointer in it that came from elsewhere. What was seen to be narrower is none. */
static bool may_carry_pointer(LLVMValueRef value, unsigned depth)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 64)
		return carries_pointer(value, depth);
	if (LLVMIsAConstant(value))
		return LLVMIsAConstantExpr(value);
	if (!LLVMIsAInstruction(value) || !depth)
		return true;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMZExt:
	case LLVMSExt:
		return may_carry_pointer(LLVMGetOperand(value, 0), depth - 1);
	case LLVMAnd:
		/* What a small mask leaves is a number. */
		if (LLVMIsAConstantInt(LLVMGetOperand(value, 1)) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64 &&
		    LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1)) <= UINT32_MAX)
			return false;
		/* fall through */
	case LLVMOr:
	case LLVMXor:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMUDiv:
	case LLVMSDiv:
		return may_carry_pointer(LLVMGetOperand(value, 0), depth - 1) ||
		       may_carry_pointer(LLVMGetOperand(value, 1), depth - 1);
	case LLVMURem:
	case LLVMSRem:
	case LLVMFPToSI:
	case LLVMFPToUI:
		return carries_pointer(value, depth);
	default:
		return true;
	}
}

/* Whether a number is made of its operands so that each of them may be the pointer in it, or a part of it. */
static bool is_made_of_operands(LLVMValueRef value)
{
	if (LLVMIsAConstantExpr(value) || !LLVMIsAInstruction(value))
		return false;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMPHI:
	case LLVMSelect:
	case LLVMFreeze:
	case LLVMBitCast:
	case LLVMInsertElement:
	case LLVMExtractElement:
	case LLVMShuffleVector:
	case LLVMZExt:
	case LLVMSExt:
		return true;
	case LLVMCall:
		/* A sum of the elements of a vector. */
		return LLVMIsAFunction(LLVMGetCalledValue(value)) && LLVMGetIntrinsicID(LLVMGetCalledValue(value));
	default:
		return LLVMIsABinaryOperator(value) || LLVMIsATruncInst(value);
	}
}

static void mark(struct lower *lower, LLVMValueRef number)
{
	if (!is_made_of_operands(number) || !ptrmap_set(&lower->forged, number, NULL))
		return;
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(number); i++)
		mark(lower, LLVMGetOperand(number, i));
}

/* Whether a number is made of parameters and constants alone, as that of a function that rounds up or adds. */
static bool is_of_parameters(LLVMValueRef number, unsigned depth)
{
	if (LLVMIsAArgument(number) || LLVMIsAConstantInt(number))
		return true;
	if (!depth || !LLVMIsAInstruction(number) || (!LLVMIsABinaryOperator(number) && !LLVMIsACastInst(number)))
		return false;
	/* A mask may come from anywhere. */
	bool is_masked = LLVMGetInstructionOpcode(number) == LLVMAnd;
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(number); i++) {
		LLVMValueRef operand = LLVMGetOperand(number, i);
		bool is_it = is_of_parameters(operand, depth - 1);
		if (is_masked ? is_it && !LLVMIsAConstant(operand) : !is_it)
			return is_masked;
	}
	return !is_masked;
}

void lower_find_forged(struct lower *lower, LLVMValueRef function)
{
	ptrmap_release(&lower->forged);
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
			if (LLVMIsAIntToPtrInst(at) || (LLVMIsAReturnInst(at) && LLVMGetNumOperands(at) &&
							is_of_parameters(LLVMGetOperand(at, 0), POINTER_STEPS)))
				mark(lower, LLVMGetOperand(at, 0));
}

static bool is_forged(const struct lower *lower, LLVMValueRef number)
{
	bool is_found = false;
	ptrmap_get(&lower->forged, number, &is_found);
	return is_found;
}

/* The pointer that an operand was, anywhere in what it points to. */
static uint32_t somewhere(struct lower *lower, LLVMValueRef at, unsigned operand)
{
	uint32_t value = lower_value(lower, LLVMGetOperand(at, operand));
	value = lower_stride(lower, at, value, 1, WHOLE_NONE);
	lower->whole->instruction[lower->whole->value[value].index].is_number = true;
	return value;
}

static bool is_shifted(LLVMValueRef number)
{
	return LLVMIsAInstruction(number) && LLVMGetInstructionOpcode(number) == LLVMLShr;
}

/* Whether what is left may be a pointer that came from elsewhere, or the half of it that makes it one, mangled. */
static bool is_whole(LLVMValueRef at)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(at);
	LLVMValueRef from = LLVMGetOperand(at, 0);
	if (op == LLVMURem || op == LLVMSRem || (!is_wide(at) && (op != LLVMTrunc || !is_shifted(from))))
		return false;
	return may_carry_pointer(from, POINTER_STEPS) ||
	       (LLVMGetNumOperands(at) > 1 && may_carry_pointer(LLVMGetOperand(at, 1), POINTER_STEPS));
}

void lower_mangled(struct lower *lower, LLVMValueRef at)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(at);
	bool is_rest = op == LLVMURem || op == LLVMSRem;
	if (!is_forged(lower, at) && (is_rest || !carries_pointer(LLVMGetOperand(at, 0), POINTER_STEPS)) &&
	    !is_whole(at)) {
		number(lower, at);
		return;
	}
	bool is_binary = LLVMGetNumOperands(at) > 1;
	uint32_t values[2] = { somewhere(lower, at, 0), somewhere(lower, at, is_binary) };
	lower_copy(lower, at, values, 2);
}

bool lower_mixed(struct lower *lower, LLVMValueRef call, const char *name)
{
	static const char *const names[] = { "llvm.bswap.", "llvm.bitreverse.", "llvm.fshl.", "llvm.fshr.", "llvm.abs.",
					     "llvm.smax.",  "llvm.smin.",       "llvm.umax.", "llvm.umin." };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strncmp(name, names[i], strlen(names[i])) != 0)
			continue;
		bool is_binary = LLVMGetNumArgOperands(call) > 1 && strncmp(name, "llvm.abs.", 9) != 0;
		if (!is_wide(call) ||
		    (!is_forged(lower, call) && !may_carry_pointer(LLVMGetOperand(call, 0), POINTER_STEPS) &&
		     !(is_binary && may_carry_pointer(LLVMGetOperand(call, 1), POINTER_STEPS)))) {
			number(lower, call);
			return true;
		}
		uint32_t values[2] = { somewhere(lower, call, 0), somewhere(lower, call, is_binary) };
		lower_copy(lower, call, values, 2);
		return true;
	}
	return false;
}

void lower_widened(struct lower *lower, LLVMValueRef at)
{
	LLVMValueRef narrow = LLVMGetOperand(at, 0);
	uint32_t values[2] = { lower_value(lower, narrow) };
	unsigned count = 1;
	if (is_forged(lower, at) && LLVMIsALoadInst(narrow)) {
		/* A part of a pointer is loaded: what is stored there in parts is the whole of it (analysis/points/generate.c). */
		uint32_t pointer = lower_value(lower, LLVMGetOperand(narrow, 0));
		values[count++] = lower_make(lower, WHOLE_LOAD, at, pointer, WHOLE_NONE);
		lower->whole->instruction[lower->whole->instruction_count - 1].size_bytes = 8;
	}
	lower_copy(lower, at, values, count);
}

/* Bits that no pointer of a program needs: those below the alignment of memory, and those above the addresses that the kernel gives
 * programs. Marks are put there and taken away again. */
#define FREE_BITS (UINT64_C(0xf) | ~((UINT64_C(1) << 47) - 1))

/* Whether a constant puts marks there, or takes them away, and nothing else; *is_number is set when nothing of a pointer is left. */
static bool is_marking(LLVMOpcode op, LLVMValueRef right, bool *is_number)
{
	*is_number = false;
	if (!LLVMIsAConstantInt(right) || LLVMGetIntTypeWidth(LLVMTypeOf(right)) > 64)
		return false;
	uint64_t mask = LLVMConstIntGetZExtValue(right);
	*is_number = op == LLVMAnd && (mask <= UINT32_MAX || !(mask & ~FREE_BITS));
	if (op == LLVMAnd)
		return !*is_number && !(~mask & ~FREE_BITS);
	return (op == LLVMOr || op == LLVMXor) && !(mask & ~FREE_BITS);
}

/* Adds offset to a number. Bits above all addresses are a mark; an offset larger than any object is no distance. */
static uint32_t sum(struct lower *lower, LLVMValueRef at, int64_t offset)
{
	if (!((uint64_t)offset & ~FREE_BITS) && !((uint64_t)offset & 0xf))
		offset = 0;
	if (offset > INT32_MAX || offset < INT32_MIN)
		return somewhere(lower, at, 0);
	return lower_sum(lower, at, lower_value(lower, LLVMGetOperand(at, 0)), offset);
}

void lower_arithmetic(struct lower *lower, LLVMValueRef at)
{
	LLVMValueRef left = LLVMGetOperand(at, 0), right = LLVMGetOperand(at, 1);
	LLVMOpcode op = LLVMGetInstructionOpcode(at);
	uint32_t values[2];
	if ((op == LLVMAdd || op == LLVMSub) && LLVMIsAConstantInt(right) &&
	    LLVMGetIntTypeWidth(LLVMTypeOf(right)) <= 64) {
		int64_t offset = LLVMConstIntGetSExtValue(right);
		values[0] = sum(lower, at, op == LLVMAdd ? offset : (int64_t) - (uint64_t)offset);
		lower_copy(lower, at, values, 1);
		return;
	}
	bool is_number = false;
	if (is_wide(at) && is_marking(op, right, &is_number)) {
		values[0] = lower_value(lower, left);
		lower_copy(lower, at, values, 1);
		return;
	}
	if ((!is_wide(at) && !is_forged(lower, at)) || is_number ||
	    (op == LLVMSub && is_from_pointer(left) && is_from_pointer(right)) ||
	    (!is_forged(lower, at) && !carries_pointer(left, POINTER_STEPS) && !carries_pointer(right, POINTER_STEPS) &&
	     !(is_wide(at) && (may_carry_pointer(left, POINTER_STEPS) || may_carry_pointer(right, POINTER_STEPS))))) {
		number(lower, at);
		return;
	}
	/* Of a difference it is the left one, unless that is a number: a mask, or zero. */
	values[0] = somewhere(lower, at, op == LLVMSub && LLVMIsAConstant(left) && !is_from_pointer(left));
	if (op == LLVMSub) {
		lower_copy(lower, at, values, 1);
		return;
	}
	values[1] = somewhere(lower, at, 1);
	lower_copy(lower, at, values, 2);
}

/* Whether a number is put together from parts, as seen from a pointer that is made of it. Where parts come from is not always known: they
 * are followed as far as they can be, and are a gap. A pointer and a product is an element of an array. */
static bool is_assembled(LLVMValueRef number, unsigned depth)
{
	if (!LLVMIsAInstruction(number) || !depth)
		return false;
	switch (LLVMGetInstructionOpcode(number)) {
	case LLVMMul:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMZExt:
	case LLVMSExt:
		return true;
	case LLVMAdd:
	case LLVMOr:
	case LLVMXor:
		return is_assembled(LLVMGetOperand(number, 0), depth - 1) &&
		       is_assembled(LLVMGetOperand(number, 1), depth - 1);
	case LLVMPHI:
		for (unsigned i = 0; i < LLVMCountIncoming(number); i++)
			if (is_assembled(LLVMGetIncomingValue(number, i), depth - 1))
				return true;
		return false;
	default:
		return false;
	}
}

void lower_forged(struct lower *lower, LLVMValueRef at)
{
	LLVMValueRef number = LLVMGetOperand(at, 0);
	uint32_t value = lower_value(lower, number);
	bool is_followed = LLVMIsAConstant(number) || LLVMIsAArgument(number);
	if (LLVMIsAInstruction(number))
		switch (LLVMGetInstructionOpcode(number)) {
		case LLVMPtrToInt:
		case LLVMLoad:
		case LLVMAdd:
		case LLVMSub:
		case LLVMAnd:
		case LLVMOr:
		case LLVMXor:
		case LLVMPHI:
		case LLVMSelect:
		case LLVMCall:
		case LLVMInvoke:
		case LLVMExtractValue:
		case LLVMExtractElement:
		case LLVMAtomicRMW:
		case LLVMBitCast:
		case LLVMFreeze:
			is_followed = true;
			break;
		default:
			break;
		}
	if (is_followed || is_forged(lower, number)) {
		if (!is_followed || is_assembled(number, POINTER_STEPS))
			whole_add_gap(lower->whole, WHOLE_GAP_FORGED, lower->function, lower_place(lower, at), NULL);
		lower_copy(lower, at, &value, 1);
		return;
	}
	uint32_t index = lower_add(lower, WHOLE_FORGE, at, at);
	whole_add_operand(lower->whole, index, value);
	whole_add_gap(lower->whole, WHOLE_GAP_FORGED, lower->function, lower->whole->instruction[index].place, NULL);
}
