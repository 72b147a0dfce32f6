/* access.c: see access.h. */
#include "ir/access.h"

#include <stdlib.h>
#include <string.h>

#include "base/word.h"
#include "heddle/abi.h"

static uint8_t order_of(LLVMAtomicOrdering order)
{
	switch (order) {
	case LLVMAtomicOrderingNotAtomic:
		return HEDDLE_ORDER_PLAIN;
	case LLVMAtomicOrderingUnordered:
		return HEDDLE_ORDER_UNORDERED;
	case LLVMAtomicOrderingMonotonic:
		return HEDDLE_ORDER_RELAXED;
	case LLVMAtomicOrderingAcquire:
		return HEDDLE_ORDER_ACQUIRE;
	case LLVMAtomicOrderingRelease:
		return HEDDLE_ORDER_RELEASE;
	case LLVMAtomicOrderingAcquireRelease:
		return HEDDLE_ORDER_ACQ_REL;
	case LLVMAtomicOrderingSequentiallyConsistent:
		return HEDDLE_ORDER_SEQ_CST;
	}
	return HEDDLE_ORDER_SEQ_CST;
}

bool access_is_atomic(const struct access *access)
{
	return access->kind >= HEDDLE_ACCESS_ATOMIC_READ;
}

static bool is_hook_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

/* An access of a value of this type; the form follows from its size. */
static struct access typed(LLVMValueRef pointer, LLVMTypeRef type, uint8_t kind, LLVMTargetDataRef layout)
{
	struct access access = { .pointer = pointer, .kind = kind };
	access.size_bytes = LLVMStoreSizeOfType(layout, type);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		access.flags |= HEDDLE_SITE_VECTOR;
	if (!is_hook_size(access.size_bytes)) {
		access.form = ACCESS_RANGE;
		access.flags |= HEDDLE_SITE_RANGE;
	}
	return access;
}

static struct access range(LLVMValueRef pointer, LLVMValueRef length, uint8_t kind, uint32_t flags)
{
	struct access access = { .pointer = pointer, .kind = kind, .form = ACCESS_RANGE, .length = length };
	access.flags = flags | HEDDLE_SITE_RANGE;
	if (LLVMIsAConstantInt(length))
		access.size_bytes = LLVMConstIntGetZExtValue(length);
	return access;
}

static void set_atomic(struct access *access, LLVMValueRef instruction, uint8_t kind, uint8_t order)
{
	access->kind = kind;
	access->order = order;
	access->form = ACCESS_FIXED;
	if (LLVMIsAtomicSingleThread(instruction))
		access->flags |= HEDDLE_SITE_SINGLE_THREAD;
}

/* ---- volatile accesses next to barriers for the compiler ---- */

static bool is_ours(LLVMValueRef callee)
{
	size_t size;
	const char *text =
		LLVMIsAInlineAsm(callee) ? LLVMGetInlineAsmAsmString(callee, &size) : LLVMGetValueName2(callee, &size);
	const char *start = LLVMIsAInlineAsm(callee) ? "call __heddle_" : "__heddle_";
	return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the search for a barrier goes on after this instruction; *is_found: it is one. */
static bool is_passed(LLVMValueRef at, LLVMTargetDataRef layout, bool *is_found)
{
	struct assembly assembly;
	LLVMValueRef callee;
	switch (LLVMGetInstructionOpcode(at)) {
	case LLVMCall:
		callee = LLVMGetCalledValue(at);
		if (is_ours(callee) || (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)))
			return true;
		if (LLVMIsAInlineAsm(callee)) {
			access_read_assembly(at, layout, &assembly);
			bool is_fence = assembly.access_count && assembly.accesses[0].kind == HEDDLE_ACCESS_FENCE;
			bool is_bare = !assembly.access_count && !assembly.is_opaque;
			*is_found = assembly.clobbers_memory && (is_bare || is_fence);
		}
		return false;
	case LLVMLoad:
		return !LLVMGetVolatile(at) && LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic;
	case LLVMStore:
		return LLVMIsAAllocaInst(LLVMGetOperand(at, 1)) != NULL;
	case LLVMInvoke:
	case LLVMCallBr:
	case LLVMFence:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMVAArg:
		return false;
	default:
		return true;
	}
}

/* Before it in its block; or after it, there or where a branch leads on: "if (*flag) { barrier(); ... }". */
static bool has_barrier(LLVMValueRef at, LLVMTargetDataRef layout, bool is_before)
{
	bool is_found = false;
	LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(at)), next = at;
	do
		next = is_before ? LLVMGetPreviousInstruction(next) : LLVMGetNextInstruction(next);
	while (next && next != end && is_passed(next, layout, &is_found));
	if (next != end || !LLVMIsABranchInst(end))
		return is_found;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end) && !is_found; i++) {
		next = LLVMGetFirstInstruction(LLVMGetSuccessor(end, i));
		while (next && is_passed(next, layout, &is_found))
			next = LLVMGetNextInstruction(next);
	}
	return is_found;
}

/*
 * "asm volatile("" ::: "memory"); *lock = 0;" with a volatile lock is how code for x86 releases, and the barrier after
 * a load how it acquires: the compiler keeps the order, and so does the processor.
 */
static void see_barrier(LLVMValueRef at, LLVMTargetDataRef layout, struct access *found)
{
	bool is_load = found->kind == HEDDLE_ACCESS_READ;
	if (!has_barrier(at, layout, !is_load))
		return;
	found->kind = is_load ? HEDDLE_ACCESS_ATOMIC_READ : HEDDLE_ACCESS_ATOMIC_WRITE;
	found->order = is_load ? HEDDLE_ORDER_ACQUIRE : HEDDLE_ORDER_RELEASE;
	found->flags |= HEDDLE_SITE_ASSEMBLY;
}

static unsigned find_load_store(LLVMValueRef at, LLVMTargetDataRef layout, struct access *found)
{
	bool is_load = LLVMIsALoadInst(at);
	LLVMTypeRef type = LLVMTypeOf(is_load ? at : LLVMGetOperand(at, 0));
	*found = typed(LLVMGetOperand(at, is_load ? 0 : 1), type, is_load ? HEDDLE_ACCESS_READ : HEDDLE_ACCESS_WRITE,
		       layout);
	LLVMAtomicOrdering order = LLVMGetOrdering(at);
	if (order != LLVMAtomicOrderingNotAtomic)
		set_atomic(found, at, is_load ? HEDDLE_ACCESS_ATOMIC_READ : HEDDLE_ACCESS_ATOMIC_WRITE,
			   order_of(order));
	if (LLVMGetVolatile(at))
		found->flags |= HEDDLE_SITE_VOLATILE;
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (LLVMGetVolatile(at) && !access_is_atomic(found) && found->form == ACCESS_FIXED && found->size_bytes <= 8 &&
	    (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind))
		see_barrier(at, layout, found);
	return 1;
}

static unsigned find_update(LLVMValueRef at, LLVMTargetDataRef layout, struct access *found)
{
	*found = typed(LLVMGetOperand(at, 0), LLVMTypeOf(LLVMGetOperand(at, 1)), HEDDLE_ACCESS_ATOMIC_UPDATE, layout);
	if (LLVMIsAAtomicCmpXchgInst(at)) {
		uint8_t failure = order_of(LLVMGetCmpXchgFailureOrdering(at));
		set_atomic(found, at, HEDDLE_ACCESS_ATOMIC_EXCHANGE,
			   (uint8_t)(order_of(LLVMGetCmpXchgSuccessOrdering(at)) | failure << 4));
	} else {
		set_atomic(found, at, HEDDLE_ACCESS_ATOMIC_UPDATE, order_of(LLVMGetOrdering(at)));
	}
	if (LLVMGetVolatile(at))
		found->flags |= HEDDLE_SITE_VOLATILE;
	return 1;
}

/* A fence against a signal handler of the same thread orders nothing between threads. */
static unsigned find_fence(LLVMValueRef at, struct access *found)
{
	if (LLVMIsAtomicSingleThread(at))
		return 0;
	*found = (struct access){ .form = ACCESS_FENCE,
				  .kind = HEDDLE_ACCESS_FENCE,
				  .order = order_of(LLVMGetOrdering(at)) };
	return 1;
}

/* ---- functions that are known to copy or fill memory ---- */

struct copier {
	const char *name;
	signed char to, from, length; /* argument numbers; -1: none */
};

static const struct copier copiers[] = {
	{ "memcpy", 0, 1, 2 },        { "memmove", 0, 1, 2 },       { "mempcpy", 0, 1, 2 },
	{ "memset", 0, -1, 2 },       { "__memcpy_chk", 0, 1, 2 },  { "__memmove_chk", 0, 1, 2 },
	{ "__mempcpy_chk", 0, 1, 2 }, { "__memset_chk", 0, -1, 2 }, { "bcopy", 1, 0, 2 },
	{ "bzero", 0, -1, 1 },
};

static unsigned find_copy(LLVMValueRef call, const struct copier *copier, struct access *found)
{
	unsigned count = 0;
	LLVMValueRef length = LLVMGetOperand(call, (unsigned)copier->length);
	if (LLVMIsAConstantInt(length) && LLVMConstIntGetZExtValue(length) == 0)
		return 0;
	if (copier->from >= 0)
		found[count++] = range(LLVMGetOperand(call, (unsigned)copier->from), length, HEDDLE_ACCESS_READ,
				       HEDDLE_SITE_MEMORY_INTRINSIC);
	found[count++] = range(LLVMGetOperand(call, (unsigned)copier->to), length, HEDDLE_ACCESS_WRITE,
			       HEDDLE_SITE_MEMORY_INTRINSIC);
	return count;
}

/* ---- functions of strings: how far they go is known to them alone, but the first byte is certain ---- */

struct stringer {
	const char *name;
	unsigned char reads, writes; /* bits for arguments whose first byte is */
	signed char length;          /* the argument that must not be 0; -1: none */
};

/* Their names are reserved (C11 7.1.3 and 7.31), so what has such a name is the function or does the same. */
static const struct stringer stringers[] = {
	{ "strlen", 1, 0, -1 },
	{ "strcmp", 3, 0, -1 },
	{ "strcasecmp", 3, 0, -1 },
	{ "strncmp", 3, 0, 2 },
	{ "strncasecmp", 3, 0, 2 },
	{ "memcmp", 3, 0, 2 },
	{ "bcmp", 3, 0, 2 },
	{ "memchr", 1, 0, 2 },
	{ "strnlen", 1, 0, 1 },
	{ "strcpy", 2, 1, -1 },
	{ "stpcpy", 2, 1, -1 },
	{ "__strcpy_chk", 2, 1, -1 },
	{ "__stpcpy_chk", 2, 1, -1 },
	{ "strncpy", 2, 1, 2 },
	{ "__strncpy_chk", 2, 1, 2 },
	{ "strcat", 3, 0, -1 },
	{ "__strcat_chk", 3, 0, -1 },
	{ "strncat", 3, 0, 2 },
	{ "strchr", 1, 0, -1 },
	{ "strrchr", 1, 0, -1 },
	{ "strdup", 1, 0, -1 },
	{ "strndup", 1, 0, 1 },
	{ "strtol", 1, 0, -1 },
	{ "strtoul", 1, 0, -1 },
	{ "strtoll", 1, 0, -1 },
	{ "strtoull", 1, 0, -1 },
	{ "strtod", 1, 0, -1 },
	{ "__isoc23_strtol", 1, 0, -1 },
	{ "__isoc23_strtoul", 1, 0, -1 },
	{ "__isoc23_strtoll", 1, 0, -1 },
	{ "__isoc23_strtoull", 1, 0, -1 },
	{ "atoi", 1, 0, -1 },
	{ "atol", 1, 0, -1 },
	{ "atoll", 1, 0, -1 },
	{ "atof", 1, 0, -1 },
	{ "puts", 1, 0, -1 },
	{ "fputs", 1, 0, -1 },
};

static bool is_constant(LLVMValueRef pointer)
{
	return LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer);
}

static unsigned find_string(LLVMValueRef call, const struct stringer *stringer, struct access *found)
{
	LLVMValueRef one = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call))), 1, 0);
	unsigned count = 0;
	if (stringer->length >= 0) {
		LLVMValueRef length = LLVMGetOperand(call, (unsigned)stringer->length);
		if (!LLVMIsAConstantInt(length) || LLVMConstIntGetZExtValue(length) == 0)
			return 0;
	}
	/* The write comes last: until the next access it is observed as being made. */
	for (unsigned i = 0; i < 4; i++) {
		unsigned argument = i % 2, is_write = i / 2;
		LLVMValueRef pointer = argument < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, argument) : NULL;
		if (!((is_write ? stringer->writes : stringer->reads) >> argument & 1) || !pointer ||
		    is_constant(pointer) || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
			continue;
		found[count++] = range(pointer, one, is_write ? HEDDLE_ACCESS_WRITE : HEDDLE_ACCESS_READ,
				       HEDDLE_SITE_MEMORY_INTRINSIC);
	}
	return count;
}

/* ---- atomic operations that are calls into libatomic ---- */

static uint8_t order_argument(LLVMValueRef call, unsigned index)
{
	static const uint8_t orders[] = { HEDDLE_ORDER_RELAXED, HEDDLE_ORDER_ACQUIRE, HEDDLE_ORDER_ACQUIRE,
					  HEDDLE_ORDER_RELEASE, HEDDLE_ORDER_ACQ_REL, HEDDLE_ORDER_SEQ_CST };
	LLVMValueRef value = LLVMGetOperand(call, index);
	uint64_t number = LLVMIsAConstantInt(value) ? LLVMConstIntGetZExtValue(value) & 0xff : 5;
	return number < sizeof orders ? orders[number] : HEDDLE_ORDER_SEQ_CST;
}

/* __atomic_NAME_N(pointer, ..., order) and __atomic_NAME(size, pointer, ..., order); compare_exchange has two orders. The
 * second form has its values in memory too, and compare_exchange what it expects. */
static unsigned find_libatomic(LLVMValueRef call, const char *name, struct access *found, bool *is_opaque)
{
	const char *operation = name + strlen("__atomic_");
	const char *last = strrchr(operation, '_');
	uint64_t size = last ? strtoull(last + 1, NULL, 10) : 0;
	unsigned count = LLVMGetNumArgOperands(call), first = size ? 0 : 1;
	if (count < first + 2) {
		*is_opaque = true;
		return 0;
	}
	*found = (struct access){ .pointer = LLVMGetOperand(call, first), .size_bytes = size };
	if (!size && LLVMIsAConstantInt(LLVMGetOperand(call, 0)))
		found->size_bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0));
	found->order = order_argument(call, count - 1);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
	LLVMValueRef length = size ? LLVMConstInt(i64, size, 0) : LLVMGetOperand(call, 0);
	LLVMValueRef second = LLVMGetOperand(call, first + 1),
		     third = LLVMGetOperand(call, first + 2 < count ? first + 2 : first);
	unsigned more = 1;
	if (word_begins_with(operation, "load")) {
		found->kind = HEDDLE_ACCESS_ATOMIC_READ;
		if (!size)
			found[more++] = range(second, length, HEDDLE_ACCESS_WRITE, 0);
	} else if (word_begins_with(operation, "store")) {
		found->kind = HEDDLE_ACCESS_ATOMIC_WRITE;
		if (!size)
			found[more++] = range(second, length, HEDDLE_ACCESS_READ, 0);
	} else if (word_begins_with(operation, "compare_exchange")) {
		found->kind = HEDDLE_ACCESS_ATOMIC_EXCHANGE;
		found->order = (uint8_t)(order_argument(call, count - 2) | order_argument(call, count - 1) << 4);
		/* What was expected is written too when it was not found; only the read is certain. */
		found[more++] = range(second, length, HEDDLE_ACCESS_READ, 0);
		if (!size)
			found[more++] = range(third, length, HEDDLE_ACCESS_READ, 0);
	} else if (word_begins_with(operation, "exchange")) {
		found->kind = HEDDLE_ACCESS_ATOMIC_UPDATE;
		if (!size) {
			found[more++] = range(second, length, HEDDLE_ACCESS_READ, 0);
			found[more++] = range(third, length, HEDDLE_ACCESS_WRITE, 0);
		}
	} else if (word_begins_with(operation, "fetch_") || strstr(operation, "_fetch")) {
		found->kind = HEDDLE_ACCESS_ATOMIC_UPDATE;
	} else {
		*is_opaque = true;
		return 0;
	}
	return more;
}

/* ---- intrinsics ---- */

static LLVMTypeRef element_of(LLVMValueRef vector)
{
	return LLVMGetElementType(LLVMTypeOf(vector));
}

static struct access under_mask(LLVMValueRef pointer, LLVMValueRef mask, LLVMTypeRef element, enum access_form form,
				uint8_t kind, LLVMTargetDataRef layout)
{
	return (struct access){ .pointer = pointer,
				.mask = mask,
				.form = form,
				.kind = kind,
				.size_bytes = LLVMStoreSizeOfType(layout, element),
				.flags = HEDDLE_SITE_MASKED | HEDDLE_SITE_VECTOR };
}

static unsigned find_va_list(LLVMValueRef call, const char *name, struct access *found)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
	LLVMValueRef size = LLVMConstInt(i64, 24, 0); /* va_list of the x86-64 psABI, section 3.5.7 */
	unsigned count = 0;
	if (word_begins_with(name, "llvm.va_copy"))
		found[count++] = range(LLVMGetOperand(call, 1), size, HEDDLE_ACCESS_READ, HEDDLE_SITE_VA_ARG);
	if (!word_begins_with(name, "llvm.va_end"))
		found[count++] = range(LLVMGetOperand(call, 0), size, HEDDLE_ACCESS_WRITE, HEDDLE_SITE_VA_ARG);
	return count;
}

static bool takes_pointer(LLVMValueRef call)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) == LLVMPointerTypeKind)
			return true;
	return false;
}

/* Intrinsics that take pointers and access nothing that is the program's. */
static bool is_harmless(const char *name)
{
	static const char *const names[] = { "llvm.dbg.",
					     "llvm.lifetime.",
					     "llvm.invariant.",
					     "llvm.assume",
					     "llvm.prefetch",
					     "llvm.objectsize",
					     "llvm.threadlocal.address",
					     "llvm.ptrmask",
					     "llvm.launder.",
					     "llvm.strip.",
					     "llvm.eh.",
					     "llvm.ptr.annotation",
					     "llvm.var.annotation",
					     "llvm.annotation",
					     "llvm.stackrestore",
					     "llvm.is.constant",
					     "llvm.expect",
					     "llvm.type.",
					     "llvm.load.relative",
					     "llvm.experimental.noalias",
					     "llvm.instrprof.",
					     "llvm.localescape",
					     "llvm.allow.",
					     NULL };
	return word_begins_with_any(name, names);
}

static unsigned find_intrinsic(LLVMValueRef call, const char *name, LLVMTargetDataRef layout, struct access *found,
			       bool *is_opaque)
{
	static const struct copier copy = { "", 0, 1, 2 }, fill = { "", 0, -1, 2 };
	if (word_begins_with(name, "llvm.memcpy") || word_begins_with(name, "llvm.memmove"))
		return find_copy(call, &copy, found);
	if (word_begins_with(name, "llvm.memset"))
		return find_copy(call, &fill, found);
	if (word_begins_with(name, "llvm.va_"))
		return find_va_list(call, name, found);
	LLVMValueRef op0 = LLVMGetNumArgOperands(call) > 0 ? LLVMGetOperand(call, 0) : NULL;
	if (word_begins_with(name, "llvm.masked.load"))
		*found = under_mask(op0, LLVMGetOperand(call, 2), element_of(call), ACCESS_MASKED, HEDDLE_ACCESS_READ,
				    layout);
	else if (word_begins_with(name, "llvm.masked.store"))
		*found = under_mask(LLVMGetOperand(call, 1), LLVMGetOperand(call, 3), element_of(op0), ACCESS_MASKED,
				    HEDDLE_ACCESS_WRITE, layout);
	else if (word_begins_with(name, "llvm.masked.gather"))
		*found = under_mask(op0, LLVMGetOperand(call, 2), element_of(call), ACCESS_GATHERED, HEDDLE_ACCESS_READ,
				    layout);
	else if (word_begins_with(name, "llvm.masked.scatter"))
		*found = under_mask(LLVMGetOperand(call, 1), LLVMGetOperand(call, 3), element_of(op0), ACCESS_GATHERED,
				    HEDDLE_ACCESS_WRITE, layout);
	else if (word_begins_with(name, "llvm.masked.expandload"))
		*found = under_mask(op0, LLVMGetOperand(call, 1), element_of(call), ACCESS_PACKED, HEDDLE_ACCESS_READ,
				    layout);
	else if (word_begins_with(name, "llvm.masked.compressstore"))
		*found = under_mask(LLVMGetOperand(call, 1), LLVMGetOperand(call, 2), element_of(op0), ACCESS_PACKED,
				    HEDDLE_ACCESS_WRITE, layout);
	else {
		*is_opaque |= takes_pointer(call) && !is_harmless(name);
		return 0;
	}
	return 1;
}

/* A structure passed by value is copied by the caller. */
static unsigned find_by_value(LLVMValueRef call, LLVMTargetDataRef layout, struct access *found, bool *is_opaque)
{
	static unsigned byval;
	if (!byval)
		byval = LLVMGetEnumAttributeKindForName("byval", 5);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
	unsigned count = 0;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, i + 1, byval);
		if (!attribute)
			continue;
		if (count == ACCESS_MAX) {
			*is_opaque = true;
			break;
		}
		uint64_t size = LLVMABISizeOfType(layout, LLVMGetTypeAttributeValue(attribute));
		if (size)
			found[count++] = range(LLVMGetOperand(call, i), LLVMConstInt(i64, size, 0), HEDDLE_ACCESS_READ,
					       HEDDLE_SITE_ARGUMENT_COPY);
	}
	return count;
}

/* ---- inline assembly ---- */

bool access_is_elsewhere(const struct access *access)
{
	return access->displacement || access->index;
}

/* The type of output number index of those in registers: several are a structure. */
static LLVMTypeRef result_type(LLVMValueRef call, unsigned index)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return type;
	return index < LLVMCountStructElementTypes(type) ? LLVMStructGetTypeAtIndex(type, index) : NULL;
}

static LLVMTypeRef pointed_type(LLVMValueRef call, unsigned argument)
{
	static unsigned elementtype;
	if (!elementtype)
		elementtype = LLVMGetEnumAttributeKindForName("elementtype", 11);
	LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, argument + 1, elementtype);
	return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

void access_read_assembly(LLVMValueRef call, LLVMTargetDataRef layout, struct assembly *assembly)
{
	LLVMValueRef code = LLVMGetCalledValue(call);
	size_t size;
	const char *constraints = LLVMGetInlineAsmConstraintString(code, &size);
	if (!assembly_operands(assembly, constraints, size)) {
		assembly->is_opaque = true;
		return;
	}
	unsigned results = 0;
	for (unsigned i = 0; i < assembly->operand_count; i++) {
		struct assembly_operand *operand = &assembly->operands[i];
		LLVMTypeRef type = NULL;
		if (operand->is_memory)
			type = pointed_type(call, (unsigned)operand->argument);
		else if (operand->argument >= 0)
			type = LLVMTypeOf(LLVMGetOperand(call, (unsigned)operand->argument));
		else if (operand->is_output)
			type = result_type(call, results++);
		if (type && LLVMGetTypeKind(type) != LLVMVoidTypeKind && LLVMTypeIsSized(type))
			operand->size_bytes = (uint32_t)LLVMStoreSizeOfType(layout, type);
	}
	const char *text = LLVMGetInlineAsmAsmString(code, &size);
	assembly_read(assembly, text, size, LLVMGetInlineAsmDialect(code) == LLVMInlineAsmDialectIntel,
		      LLVMGetInlineAsmHasSideEffects(code));
}

/* An address that went through a number is still one. */
static LLVMValueRef as_pointer(LLVMValueRef value)
{
	while (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind &&
	       (LLVMIsAPtrToIntInst(value) ||
		(LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMPtrToInt)))
		value = LLVMGetOperand(value, 0);
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind ? value : NULL;
}

static bool take_access(LLVMValueRef call, const struct assembly_access *from, struct access *access)
{
	*access = (struct access){ .kind = from->kind,
				   .order = from->order,
				   .flags = HEDDLE_SITE_ASSEMBLY,
				   .size_bytes = from->size_bytes,
				   .displacement = from->displacement };
	if (from->kind == HEDDLE_ACCESS_FENCE) {
		access->form = ACCESS_FENCE;
		return true;
	}
	access->pointer = as_pointer(LLVMGetOperand(call, (unsigned)from->argument));
	if (!access->pointer)
		return false;
	if (!is_hook_size(from->size_bytes)) {
		access->form = ACCESS_RANGE;
		access->flags |= HEDDLE_SITE_RANGE;
	}
	if (from->index_argument >= 0) {
		access->index = LLVMGetOperand(call, (unsigned)from->index_argument);
		access->index_shift = from->index_shift;
		access->scale = from->scale;
		if (LLVMGetTypeKind(LLVMTypeOf(access->index)) != LLVMIntegerTypeKind)
			return false;
	}
	if (from->expected_argument >= 0)
		access->expected = LLVMGetOperand(call, (unsigned)from->expected_argument);
	return true;
}

static unsigned find_assembly(LLVMValueRef call, LLVMTargetDataRef layout, struct access *found, bool *is_opaque)
{
	struct assembly assembly;
	unsigned count = 0;
	access_read_assembly(call, layout, &assembly);
	*is_opaque |= assembly.is_opaque;
	for (unsigned i = 0; i < assembly.access_count; i++) {
		if (take_access(call, &assembly.accesses[i], &found[count]))
			count++;
		else
			*is_opaque = true;
	}
	/* The first atomic one stands for a loop. Only of a call can the text be changed. */
	unsigned first = 0;
	while (first < count && (!access_is_atomic(&found[first]) || !found[first].pointer))
		first++;
	if (assembly.jump_count && first < count && LLVMIsACallInst(call))
		found[first].flags |= HEDDLE_SITE_LOOP;
	else
		*is_opaque |= assembly.jump_count != 0;
	if (*is_opaque && count < ACCESS_MAX)
		found[count++] = (struct access){ .form = ACCESS_OPAQUE,
						  .kind = HEDDLE_ACCESS_OPAQUE,
						  .flags = HEDDLE_SITE_ASSEMBLY };
	return count;
}

static unsigned find_call(LLVMValueRef call, LLVMTargetDataRef layout, struct access *found, bool *is_opaque)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAInlineAsm(callee))
		return find_assembly(call, layout, found, is_opaque);
	size_t size;
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &size) : "";
	if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee))
		return find_intrinsic(call, name, layout, found, is_opaque);
	unsigned count = find_by_value(call, layout, found, is_opaque);
	if (count || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
		return count;
	if (word_begins_with(name, "__atomic_")) {
		/* There must be a place after the call for the second half of the bracket. */
		bool has_place = LLVMIsACallInst(call) && LLVMGetTailCallKind(call) != LLVMTailCallKindMustTail;
		*is_opaque |= !has_place;
		return has_place ? find_libatomic(call, name, found, is_opaque) : 0;
	}
	for (size_t i = 0; i < sizeof copiers / sizeof *copiers; i++)
		if (strcmp(name, copiers[i].name) == 0 && LLVMGetNumArgOperands(call) > (unsigned)copiers[i].length)
			return find_copy(call, &copiers[i], found);
	for (size_t i = 0; i < sizeof stringers / sizeof *stringers; i++)
		if (strcmp(name, stringers[i].name) == 0 && (int)LLVMGetNumArgOperands(call) > stringers[i].length)
			return find_string(call, &stringers[i], found);
	return 0;
}

unsigned access_find(LLVMValueRef instruction, LLVMTargetDataRef layout, struct access found[ACCESS_MAX],
		     bool *is_opaque)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad:
	case LLVMStore:
		return find_load_store(instruction, layout, found);
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return find_update(instruction, layout, found);
	case LLVMFence:
		return find_fence(instruction, found);
	case LLVMVAArg: {
		LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(instruction)));
		LLVMValueRef size = LLVMConstInt(i64, 24, 0);
		found[0] = range(LLVMGetOperand(instruction, 0), size, HEDDLE_ACCESS_READ, HEDDLE_SITE_VA_ARG);
		found[1] = range(LLVMGetOperand(instruction, 0), size, HEDDLE_ACCESS_WRITE, HEDDLE_SITE_VA_ARG);
		return 2;
	}
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		return find_call(instruction, layout, found, is_opaque);
	default:
		return 0;
	}
}
