/* uses.c: see uses.h. */
#include "ir/uses.h"

#define MAX_STEPS 10u
#define MAX_USES 32u
#define ALL UINT64_MAX

static unsigned width_of(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static uint64_t low_bits(unsigned width)
{
	return width >= 64 ? ALL : (1ul << width) - 1;
}

/* A variable of the function that is only loaded and stored as a whole: without optimisation, values pass through these. */
static bool is_local(LLVMValueRef pointer)
{
	if (!LLVMIsAAllocaInst(pointer))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsALoadInst(user) && !(LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer))
			return false;
	}
	return true;
}

/* ---- bits ---- */

static uint64_t used_bits(LLVMValueRef value, unsigned steps);

static uint64_t bits_after_local(LLVMValueRef local, unsigned steps)
{
	uint64_t bits = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(local); use; use = LLVMGetNextUse(use))
		if (LLVMIsALoadInst(LLVMGetUser(use)))
			bits |= used_bits(LLVMGetUser(use), steps);
	return bits;
}

/* Of the value that a comparison compares with a constant. */
static uint64_t bits_of_comparison(LLVMValueRef comparison, LLVMValueRef value)
{
	const uint64_t all = low_bits(width_of(value));
	LLVMValueRef other = LLVMGetOperand(comparison, 1);
	if (LLVMGetOperand(comparison, 0) != value || !LLVMIsAConstantInt(other))
		return all;
	const uint64_t limit = LLVMConstIntGetZExtValue(other);
	switch (LLVMGetICmpPredicate(comparison)) {
	case LLVMIntULT: /* below a power of two: the bits from there on are 0 */
		return limit && !(limit & (limit - 1)) ? all & ~(limit - 1) : all;
	case LLVMIntUGT:
		return !(limit & (limit + 1)) ? all & ~limit : all;
	case LLVMIntSLT:
		return limit == 0 ? all & ~(all >> 1) : all;
	case LLVMIntSGT:
		return (limit & all) == all ? all & ~(all >> 1) : all;
	default:
		return all;
	}
}

/* Of a value that is extended by its sign, or shifted with it, when these bits of the result are used: kept has those that are its own. */
static uint64_t with_sign(uint64_t own, uint64_t used, uint64_t kept, unsigned width)
{
	return used & ~kept ? own | 1ul << (width - 1) : own;
}

/* By an instruction with a constant as its second operand. */
static uint64_t bits_by_constant(LLVMValueRef user, LLVMValueRef value, uint64_t constant, uint64_t used)
{
	const unsigned width = width_of(value);
	const uint64_t all = low_bits(width);
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMAnd:
		return used & constant;
	case LLVMOr:
		return used & ~constant;
	case LLVMXor:
		return used;
	case LLVMShl:
		return constant < width ? used >> constant : all;
	case LLVMLShr:
		return constant < width ? used << constant & all : all;
	case LLVMAShr:
		return constant < width ? with_sign(used << constant & all, used, all >> constant, width) : all;
	default:
		return all;
	}
}

/* By one instruction. */
static uint64_t bits_by(LLVMValueRef user, LLVMValueRef value, unsigned steps)
{
	const unsigned width = width_of(value);
	const uint64_t all = low_bits(width);
	switch (LLVMGetInstructionOpcode(user)) {
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
		if (LLVMGetOperand(user, 0) == value && LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
			return bits_by_constant(user, value, LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)),
						used_bits(user, steps));
		return all;
	case LLVMTrunc:
	case LLVMZExt:
		return used_bits(user, steps) & all;
	case LLVMSExt: {
		const uint64_t used = used_bits(user, steps);
		return with_sign(used & all, used, all, width);
	}
	case LLVMFreeze:
		return used_bits(user, steps);
	case LLVMICmp:
		return bits_of_comparison(user, value);
	case LLVMStore:
		if (LLVMGetOperand(user, 0) == value && is_local(LLVMGetOperand(user, 1)))
			return bits_after_local(LLVMGetOperand(user, 1), steps);
		return all;
	default:
		return all;
	}
}

static uint64_t used_bits(LLVMValueRef value, unsigned steps)
{
	const unsigned width = width_of(value);
	uint64_t bits = 0, count = 0;
	if (!width || width > 64)
		return ALL;
	if (!steps)
		return low_bits(width);
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAInstruction(user) || ++count > MAX_USES)
			return low_bits(width);
		bits |= bits_by(user, value, steps - 1);
	}
	return bits;
}

uint64_t uses_bits(LLVMValueRef load)
{
	return LLVMIsALoadInst(load) ? used_bits(load, MAX_STEPS) : ALL;
}

/* ---- computations ---- */

static bool is_same_pointer(LLVMValueRef a, LLVMValueRef b, unsigned steps)
{
	if (a == b)
		return true;
	if (!steps || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
	    LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b))
		return false;
	/* Without optimisation a pointer is loaded again for each use. */
	if (LLVMIsALoadInst(a))
		return is_local(LLVMGetOperand(a, 0)) && LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0);
	if (!LLVMIsAGetElementPtrInst(a) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b) ||
	    LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(a); i++)
		if (!is_same_pointer(LLVMGetOperand(a, (unsigned)i), LLVMGetOperand(b, (unsigned)i), steps - 1))
			return false;
	return true;
}

/* Minimum, maximum, a product that is added. */
static bool is_arithmetic_call(LLVMValueRef call)
{
	static const char *const names[] = { "llvm.umin", "llvm.umax",   "llvm.smin",    "llvm.smax",
					     "llvm.fma",  "llvm.minnum", "llvm.fmuladd", "llvm.maxnum" };
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const unsigned id = LLVMIsAFunction(callee) ? LLVMGetIntrinsicID(callee) : 0;
	for (size_t i = 0; id && i < sizeof names / sizeof *names; i++)
		if (id == LLVMLookupIntrinsicID(names[i], __builtin_strlen(names[i])))
			return true;
	return false;
}

enum step { STEP_OTHER, STEP_COPY, STEP_ARITHMETIC };

/* What an instruction does to a value that it gets. */
static enum step step_of(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
	case LLVMFDiv:
	case LLVMFNeg:
		return STEP_ARITHMETIC;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMFPTrunc:
	case LLVMFPExt:
	case LLVMFPToUI:
	case LLVMFPToSI:
	case LLVMUIToFP:
	case LLVMSIToFP:
	case LLVMFreeze:
		return STEP_COPY;
	case LLVMCall:
		return is_arithmetic_call(instruction) ? STEP_ARITHMETIC : STEP_OTHER;
	default:
		return STEP_OTHER;
	}
}

/* Whether the value comes, by arithmetic, from a load of that pointer. */
static bool comes_from(LLVMValueRef value, LLVMValueRef pointer, bool is_arithmetic, unsigned steps)
{
	if (!steps || !LLVMIsAInstruction(value))
		return false;
	if (LLVMIsALoadInst(value)) {
		LLVMValueRef from = LLVMGetOperand(value, 0);
		if (is_same_pointer(from, pointer, MAX_STEPS))
			return is_arithmetic;
		if (!is_local(from))
			return false;
		for (LLVMUseRef use = LLVMGetFirstUse(from); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			if (LLVMIsAStoreInst(user) &&
			    comes_from(LLVMGetOperand(user, 0), pointer, is_arithmetic, steps - 1))
				return true;
		}
		return false;
	}
	const enum step step = step_of(value);
	for (int i = 0; step != STEP_OTHER && i < LLVMGetNumOperands(value); i++)
		if (comes_from(LLVMGetOperand(value, (unsigned)i), pointer, is_arithmetic || step == STEP_ARITHMETIC,
			       steps - 1))
			return true;
	return false;
}

bool uses_is_computed(LLVMValueRef store)
{
	return LLVMIsAStoreInst(store) &&
	       comes_from(LLVMGetOperand(store, 0), LLVMGetOperand(store, 1), false, MAX_STEPS);
}

/* Whether all uses of the value end in stores to the pointer, after arithmetic; at least one. */
static bool only_computes(LLVMValueRef value, LLVMValueRef pointer, bool is_arithmetic, unsigned steps)
{
	unsigned count = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use), to;
		if (!steps || ++count > MAX_USES || !LLVMIsAInstruction(user))
			return false;
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value) {
			to = LLVMGetOperand(user, 1);
			if (is_same_pointer(to, pointer, MAX_STEPS)) {
				if (!is_arithmetic)
					return false;
				continue;
			}
			if (!is_local(to))
				return false;
			for (LLVMUseRef next = LLVMGetFirstUse(to); next; next = LLVMGetNextUse(next))
				if (LLVMIsALoadInst(LLVMGetUser(next)) &&
				    !only_computes(LLVMGetUser(next), pointer, is_arithmetic, steps - 1))
					return false;
			continue;
		}
		const enum step step = step_of(user);
		if (step == STEP_OTHER ||
		    !only_computes(user, pointer, is_arithmetic || step == STEP_ARITHMETIC, steps - 1))
			return false;
	}
	return count > 0;
}

bool uses_only_computes(LLVMValueRef load)
{
	return LLVMIsALoadInst(load) && only_computes(load, LLVMGetOperand(load, 0), false, MAX_STEPS);
}
