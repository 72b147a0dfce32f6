/* escape.c: see escape.h. */
#include "ir/escape.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ir/address.h"
#include "ir/module.h"

enum { MAX_PHIS = 16 };

static LLVMOpcode opcode_of(LLVMValueRef value)
{
	if (LLVMIsAInstruction(value))
		return LLVMGetInstructionOpcode(value);
	if (LLVMIsAConstantExpr(value))
		return LLVMGetConstOpcode(value);
	return 0;
}

static const char *intrinsic_name(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return NULL;
	size_t size;
	return LLVMGetValueName2(callee, &size);
}

LLVMValueRef escape_thread_local(LLVMValueRef value)
{
	if (LLVMIsACallInst(value)) {
		const char *name = intrinsic_name(value);
		if (name && strncmp(name, "llvm.threadlocal.address", 24) == 0)
			value = LLVMGetOperand(value, 0);
	}
	return LLVMIsAGlobalVariable(value) && LLVMIsThreadLocal(value) ? value : NULL;
}

static bool is_call(LLVMValueRef user)
{
	return LLVMIsACallInst(user) || LLVMIsAInvokeInst(user) || LLVMIsACallBrInst(user);
}

/* Whether the callee may keep a copy of its argument number index. */
static bool keeps_argument(LLVMValueRef call, unsigned index)
{
	static unsigned nocapture, byval;
	if (!nocapture) {
		nocapture = LLVMGetEnumAttributeKindForName("nocapture", 9);
		byval = LLVMGetEnumAttributeKindForName("byval", 5);
	}
	const char *name = intrinsic_name(call);
	if (name && (strncmp(name, "llvm.va_", 8) == 0 || strncmp(name, "llvm.dbg.", 9) == 0 ||
		     strncmp(name, "llvm.lifetime.", 14) == 0 || strncmp(name, "llvm.mem", 8) == 0 ||
		     strncmp(name, "llvm.masked.", 12) == 0 || strncmp(name, "llvm.prefetch", 13) == 0 ||
		     strncmp(name, "llvm.assume", 11) == 0 || strncmp(name, "llvm.objectsize", 15) == 0))
		return false;
	LLVMAttributeIndex at = index + 1;
	if (LLVMGetCallSiteEnumAttribute(call, at, nocapture) || LLVMGetCallSiteEnumAttribute(call, at, byval))
		return false;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAFunction(callee) && index < LLVMCountParams(callee) &&
	    LLVMGetEnumAttributeAtIndex(callee, at, nocapture))
		return false;
	return true;
}

static bool call_captures(LLVMValueRef call, LLVMValueRef value)
{
	if (LLVMGetCalledValue(call) == value || LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return true;
	unsigned count = LLVMGetNumArgOperands(call);
	for (unsigned i = 0; i < count; i++)
		if (LLVMGetOperand(call, i) == value && keeps_argument(call, i))
			return true;
	/* A use that is no argument is in an operand bundle. */
	for (unsigned i = count; i < (unsigned)LLVMGetNumOperands(call); i++)
		if (LLVMGetOperand(call, i) == value)
			return true;
	return false;
}

enum use { USE_HARMLESS, USE_CAPTURES, USE_DERIVES };

/* What user does with the address value: nothing that matters, lets it out, or makes another pointer from it. */
static enum use use_of(LLVMValueRef user, LLVMValueRef value)
{
	if (is_call(user)) {
		if (escape_thread_local(user))
			return USE_DERIVES;
		return call_captures(user, value) ? USE_CAPTURES : USE_HARMLESS;
	}
	switch (opcode_of(user)) {
	case LLVMLoad:
	case LLVMICmp:
	case LLVMVAArg:
		return USE_HARMLESS;
	case LLVMStore:
		return LLVMGetOperand(user, 0) == value ? USE_CAPTURES : USE_HARMLESS;
	case LLVMAtomicRMW:
		return LLVMGetOperand(user, 1) == value ? USE_CAPTURES : USE_HARMLESS;
	case LLVMAtomicCmpXchg:
		return LLVMGetOperand(user, 1) == value || LLVMGetOperand(user, 2) == value ? USE_CAPTURES
											    : USE_HARMLESS;
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPHI:
	case LLVMSelect:
		return USE_DERIVES;
	default:
		return USE_CAPTURES;
	}
}

/* A walk over everything derived from value. Only the answer for value itself is kept: what was seen on the way is
 * known in part only, because the walk ends at the first capture. */
static bool walk(LLVMValueRef value)
{
	struct ptrmap seen = { 0 };
	size_t count = 0, room = 16;
	LLVMValueRef *todo = mem_alloc(room * sizeof *todo);
	bool escapes = false;
	todo[count++] = value;
	while (count && !escapes) {
		LLVMValueRef pointer = todo[--count];
		for (LLVMUseRef use = LLVMGetFirstUse(pointer); use && !escapes; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			enum use kind = use_of(user, pointer);
			escapes = kind == USE_CAPTURES;
			if (kind != USE_DERIVES || !ptrmap_set(&seen, user, NULL))
				continue;
			if (count == room)
				todo = mem_resize(todo, (room *= 2) * sizeof *todo);
			todo[count++] = user;
		}
	}
	ptrmap_release(&seen);
	free(todo);
	return escapes;
}

bool escape_escapes(struct escape *escape, LLVMValueRef value)
{
	bool is_found;
	void *known = ptrmap_get(&escape->known, value, &is_found);
	if (!is_found) {
		known = walk(value) ? (void *)1 : NULL;
		ptrmap_set(&escape->known, value, known);
	}
	return known;
}

static bool is_private_tls(struct escape *escape, LLVMValueRef variable)
{
	if (escape_escapes(escape, variable))
		return false;
	if (module_is_local(variable))
		return true;
	if (escape->is_library && LLVMGetVisibility(variable) == LLVMDefaultVisibility)
		return false;
	return escape->shared_tls && !map_has(escape->shared_tls, module_symbol(variable));
}

static bool is_by_value(LLVMValueRef argument)
{
	LLVMValueRef function = LLVMGetParamParent(argument);
	for (unsigned i = 0; i < LLVMCountParams(function); i++)
		if (LLVMGetParam(function, i) == argument)
			return LLVMGetEnumAttributeAtIndex(function, i + 1,
							   LLVMGetEnumAttributeKindForName("byval", 5));
	return false;
}

/* The phis already met on the way: one that is met again adds nothing to what its other operands say. */
struct phis {
	LLVMValueRef met[MAX_PHIS];
	unsigned count;
};

static bool is_private_at(struct escape *escape, LLVMValueRef pointer, struct phis *phis);

static bool is_private_merge(struct escape *escape, LLVMValueRef merge, struct phis *phis)
{
	for (unsigned i = 0; i < phis->count; i++)
		if (phis->met[i] == merge)
			return true;
	if (phis->count == MAX_PHIS)
		return false;
	phis->met[phis->count++] = merge;
	unsigned first = LLVMIsASelectInst(merge) ? 1 : 0;
	for (unsigned i = first; i < (unsigned)LLVMGetNumOperands(merge); i++)
		if (!is_private_at(escape, LLVMGetOperand(merge, i), phis))
			return false;
	return true;
}

static bool is_private_at(struct escape *escape, LLVMValueRef pointer, struct phis *phis)
{
	LLVMValueRef back;
	while ((back = address_step_back(pointer)))
		pointer = back;
	if (LLVMIsAAllocaInst(pointer))
		return !escape_escapes(escape, pointer);
	LLVMValueRef variable = escape_thread_local(pointer);
	if (variable)
		return is_private_tls(escape, variable);
	if (LLVMIsAGlobalVariable(pointer))
		return LLVMIsGlobalConstant(pointer);
	if (LLVMIsAArgument(pointer))
		return is_by_value(pointer) && !escape_escapes(escape, pointer);
	if (LLVMIsASelectInst(pointer) || LLVMIsAPHINode(pointer))
		return is_private_merge(escape, pointer, phis);
	return false;
}

bool escape_is_private(struct escape *escape, LLVMValueRef pointer)
{
	struct phis phis = { .count = 0 };
	return is_private_at(escape, pointer, &phis);
}

void escape_release(struct escape *escape)
{
	ptrmap_release(&escape->known);
}
