/* tag.c: the types of accesses, from the metadata that the compiler put to loads and stores. See lower_priv.h and types.h. */
#include <stdlib.h>

#include "analysis/lower/lower_priv.h"
#include "base/mem.h"

/* Types are no deeper; what is may be a cycle, which LLVM does not make. */
enum { DEEPEST = 64 };

static LLVMValueRef *operands_of(LLVMValueRef node, unsigned *count)
{
	*count = LLVMGetMDNodeNumOperands(node);
	LLVMValueRef *operands = mem_alloc((*count + 1) * sizeof *operands);
	LLVMGetMDNodeOperands(node, operands);
	return operands;
}

static bool is_node(LLVMValueRef value)
{
	return value && LLVMIsAMDNode(value);
}

static uint32_t type_of(struct lower *lower, LLVMValueRef node, unsigned depth);

/* { name, type, offset, type, offset... }; of a scalar the offset may be left out. */
static uint32_t read_type(struct lower *lower, LLVMValueRef const *operands, unsigned count, unsigned depth)
{
	unsigned size = 0;
	bool is_sound = count && operands[0] && LLVMIsAMDString(operands[0]);
	const char *text = is_sound ? LLVMGetMDString(operands[0], &size) : NULL;
	uint32_t member_count = count / 2, type = WHOLE_NONE;
	struct whole_member *members = mem_alloc((member_count + 1) * sizeof *members);
	for (uint32_t i = 0; i < member_count && is_sound; i++) {
		LLVMValueRef member = operands[1 + 2 * i], offset = 2 + 2 * i < count ? operands[2 + 2 * i] : NULL;
		members[i].type = is_node(member) ? type_of(lower, member, depth + 1) : WHOLE_NONE;
		members[i].offset = offset && LLVMIsAConstantInt(offset) ? LLVMConstIntGetZExtValue(offset) : 0;
		is_sound = members[i].type != WHOLE_NONE && (i == 0 || members[i].offset >= members[i - 1].offset) &&
			   (offset ? !!LLVMIsAConstantInt(offset) : count == 2);
	}
	if (is_sound) {
		char *name = mem_format("%.*s", (int)size, text ? text : "");
		type = whole_type(lower->whole, name, members, member_count);
		free(name);
	}
	free(members);
	return type;
}

static uint32_t type_of(struct lower *lower, LLVMValueRef node, unsigned depth)
{
	bool is_known;
	uintptr_t known = (uintptr_t)ptrmap_get(&lower->types, node, &is_known);
	if (is_known)
		return known ? (uint32_t)(known - 1) : WHOLE_NONE;
	if (depth > DEEPEST)
		return WHOLE_NONE;
	unsigned count;
	LLVMValueRef *operands = operands_of(node, &count);
	uint32_t type = read_type(lower, operands, count, depth);
	free(operands);
	ptrmap_set(&lower->types, node, type == WHOLE_NONE ? NULL : (void *)((uintptr_t)type + 1));
	return type;
}

/* { base, scalar, offset, ... } */
static uint32_t read_tag(struct lower *lower, LLVMValueRef node, bool is_vector)
{
	unsigned count;
	LLVMValueRef *operands = operands_of(node, &count);
	uint32_t tag = WHOLE_NONE;
	if (count >= 3 && is_node(operands[0]) && is_node(operands[1]) && operands[2] &&
	    LLVMIsAConstantInt(operands[2])) {
		uint32_t base = type_of(lower, operands[0], 0), scalar = type_of(lower, operands[1], 0);
		/* Of several elements at once the tag is that of one; others may be other members. */
		if (base != WHOLE_NONE && scalar != WHOLE_NONE)
			tag = is_vector ? whole_tag(lower->whole, scalar, scalar, 0)
					: whole_tag(lower->whole, base, scalar, LLVMConstIntGetZExtValue(operands[2]));
	}
	free(operands);
	return tag;
}

uint32_t lower_tag(struct lower *lower, LLVMValueRef at)
{
	LLVMTypeRef type;
	switch (LLVMGetInstructionOpcode(at)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
		type = LLVMTypeOf(at);
		break;
	case LLVMStore:
		type = LLVMTypeOf(LLVMGetOperand(at, 0));
		break;
	case LLVMAtomicCmpXchg:
		type = LLVMTypeOf(LLVMGetOperand(at, 1));
		break;
	default:
		return WHOLE_NONE;
	}
	LLVMValueRef node = LLVMGetMetadata(at, LLVMGetMDKindIDInContext(lower->context, "tbaa", 4));
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return node ? read_tag(lower, node, kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind)
		    : WHOLE_NONE;
}
