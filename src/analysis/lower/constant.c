/* constant.c: addresses and other constants, variables and what they begin with. See lower_priv.h. */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lower/lower_priv.h"
#include "base/mem.h"
#include "ir/address.h"
#include "ir/module.h"

/* Constants may be nested and lead to each other; deeper ones are not examined. */
enum { MAX_DEPTH = 64 };

static uint32_t new_variable(struct lower *lower, LLVMValueRef variable)
{
	uint32_t object =
		whole_add_object(lower->whole, LLVMIsThreadLocal(variable) ? WHOLE_THREAD_LOCAL : WHOLE_GLOBAL);
	struct whole_object *row = &lower->whole->object[object];
	row->name = whole_string(lower->whole, module_symbol(variable));
	row->is_undefined = true;
	row->is_exported = !module_is_local(variable);
	return object;
}

static uint32_t variable_object(struct lower *lower, LLVMValueRef variable)
{
	if (module_is_local(variable))
		return new_variable(lower, variable);
	const char *name = module_symbol(variable);
	uintptr_t known = (uintptr_t)map_get(&lower->variables, name);
	if (known)
		return (uint32_t)(known - 1);
	uint32_t object = new_variable(lower, variable);
	map_set(&lower->variables, name, (void *)((uintptr_t)object + 1));
	return object;
}

static uint32_t function_object(struct lower *lower, LLVMValueRef function)
{
	uint32_t index = module_is_local(function) ? whole_add_function(lower->whole, module_symbol(function))
						   : whole_function_named(lower->whole, module_symbol(function));
	return lower->whole->function[index].object;
}

/* What an alias stands for, as long as that is the start of something. */
static uint32_t aliased(struct lower *lower, LLVMValueRef target)
{
	LLVMValueRef back;
	int64_t offset = 0;
	uint64_t stride = 0;
	while ((back = address_step_back(target))) {
		address_add_step(lower->layout, target, &offset, &stride);
		target = back;
	}
	return LLVMIsAGlobalValue(target) && !offset ? lower_global(lower, target) : WHOLE_NONE;
}

uint32_t lower_global(struct lower *lower, LLVMValueRef global)
{
	uintptr_t known = (uintptr_t)ptrmap_get(&lower->globals, global, NULL);
	if (known)
		return (uint32_t)(known - 1);
	uint32_t object = WHOLE_NONE;
	if (LLVMIsAGlobalVariable(global)) {
		object = variable_object(lower, global);
	} else if (LLVMIsAFunction(global)) {
		object = function_object(lower, global);
	} else if (LLVMIsAGlobalAlias(global)) {
		object = aliased(lower, LLVMAliasGetAliasee(global));
		/* Others may call what it stands for by its name. */
		if (object != WHOLE_NONE && !module_is_local(global) &&
		    LLVMGetVisibility(global) != LLVMHiddenVisibility)
			lower->whole->object[object].is_exported = true;
	} else {
		uint32_t function = whole_function_named(lower->whole, module_symbol(global));
		whole_add_gap(lower->whole, WHOLE_GAP_IFUNC, function, WHOLE_NONE, module_symbol(global));
		object = lower->whole->function[function].object;
	}
	if (object != WHOLE_NONE)
		ptrmap_set(&lower->globals, global, (void *)((uintptr_t)object + 1));
	return object;
}

/* Of an expression with one pointer in it, which is mangled as by analysis/lower/number.c: the operand that has it, or null. */
static LLVMValueRef mangled_operand(LLVMValueRef constant)
{
	LLVMValueRef found = NULL;
	switch (LLVMGetConstOpcode(constant)) {
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMShl:
	case LLVMMul:
	case LLVMAdd:
	case LLVMSub:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
		for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(constant); i++) {
			if (found && !LLVMIsAConstantInt(LLVMGetOperand(constant, i)))
				return NULL;
			if (!LLVMIsAConstantInt(LLVMGetOperand(constant, i)))
				found = LLVMGetOperand(constant, i);
		}
		return found;
	default:
		return NULL;
	}
}

/* Address arithmetic on a variable: the address, or opaque. What is not constant in it cannot be: it is a constant. */
static uint32_t expression(struct lower *lower, LLVMValueRef constant)
{
	int64_t offset = 0;
	uint64_t stride = 0;
	for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
		LLVMValueRef back = address_step_back(constant);
		if (back) {
			address_add_step(lower->layout, constant, &offset, &stride);
		} else if (LLVMIsAConstantExpr(constant) && (LLVMGetConstOpcode(constant) == LLVMPtrToInt ||
							     LLVMGetConstOpcode(constant) == LLVMIntToPtr)) {
			back = LLVMGetOperand(constant, 0);
		} else if (LLVMIsAConstantExpr(constant) && LLVMGetConstOpcode(constant) == LLVMAdd &&
			   LLVMIsAConstantInt(LLVMGetOperand(constant, 1))) {
			offset += LLVMConstIntGetSExtValue(LLVMGetOperand(constant, 1));
			back = LLVMGetOperand(constant, 0);
		} else if (LLVMIsAConstantExpr(constant)) {
			back = mangled_operand(constant);
		}
		if (!back)
			break;
		constant = back;
	}
	if (!LLVMIsAGlobalValue(constant))
		return LLVMIsAConstantExpr(constant) ? lower->opaque : lower_constant(lower, constant);
	uint32_t object = lower_global(lower, constant);
	return object == WHOLE_NONE ? lower->opaque : whole_address(lower->whole, object, offset);
}

static bool is_aggregate(LLVMValueRef constant)
{
	return LLVMIsAConstantStruct(constant) || LLVMIsAConstantArray(constant) || LLVMIsAConstantVector(constant);
}

/* The addresses in an aggregate, one value each. */
static void collect(struct lower *lower, LLVMValueRef constant, uint32_t **values, unsigned *count, unsigned depth)
{
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(constant) && depth < MAX_DEPTH; i++) {
		LLVMValueRef part = LLVMGetOperand(constant, i);
		if (is_aggregate(part)) {
			collect(lower, part, values, count, depth + 1);
			continue;
		}
		uint32_t value = lower_constant(lower, part);
		if (lower->whole->value[value].kind != WHOLE_ADDRESS)
			continue;
		*values = mem_resize(*values, (*count + 1) * sizeof **values);
		(*values)[(*count)++] = value;
	}
}

static uint32_t aggregate(struct lower *lower, LLVMValueRef constant)
{
	uint32_t *values = NULL, result = lower->opaque;
	unsigned count = 0;
	collect(lower, constant, &values, &count, 0);
	if (count == 1)
		result = values[0];
	if (count > 1 && lower->function != WHOLE_NONE) {
		uint32_t at = lower_add(lower, WHOLE_COPY, NULL, NULL);
		for (unsigned i = 0; i < count; i++)
			whole_add_operand(lower->whole, at, values[i]);
		result = whole_add_value(lower->whole, WHOLE_RESULT, lower->function, at);
		lower->whole->instruction[at].result = result;
	}
	free(values);
	return result;
}

uint32_t lower_constant(struct lower *lower, LLVMValueRef constant)
{
	if (LLVMIsAConstantInt(constant)) {
		bool is_small = LLVMGetIntTypeWidth(LLVMTypeOf(constant)) <= 64;
		return is_small ? whole_number(lower->whole, LLVMConstIntGetSExtValue(constant)) : lower->opaque;
	}
	if (LLVMIsAConstantPointerNull(constant))
		return whole_number(lower->whole, 0);
	if (LLVMIsAGlobalValue(constant) || LLVMIsAConstantExpr(constant))
		return expression(lower, constant);
	if (is_aggregate(constant))
		return aggregate(lower, constant);
	return lower->opaque;
}

/* ---- variables ---- */

static void add_initial(struct lower *lower, uint32_t object, LLVMValueRef constant, uint64_t offset, unsigned depth)
{
	if (depth >= MAX_DEPTH || LLVMIsAConstantAggregateZero(constant))
		return;
	LLVMTypeRef type = LLVMTypeOf(constant);
	if (LLVMIsAConstantStruct(constant)) {
		for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(constant); i++)
			add_initial(lower, object, LLVMGetOperand(constant, i),
				    offset + LLVMOffsetOfElement(lower->layout, type, i), depth + 1);
	} else if (LLVMIsAConstantArray(constant) || LLVMIsAConstantVector(constant)) {
		uint64_t element_bytes = LLVMABISizeOfType(lower->layout, LLVMGetElementType(type));
		for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(constant); i++)
			add_initial(lower, object, LLVMGetOperand(constant, i), offset + i * element_bytes, depth + 1);
	} else if (LLVMIsAGlobalValue(constant) || LLVMIsAConstantExpr(constant)) {
		uint32_t value = lower_constant(lower, constant);
		if (lower->whole->value[value].kind == WHOLE_ADDRESS)
			whole_add_initial(lower->whole, object, offset, value);
	}
}

static bool is_weak(LLVMValueRef global)
{
	LLVMLinkage linkage = LLVMGetLinkage(global);
	return linkage == LLVMWeakAnyLinkage || linkage == LLVMWeakODRLinkage || linkage == LLVMLinkOnceAnyLinkage ||
	       linkage == LLVMLinkOnceODRLinkage || linkage == LLVMCommonLinkage;
}

bool lower_is_replaced(struct lower *lower, LLVMValueRef global, bool is_defined)
{
	const char *name = module_symbol(global);
	if (module_is_local(global) || !is_defined) {
		if (!module_is_local(global) && is_weak(global))
			map_set(&lower->weak, name, (void *)1);
		return false;
	}
	/* There is a definition already: only one that is not weak replaces one that is. */
	if (is_weak(global) || !map_get(&lower->weak, name))
		return true;
	map_set(&lower->weak, name, NULL);
	return false;
}

static void define_variable(struct lower *lower, LLVMValueRef variable)
{
	uint32_t object = lower_global(lower, variable);
	if (lower_is_replaced(lower, variable, !lower->whole->object[object].is_undefined))
		return;
	LLVMTypeRef type = LLVMGlobalGetValueType(variable);
	/* Entries of a virtual table are distinguished: each is a different function. */
	const char *name = module_symbol(variable);
	uint32_t layout = strncmp(name, "_ZTV", 4) == 0 ? WHOLE_NONE : lower_layout(lower, type);
	uint32_t place = lower_variable_place(lower, variable);
	struct whole_object *row = &lower->whole->object[object];
	row->place = place;
	row->is_undefined = false;
	row->is_constant = LLVMIsGlobalConstant(variable);
	row->is_exported = !module_is_local(variable) && LLVMGetVisibility(variable) != LLVMHiddenVisibility;
	row->size_bytes = LLVMABISizeOfType(lower->layout, type);
	row->layout = layout;
	row->initial_count = 0;
	add_initial(lower, object, LLVMGetInitializer(variable), 0, 0);
}

void lower_variables(struct lower *lower)
{
	lower->function = WHOLE_NONE;
	for (LLVMValueRef at = LLVMGetFirstGlobal(lower->module); at; at = LLVMGetNextGlobal(at))
		if (LLVMGetInitializer(at) && !module_is_special(at) &&
		    LLVMGetLinkage(at) != LLVMAvailableExternallyLinkage)
			define_variable(lower, at);
	/* Aliases make what they stand for known to others. */
	for (LLVMValueRef at = LLVMGetFirstGlobalAlias(lower->module); at; at = LLVMGetNextGlobalAlias(at)) {
		uint32_t object = lower_global(lower, at);
		if (object == WHOLE_NONE || module_is_local(at))
			continue;
		const struct whole_object *row = &lower->whole->object[object];
		const char *name = module_symbol(at);
		map_set(&lower->aliases, name, (void *)((uintptr_t)object + 1));
		if (row->kind == WHOLE_CODE) {
			if (whole_find_function(lower->whole, name) == WHOLE_NONE)
				map_set(&lower->whole->functions, name, (void *)((uintptr_t)row->function + 1));
		} else if (!map_has(&lower->variables, name)) {
			map_set(&lower->variables, name, (void *)((uintptr_t)object + 1));
		}
	}
}
