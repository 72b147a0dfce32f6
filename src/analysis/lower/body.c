/* body.c: the instructions of a function, block by block; calls are in analysis/lower/call.c. See lower_priv.h. */
#include <stdlib.h>

#include "analysis/lower/lower_priv.h"
#include "base/mem.h"
#include "heddle/abi.h"
#include "ir/access.h"
#include "ir/module.h"

uint32_t lower_value(struct lower *lower, LLVMValueRef value)
{
	if (LLVMIsAConstant(value))
		return lower_constant(lower, value);
	if (!LLVMIsAInstruction(value) && !LLVMIsAArgument(value))
		return lower->opaque;
	uintptr_t known = (uintptr_t)ptrmap_get(&lower->values, value, NULL);
	if (known)
		return (uint32_t)(known - 1);
	/* It is made further down: a phi or a block that comes later. */
	uint32_t index = whole_add_value(lower->whole, WHOLE_OPAQUE, lower->function, WHOLE_NONE);
	ptrmap_set(&lower->values, value, (void *)((uintptr_t)index + 1));
	return index;
}

uint32_t lower_add(struct lower *lower, enum whole_op op, LLVMValueRef at, LLVMValueRef result)
{
	uint32_t value = result && LLVMGetTypeKind(LLVMTypeOf(result)) != LLVMVoidTypeKind ? lower_value(lower, result)
											   : WHOLE_NONE;
	uint32_t place = at ? lower_place(lower, at) : WHOLE_NONE;
	uint32_t index = whole_add_instruction(lower->whole, op);
	struct whole_instruction *row = &lower->whole->instruction[index];
	row->function = lower->function;
	row->block = lower->block;
	row->result = value;
	row->place = place;
	lower->whole->block[lower->block].instruction_count++;
	if (value != WHOLE_NONE) {
		lower->whole->value[value].kind = WHOLE_RESULT;
		lower->whole->value[value].index = index;
	}
	return index;
}

uint32_t lower_make(struct lower *lower, enum whole_op op, LLVMValueRef at, uint32_t operand, uint32_t operand2)
{
	uint32_t index = lower_add(lower, op, at, NULL);
	if (operand != WHOLE_NONE)
		whole_add_operand(lower->whole, index, operand);
	if (operand2 != WHOLE_NONE)
		whole_add_operand(lower->whole, index, operand2);
	uint32_t value = whole_add_value(lower->whole, WHOLE_RESULT, lower->function, index);
	lower->whole->instruction[index].result = value;
	return value;
}

void lower_copy(struct lower *lower, LLVMValueRef at, const uint32_t *values, unsigned count)
{
	/* Another name for the same value needs no instruction, unless another instruction has referred to it
	 * already. */
	if (count == 1 && !ptrmap_get(&lower->values, at, NULL)) {
		ptrmap_set(&lower->values, at, (void *)((uintptr_t)values[0] + 1));
		return;
	}
	uint32_t index = lower_add(lower, WHOLE_COPY, at, at);
	for (unsigned i = 0; i < count; i++)
		whole_add_operand(lower->whole, index, values[i]);
}

uint32_t lower_access_place(struct lower *lower, LLVMValueRef at, const struct access *access)
{
	uint32_t place = lower_value(lower, access->pointer);
	if (access->index)
		place = lower_stride(lower, at, place, access->scale, WHOLE_NONE);
	return lower_offset(lower, at, place, access->displacement);
}

void lower_accesses(struct lower *lower, LLVMValueRef at)
{
	const struct lower_sites *sites = ptrmap_get(&lower->sites, at, NULL);
	if (!sites)
		return;
	struct access found[ACCESS_MAX];
	bool is_opaque = false;
	unsigned count = access_find(at, lower->layout, found, &is_opaque), number = 0;
	uint32_t pointers[ACCESS_MAX];
	/* Values first: a constant may add an instruction, and accesses go to the last one. */
	for (unsigned i = 0; i < count; i++)
		pointers[i] = found[i].pointer ? lower_access_place(lower, at, &found[i]) : WHOLE_NONE;
	if (count && found[0].flags & HEDDLE_SITE_ASSEMBLY && LLVMGetInstructionOpcode(at) != LLVMLoad &&
	    LLVMGetInstructionOpcode(at) != LLVMStore)
		lower_add(lower, WHOLE_OTHER, at, NULL);
	uint32_t instruction = lower->whole->instruction_count - 1;
	lower->whole->instruction[instruction].first_access = lower->whole->access_count;
	for (unsigned i = 0; i < count; i++) {
		if (!(sites->is_site >> i & 1))
			continue;
		if (found[i].form == ACCESS_OPAQUE) {
			number++;
			continue;
		}
		struct whole_access access = { .instruction = instruction,
					       .pointer = pointers[i],
					       .ordinal = sites->first_ordinal + number,
					       .kind = found[i].kind,
					       .order = found[i].order,
					       .flags = found[i].flags,
					       .size_bytes = found[i].size_bytes,
					       .tag = lower_tag(lower, at),
					       .variable = sites->variables[number] };
		whole_add_access(lower->whole, &access);
		lower->whole->instruction[instruction].access_count++;
		number++;
	}
}

static uint64_t size_of(struct lower *lower, LLVMTypeRef type)
{
	return LLVMTypeIsSized(type) ? LLVMStoreSizeOfType(lower->layout, type) : 0;
}

uint32_t lower_offset(struct lower *lower, LLVMValueRef at, uint32_t base, int64_t offset)
{
	if (!offset)
		return base;
	uint32_t value = lower_make(lower, WHOLE_OFFSET, at, base, WHOLE_NONE);
	lower->whole->instruction[lower->whole->value[value].index].offset = offset;
	return value;
}

uint32_t lower_sum(struct lower *lower, LLVMValueRef at, uint32_t base, int64_t offset)
{
	uint32_t value = lower_offset(lower, at, base, offset);
	if (value != base)
		lower->whole->instruction[lower->whole->value[value].index].is_number = true;
	return value;
}

/* How many fields a structure that is loaded or stored as a whole has at most, to be taken apart. */
enum { MAX_FIELDS = 4 };

static bool is_small_structure(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMCountStructElementTypes(type) > 1 &&
	       LLVMCountStructElementTypes(type) <= MAX_FIELDS;
}

/* A structure that is loaded and of which only fields are used, such as a pointer to a member: each field is loaded by itself. */
static bool is_loaded_by_field(LLVMValueRef value)
{
	if (!LLVMIsALoadInst(value) || !is_small_structure(LLVMTypeOf(value)))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
		if (!LLVMIsAExtractValueInst(LLVMGetUser(use)) || LLVMGetNumIndices(LLVMGetUser(use)) != 1)
			return false;
	return LLVMGetFirstUse(value);
}

static void load_fields(struct lower *lower, LLVMValueRef at)
{
	LLVMTypeRef type = LLVMTypeOf(at);
	uint32_t fields[MAX_FIELDS], pointer = lower_value(lower, LLVMGetOperand(at, 0));
	for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
		int64_t offset = (int64_t)LLVMOffsetOfElement(lower->layout, type, i);
		fields[i] = lower_make(lower, WHOLE_LOAD, at, lower_offset(lower, at, pointer, offset), WHOLE_NONE);
		lower->whole->instruction[lower->whole->value[fields[i]].index].size_bytes =
			size_of(lower, LLVMStructGetTypeAtIndex(type, i));
	}
	lower_accesses(lower, at);
	for (LLVMUseRef use = LLVMGetFirstUse(at); use; use = LLVMGetNextUse(use))
		lower_copy(lower, LLVMGetUser(use), &fields[*LLVMGetIndices(LLVMGetUser(use))], 1);
}

static void load(struct lower *lower, LLVMValueRef at)
{
	if (is_loaded_by_field(at)) {
		load_fields(lower, at);
		return;
	}
	uint32_t pointer = lower_value(lower, LLVMGetOperand(at, 0));
	uint32_t index = lower_add(lower, WHOLE_LOAD, at, at);
	whole_add_operand(lower->whole, index, pointer);
	lower->whole->instruction[index].size_bytes = size_of(lower, LLVMTypeOf(at));
	lower->whole->instruction[index].is_compiled_atomic = LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic;
	lower_accesses(lower, at);
}

static void store_value(struct lower *lower, LLVMValueRef at, uint32_t pointer, LLVMValueRef stored)
{
	uint32_t value = lower_value(lower, stored);
	uint32_t index = lower_add(lower, WHOLE_STORE, at, NULL);
	whole_add_operand(lower->whole, index, pointer);
	whole_add_operand(lower->whole, index, value);
	lower->whole->instruction[index].size_bytes = size_of(lower, LLVMTypeOf(stored));
	lower->whole->instruction[index].is_compiled_atomic = LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic;
}

static void store(struct lower *lower, LLVMValueRef at)
{
	LLVMValueRef stored = LLVMGetOperand(at, 0);
	LLVMTypeRef type = LLVMTypeOf(stored);
	uint32_t pointer = lower_value(lower, LLVMGetOperand(at, 1));
	if (is_small_structure(type) && LLVMIsAConstantStruct(stored)) {
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
			int64_t offset = (int64_t)LLVMOffsetOfElement(lower->layout, type, i);
			store_value(lower, at, lower_offset(lower, at, pointer, offset), LLVMGetOperand(stored, i));
		}
	} else if (is_small_structure(type) && LLVMIsALoadInst(stored)) {
		uint32_t from = lower_value(lower, LLVMGetOperand(stored, 0));
		uint32_t index = lower_add(lower, WHOLE_MOVE, at, NULL);
		whole_add_operand(lower->whole, index, pointer);
		whole_add_operand(lower->whole, index, from);
		lower->whole->instruction[index].size_bytes = size_of(lower, type);
	} else {
		store_value(lower, at, pointer, stored);
	}
	lower_accesses(lower, at);
}

static void update(struct lower *lower, LLVMValueRef at)
{
	bool is_exchange = LLVMIsAAtomicCmpXchgInst(at);
	LLVMValueRef stored = LLVMGetOperand(at, is_exchange ? 2 : 1);
	uint32_t pointer = lower_value(lower, LLVMGetOperand(at, 0)), value = lower_value(lower, stored);
	uint32_t index = lower_add(lower, WHOLE_UPDATE, at, at);
	whole_add_operand(lower->whole, index, pointer);
	whole_add_operand(lower->whole, index, value);
	lower->whole->instruction[index].size_bytes = size_of(lower, LLVMTypeOf(stored));
	lower->whole->instruction[index].is_compiled_atomic = true;
	lower_accesses(lower, at);
}

/* A stack slot. One that is made in a loop, or whose size is not known, stands for all that are made there. */
static void slot(struct lower *lower, LLVMValueRef at)
{
	LLVMTypeRef type = LLVMGetAllocatedType(at);
	LLVMValueRef count = LLVMGetOperand(at, 0);
	bool is_one = LLVMIsAConstantInt(count) && LLVMConstIntGetZExtValue(count) == 1;
	uint32_t layout = is_one ? lower_layout(lower, type) : lower_array_layout(lower, type);
	uint32_t object = whole_add_object(lower->whole, WHOLE_STACK);
	uint32_t index = lower_add(lower, WHOLE_SLOT, at, at);
	struct whole_object *row = &lower->whole->object[object];
	row->function = lower->function;
	row->instruction = index;
	row->layout = layout;
	row->size_bytes = is_one ? LLVMABISizeOfType(lower->layout, type) : 0;
	lower->whole->instruction[index].object = object;
}

uint32_t lower_stride(struct lower *lower, LLVMValueRef at, uint32_t base, uint64_t stride, uint32_t index)
{
	if (!stride)
		return base;
	uint32_t value = lower_make(lower, WHOLE_OFFSET, at, base, index);
	lower->whole->instruction[lower->whole->value[value].index].stride = stride;
	return value;
}

/* Each index that is not constant is a step of its own, so that an array in an element of an array is no more than that. */
static void address(struct lower *lower, LLVMValueRef at)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(at);
	uint32_t value = lower_value(lower, LLVMGetOperand(at, 0));
	int64_t offset = 0;
	for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(at); i++) {
		LLVMValueRef index = LLVMGetOperand(at, i);
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
			offset += (int64_t)LLVMOffsetOfElement(lower->layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		uint64_t size_bytes = LLVMABISizeOfType(lower->layout, type);
		if (LLVMIsAConstantInt(index)) {
			offset += LLVMConstIntGetSExtValue(index) * (int64_t)size_bytes;
			continue;
		}
		value = lower_offset(lower, at, value, offset);
		value = lower_stride(lower, at, value, size_bytes, lower_value(lower, index));
		offset = 0;
	}
	/* The compiler makes this of sums of numbers, too, and does not say then that they stay inside of anything. */
	value = LLVMIsInBounds(at) ? lower_offset(lower, at, value, offset) : lower_sum(lower, at, value, offset);
	lower_copy(lower, at, &value, 1);
}

static void copy_operands(struct lower *lower, LLVMValueRef at, unsigned first, unsigned count)
{
	uint32_t values[2] = { 0 };
	if (count <= 2) {
		for (unsigned i = 0; i < count; i++)
			values[i] = lower_value(lower, LLVMGetOperand(at, first + i));
		lower_copy(lower, at, values, count);
		return;
	}
	uint32_t *all = calloc(count, sizeof *all);
	for (unsigned i = 0; all && i < count; i++)
		all[i] = lower_value(lower, LLVMGetOperand(at, first + i));
	lower_copy(lower, at, all, all ? count : 0);
	free(all);
}

/* A part of a value: not equal to it, so there are two operands. */
static void part(struct lower *lower, LLVMValueRef at)
{
	uint32_t value = lower_value(lower, LLVMGetOperand(at, 0)), values[2] = { value, value };
	lower_copy(lower, at, values, 2);
}

struct incoming {
	uintptr_t block;
	uint32_t value;
};

static int compare_incoming(const void *a, const void *b)
{
	const struct incoming *left = a, *right = b;
	return left->block < right->block ? -1 : left->block > right->block;
}

static void phi(struct lower *lower, LLVMValueRef at)
{
	unsigned count = LLVMCountIncoming(at);
	struct incoming *incoming = mem_alloc((count + 1) * sizeof *incoming);
	uint32_t *values = mem_alloc((count + 1) * sizeof *values);
	/* Operands of a phi are used at the end of the blocks before; constants that need an instruction get it here. */
	for (unsigned i = 0; i < count; i++)
		incoming[i] =
			(struct incoming){ (uintptr_t)ptrmap_get(&lower->blocks, LLVMGetIncomingBlock(at, i), NULL),
					   lower_value(lower, LLVMGetIncomingValue(at, i)) };
	if (count > 1)
		qsort(incoming, count, sizeof *incoming, compare_incoming);
	for (unsigned i = 0; i < count; i++)
		values[i] = incoming[i].value;
	lower_copy(lower, at, values, count);
	if (count > 1)
		lower->whole->instruction[lower->whole->instruction_count - 1].is_phi = true;
	free(incoming);
	free(values);
}

static void other_access(struct lower *lower, LLVMValueRef at)
{
	lower_add(lower, WHOLE_OTHER, at, at);
	lower_accesses(lower, at);
}

static void give_back(struct lower *lower, LLVMValueRef at)
{
	uint32_t value = LLVMGetNumOperands(at) ? lower_value(lower, LLVMGetOperand(at, 0)) : WHOLE_NONE;
	uint32_t index = lower_add(lower, WHOLE_RETURN, at, NULL);
	if (value != WHOLE_NONE)
		whole_add_operand(lower->whole, index, value);
}

/* What was thrown comes from one object. */
static void landing(struct lower *lower, LLVMValueRef at)
{
	uint32_t exceptions = whole_address(lower->whole, lower->exceptions, 0);
	uint32_t index = lower_add(lower, WHOLE_LOAD, at, at);
	whole_add_operand(lower->whole, index, exceptions);
	lower->whole->instruction[index].size_bytes = 8;
}

static void instruction(struct lower *lower, LLVMValueRef at)
{
	switch (LLVMGetInstructionOpcode(at)) {
	case LLVMLoad:
		load(lower, at);
		break;
	case LLVMStore:
		store(lower, at);
		break;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		update(lower, at);
		break;
	case LLVMAlloca:
		slot(lower, at);
		break;
	case LLVMGetElementPtr:
		address(lower, at);
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		lower_call(lower, at);
		break;
	case LLVMPHI:
		phi(lower, at);
		break;
	case LLVMSelect:
		copy_operands(lower, at, 1, 2);
		break;
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPtrToInt:
	case LLVMFreeze:
		copy_operands(lower, at, 0, 1);
		break;
	case LLVMZExt:
	case LLVMSExt:
		lower_widened(lower, at);
		break;
	case LLVMExtractValue:
		/* Unless it was loaded by itself. */
		if (!is_loaded_by_field(LLVMGetOperand(at, 0)))
			part(lower, at);
		break;
	case LLVMExtractElement:
		part(lower, at);
		break;
	case LLVMMul:
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMTrunc:
		lower_mangled(lower, at);
		break;
	case LLVMInsertValue:
	case LLVMInsertElement:
	case LLVMShuffleVector:
		copy_operands(lower, at, 0, 2);
		break;
	case LLVMIntToPtr:
		lower_forged(lower, at);
		break;
	case LLVMAdd:
	case LLVMSub:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
		lower_arithmetic(lower, at);
		break;
	case LLVMRet:
		give_back(lower, at);
		break;
	case LLVMLandingPad:
		landing(lower, at);
		break;
	case LLVMFence:
	case LLVMVAArg:
		other_access(lower, at);
		break;
	default:
		break;
	}
}

/* ---- control flow ---- */

/* Whether a branch asks if something equals a constant; see struct whole_test. */
static struct whole_test test_of(struct lower *lower, LLVMValueRef last)
{
	struct whole_test test = { .value = WHOLE_NONE };
	if (LLVMGetInstructionOpcode(last) != LLVMBr || !LLVMIsConditional(last))
		return test;
	LLVMValueRef condition = LLVMGetCondition(last);
	test = (struct whole_test){ .value = lower_value(lower, condition), .constant = 1 };
	if (LLVMIsAICmpInst(condition)) {
		LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
		LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
		bool is_test = (predicate == LLVMIntEQ || predicate == LLVMIntNE) &&
			       (LLVMIsAConstantInt(right) || LLVMIsAConstantPointerNull(right));
		if (!is_test || (LLVMIsAConstantInt(right) && LLVMGetIntTypeWidth(LLVMTypeOf(right)) > 64))
			return (struct whole_test){ .value = WHOLE_NONE };
		test.value = lower_value(lower, left);
		test.constant = LLVMIsAConstantInt(right) ? LLVMConstIntGetSExtValue(right) : 0;
		test.if_equal = predicate == LLVMIntNE;
	}
	return test;
}

static bool is_less(LLVMIntPredicate predicate, bool *is_swapped)
{
	*is_swapped = predicate == LLVMIntSGT || predicate == LLVMIntUGT;
	return *is_swapped || predicate == LLVMIntSLT || predicate == LLVMIntULT;
}

/* See struct whole_compare. */
static struct whole_compare compare_of(struct lower *lower, LLVMValueRef last)
{
	struct whole_compare compare = { .left = WHOLE_NONE, .right = WHOLE_NONE };
	if (LLVMGetInstructionOpcode(last) != LLVMBr || !LLVMIsConditional(last) ||
	    !LLVMIsAICmpInst(LLVMGetCondition(last)))
		return compare;
	LLVMValueRef condition = LLVMGetCondition(last);
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
	bool is_swapped = false;
	if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
		compare.relation = WHOLE_EQUAL;
		compare.if_true = predicate == LLVMIntNE;
	} else if (is_less(predicate, &is_swapped)) {
		compare.relation = WHOLE_LESS;
	} else {
		return compare;
	}
	compare.left = lower_value(lower, LLVMGetOperand(condition, is_swapped));
	compare.right = lower_value(lower, LLVMGetOperand(condition, !is_swapped));
	return compare;
}

static void end_block(struct lower *lower, LLVMBasicBlockRef block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
	if (!last)
		return;
	struct whole_test test = test_of(lower, last);
	lower->whole->block[lower->block].test = test;
	struct whole_compare compare = compare_of(lower, last);
	lower->whole->block[lower->block].compare = compare;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
		uintptr_t known = (uintptr_t)ptrmap_get(&lower->blocks, LLVMGetSuccessor(last, i), NULL);
		whole_add_successor(lower->whole, lower->block, (uint32_t)(known - 1));
	}
}

static void add_parameters(struct lower *lower, LLVMValueRef function, struct whole_function *row)
{
	row->first_parameter = lower->whole->value_count;
	row->parameter_count = LLVMCountParams(function);
	row->is_variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
	for (unsigned i = 0; i < row->parameter_count + row->is_variadic; i++) {
		uint32_t value = whole_add_value(lower->whole, WHOLE_PARAMETER, lower->function, i);
		if (i < row->parameter_count)
			ptrmap_set(&lower->values, LLVMGetParam(function, i), (void *)((uintptr_t)value + 1));
	}
}

void lower_body(struct lower *lower, LLVMValueRef function)
{
	struct whole *whole = lower->whole;
	struct whole_function *row = &whole->function[lower->function];
	ptrmap_release(&lower->values);
	ptrmap_release(&lower->blocks);
	lower_find_forged(lower, function);
	lower->varargs = WHOLE_NONE;
	add_parameters(lower, function, row);
	row->first_block = whole->block_count;
	row->first_instruction = whole->instruction_count;
	for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at; at = LLVMGetNextBasicBlock(at)) {
		uint32_t block = whole_add_block(whole, lower->function);
		ptrmap_set(&lower->blocks, at, (void *)((uintptr_t)block + 1));
	}
	uint32_t count = whole->block_count - row->first_block, first = row->first_block;
	for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at; at = LLVMGetNextBasicBlock(at)) {
		lower->block = first++;
		whole->block[lower->block].first_instruction = whole->instruction_count;
		for (LLVMValueRef each = LLVMGetFirstInstruction(at); each; each = LLVMGetNextInstruction(each))
			instruction(lower, each);
		end_block(lower, at);
	}
	row = &whole->function[lower->function];
	row->block_count = count;
	row->instruction_count = whole->instruction_count - row->first_instruction;
	lower->function = WHOLE_NONE;
}
