/* instrument.c: see instrument.h. */
#include "ir/instrument.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/sync_call.h"
#include "heddle/abi.h"
#include "ir/access.h"
#include "ir/address.h"
#include "ir/debug.h"
#include "ir/module.h"

void instrument_init(struct instrument *instrument, LLVMModuleRef module, LLVMTargetDataRef layout)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	*instrument = (struct instrument){ .module = module, .layout = layout };
	instrument->builder = LLVMCreateBuilderInContext(context);
	instrument->pointer = LLVMPointerTypeInContext(context, 0);
	instrument->i32 = LLVMInt32TypeInContext(context);
	instrument->i64 = LLVMInt64TypeInContext(context);
	instrument->void_type = LLVMVoidTypeInContext(context);
	/* Other code models have data that is more than 32 bits away. */
	instrument->is_small = module_flag(module, "Code Model", 1) == 1;
	/* -fPIC without -fPIE: code goes through the global offset table for what other objects may define too. */
	instrument->is_replaceable = module_flag(module, "PIC Level", 0) && !module_flag(module, "PIE Level", 0);
	instrument->invariant_kind = LLVMGetMDKindIDInContext(context, "invariant.load", 14);
}

void instrument_release(struct instrument *instrument)
{
	LLVMDisposeBuilder(instrument->builder);
}

static unsigned space_of(LLVMValueRef pointer)
{
	LLVMTypeRef type = LLVMTypeOf(pointer);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetPointerAddressSpace(type);
}

/* Hooks take addresses of the default address space. Those relative to fs, gs and ss (address spaces 256 to 258) are of
 * the thread's own memory; others are opaque. */
static bool is_default_space(LLVMValueRef pointer)
{
	return space_of(pointer) == 0;
}

static bool is_strange(const struct access *access)
{
	return access->pointer && (space_of(access->pointer) < 256 || space_of(access->pointer) > 258) &&
	       !is_default_space(access->pointer);
}

/* Whether the address of this variable is a link-time distance away: it is in this object and cannot be replaced by
 * another object's. */
static bool is_reachable_variable(const struct instrument *instrument, LLVMValueRef value)
{
	if (!LLVMIsAGlobalVariable(value) || LLVMIsThreadLocal(value) || !instrument->is_small)
		return false;
	const char *name = module_symbol(value);
	if (name[strcspn(name, "\"\\\n")])
		return false; /* the assembler would read it differently */
	LLVMLinkage linkage = LLVMGetLinkage(value);
	if (linkage == LLVMExternalWeakLinkage || linkage == LLVMAvailableExternallyLinkage)
		return false;
	if (module_is_local(value))
		return true;
	if (LLVMIsDeclaration(value))
		return LLVMGetVisibility(value) == LLVMHiddenVisibility;
	return !instrument->is_replaceable || LLVMGetVisibility(value) != LLVMDefaultVisibility;
}

/* A hook with arguments: a call of the stub of that number (rt/woven.c). It leaves every register but r11 as it was. */
static LLVMValueRef call_hook(struct instrument *instrument, unsigned hook, LLVMValueRef *args, unsigned count)
{
	LLVMTypeRef types[4];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(args[i]);
	LLVMTypeRef type = LLVMFunctionType(instrument->void_type, types, count, 0);
	char name[32];
	snprintf(name, sizeof name, "__heddle_call_%u", hook);
	LLVMValueRef stub = LLVMGetNamedFunction(instrument->module, name);
	if (!stub) {
		stub = LLVMAddFunction(instrument->module, name, type);
		LLVMSetVisibility(stub, LLVMHiddenVisibility);
		LLVMSetFunctionCallConv(stub, LLVMPreserveAllCallConv);
	}
	LLVMValueRef call = LLVMBuildCall2(instrument->builder, type, stub, args, count, "");
	LLVMSetInstructionCallConv(call, LLVMPreserveAllCallConv);
	return call;
}

/* pointer = the value returned + *offset, as far as constant address arithmetic goes. */
static LLVMValueRef strip_constant_offset(struct instrument *instrument, LLVMValueRef pointer, int64_t *offset)
{
	LLVMValueRef back;
	*offset = 0;
	while ((back = address_step_back(pointer)) && is_default_space(back)) {
		int64_t total = *offset;
		uint64_t stride = 0;
		address_add_step(instrument->layout, pointer, &total, &stride);
		if (stride || total != (int32_t)total)
			break;
		*offset = total;
		pointer = back;
	}
	return pointer;
}

/*
 * The common hook, five bytes of code: a call of the stub for the register that holds the base of the address. The rest
 * of what the hook must know, the site and the distance from the base to the access, is found by the return address in
 * a table (struct heddle_call). No register but r10 and r11 changes, so the code around it stays as it was. The compiler does not
 * know that there is a call, hence noredzone on clones; stubs do not rely on the stack's alignment. In Intel's dialect a
 * register is written without a sign, so that it can be part of the stub's name; but so is a variable, which may be called
 * "ch" or "dx", so the form that names a variable is in the other dialect.
 */
static void call_stub(struct instrument *instrument, const struct access *access, LLVMValueRef site)
{
	int64_t offset;
	LLVMValueRef base = strip_constant_offset(instrument, access->pointer, &offset);
	bool is_fixed = access->flags & HEDDLE_SITE_FIXED;
	char text[320];
	int size = snprintf(text, sizeof text,
			    "call __heddle_%c%d_%s\n.Lheddle${:uid}:\n\t.pushsection " HEDDLE_SECTION_CALLS
			    ",\"aR\",@progbits\n"
			    "\t.long .Lheddle${:uid} - ., ${1:c} - ., %s\n\t.popsection",
			    access->kind == HEDDLE_ACCESS_WRITE ? 'w' : 'r', __builtin_ctzll(access->size_bytes),
			    is_fixed ? "fixed" : "$0", is_fixed ? "${0:c} - ." : "${2:c}");
	static const char by_register[] = "r,i,i,~{r10},~{r11},~{memory},~{flags}";
	static const char by_name[] = "i,i,~{r10},~{r11},~{memory},~{flags}";
	const char *constraints = is_fixed ? by_name : by_register;
	LLVMTypeRef types[] = { instrument->pointer, instrument->pointer, instrument->i64 };
	LLVMTypeRef type = LLVMFunctionType(instrument->void_type, types, is_fixed ? 2 : 3, 0);
	LLVMValueRef code = LLVMGetInlineAsm(type, text, (size_t)size, constraints, strlen(constraints), 1, 0,
					     is_fixed ? LLVMInlineAsmDialectATT : LLVMInlineAsmDialectIntel, 0);
	LLVMValueRef args[] = { is_fixed ? access->pointer : base, site,
				LLVMConstInt(instrument->i64, (uint64_t)offset, 1) };
	LLVMBuildCall2(instrument->builder, type, code, args, is_fixed ? 2 : 3, "");
}

/* A vector of bits as a number of that many bits. */
static LLVMValueRef mask_bits(struct instrument *instrument, LLVMValueRef mask)
{
	LLVMContextRef context = LLVMGetModuleContext(instrument->module);
	LLVMTypeRef bits = LLVMIntTypeInContext(context, LLVMGetVectorSize(LLVMTypeOf(mask)));
	return LLVMBuildBitCast(instrument->builder, mask, bits, "");
}

/* 64 lanes of a mask, from number first on. */
static LLVMValueRef lanes_from(struct instrument *instrument, LLVMValueRef bits, unsigned first)
{
	LLVMBuilderRef builder = instrument->builder;
	if (first)
		bits = LLVMBuildLShr(builder, bits, LLVMConstInt(LLVMTypeOf(bits), first, 0), "");
	return LLVMBuildIntCast2(builder, bits, instrument->i64, 0, "");
}

static LLVMValueRef bits_set(struct instrument *instrument, LLVMValueRef number)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.ctpop", 10);
	LLVMTypeRef of = LLVMTypeOf(number);
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(instrument->module, id, &of, 1);
	LLVMTypeRef type = LLVMIntrinsicGetType(LLVMGetModuleContext(instrument->module), id, &of, 1);
	LLVMValueRef count = LLVMBuildCall2(instrument->builder, type, function, &number, 1, "");
	return LLVMBuildIntCast2(instrument->builder, count, instrument->i64, 0, "");
}

/* The hook takes 64 lanes at a time. */
static void call_masked(struct instrument *instrument, const struct access *access, unsigned hook, LLVMValueRef site)
{
	unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(access->mask));
	LLVMValueRef bits = mask_bits(instrument, access->mask);
	LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetModuleContext(instrument->module));
	for (unsigned first = 0; first < lanes; first += 64) {
		LLVMValueRef offset = LLVMConstInt(instrument->i64, first * access->size_bytes, 0),
			     address = access->pointer;
		if (first)
			address = LLVMBuildGEP2(instrument->builder, i8, address, &offset, 1, "");
		LLVMValueRef args[] = { address, lanes_from(instrument, bits, first), site };
		call_hook(instrument, hook, args, 3);
	}
}

/* Each pointer of the vector is a range of one element, or of no bytes when its bit is clear. */
static void call_gathered(struct instrument *instrument, const struct access *access, unsigned hook, LLVMValueRef site)
{
	unsigned count = LLVMGetVectorSize(LLVMTypeOf(access->pointer));
	LLVMValueRef size = LLVMConstInt(instrument->i64, access->size_bytes, 0),
		     none = LLVMConstInt(instrument->i64, 0, 0);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef lane = LLVMConstInt(instrument->i32, i, 0);
		LLVMValueRef bit = LLVMBuildExtractElement(instrument->builder, access->mask, lane, "");
		LLVMValueRef args[] = { LLVMBuildExtractElement(instrument->builder, access->pointer, lane, ""),
					LLVMBuildSelect(instrument->builder, bit, size, none, ""), site };
		call_hook(instrument, hook, args, 3);
	}
}

static void call_plain(struct instrument *instrument, const struct access *access, LLVMValueRef site)
{
	bool is_write = access->kind == HEDDLE_ACCESS_WRITE;
	unsigned range_hook = is_write ? HEDDLE_HOOK_WRITE_RANGE : HEDDLE_HOOK_READ_RANGE;
	LLVMValueRef size = LLVMConstInt(instrument->i64, access->size_bytes, 0);
	LLVMBuilderRef builder = instrument->builder;
	switch (access->form) {
	case ACCESS_FIXED:
		call_stub(instrument, access, site);
		break;
	case ACCESS_RANGE: {
		LLVMValueRef length =
			access->length ? LLVMBuildIntCast2(builder, access->length, instrument->i64, 0, "") : size;
		LLVMValueRef args[] = { access->pointer, length, site };
		call_hook(instrument, range_hook, args, 3);
		break;
	}
	case ACCESS_MASKED:
		call_masked(instrument, access, is_write ? HEDDLE_HOOK_WRITE_MASKED : HEDDLE_HOOK_READ_MASKED, site);
		break;
	case ACCESS_PACKED: {
		LLVMValueRef count = bits_set(instrument, mask_bits(instrument, access->mask));
		LLVMValueRef args[] = { access->pointer, LLVMBuildMul(builder, count, size, ""), site };
		call_hook(instrument, range_hook, args, 3);
		break;
	}
	case ACCESS_GATHERED:
		call_gathered(instrument, access, range_hook, site);
		break;
	case ACCESS_FENCE:
	case ACCESS_OPAQUE:
		break;
	}
}

/* The address of an access by inline assembly, which may be at a distance from what the statement was given. */
static LLVMValueRef address_of(struct instrument *instrument, const struct access *access)
{
	LLVMBuilderRef builder = instrument->builder;
	LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetModuleContext(instrument->module));
	LLVMValueRef distance = LLVMConstInt(instrument->i64, (uint64_t)access->displacement, 1);
	if (access->index) {
		LLVMValueRef index = LLVMBuildIntCast2(builder, access->index, instrument->i64, 1, "");
		index = LLVMBuildAShr(builder, index, LLVMConstInt(instrument->i64, access->index_shift, 0), "");
		index = LLVMBuildMul(builder, index, LLVMConstInt(instrument->i64, access->scale, 0), "");
		distance = LLVMBuildAdd(builder, index, distance, "");
	}
	return LLVMBuildGEP2(builder, i8, access->pointer, &distance, 1, "");
}

/* What is in memory, as a number; for a compare and exchange of inline assembly. */
static LLVMValueRef build_look(struct instrument *instrument, const struct access *access)
{
	LLVMTypeRef type =
		LLVMIntTypeInContext(LLVMGetModuleContext(instrument->module), (unsigned)access->size_bytes * 8);
	LLVMValueRef look = LLVMBuildLoad2(instrument->builder, type, access->pointer, "");
	LLVMSetAlignment(look, 1);
	LLVMSetVolatile(look, 1);
	return look;
}

/* Whether a compare and exchange of inline assembly wrote: it found what it had to, or else the memory changed. */
static LLVMValueRef build_is_done(struct instrument *instrument, const struct access *access, LLVMValueRef before)
{
	LLVMBuilderRef builder = instrument->builder;
	LLVMTypeRef type = LLVMTypeOf(before);
	LLVMValueRef is_done, expected = access->expected;
	LLVMTypeKind kind = expected ? LLVMGetTypeKind(LLVMTypeOf(expected)) : LLVMVoidTypeKind;
	if (kind == LLVMPointerTypeKind)
		expected = LLVMBuildPtrToInt(builder, expected, type, "");
	if (kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind)
		is_done = LLVMBuildICmp(builder, LLVMIntEQ, before, LLVMBuildIntCast2(builder, expected, type, 0, ""),
					"");
	else
		is_done = LLVMBuildICmp(builder, LLVMIntNE, before, build_look(instrument, access), "");
	return LLVMBuildZExt(builder, is_done, instrument->i32, "");
}

/* begin, the access itself, end. Several accesses of inline assembly end in the order in which they began; *last is
 * where. A statement that ends its block has no place after it: everything is announced before it, which is the same to
 * threads that run one at a time. */
static void call_atomic(struct instrument *instrument, LLVMValueRef instruction, const struct access *access,
			LLVMValueRef site, LLVMValueRef *last)
{
	LLVMValueRef address = access->pointer ? access->pointer : LLVMConstNull(instrument->pointer);
	LLVMValueRef begin[] = { address, site };
	bool is_exchange = access->kind == HEDDLE_ACCESS_ATOMIC_EXCHANGE;
	bool is_looked_at = is_exchange && access->flags & HEDDLE_SITE_ASSEMBLY;
	LLVMValueRef next = LLVMGetNextInstruction(*last ? *last : instruction);
	call_hook(instrument, HEDDLE_HOOK_ATOMIC_BEGIN, begin, 2);
	if (access->form == ACCESS_OPAQUE)
		return;
	LLVMValueRef before = is_looked_at ? build_look(instrument, access) : NULL;
	if (next)
		LLVMPositionBuilderBefore(instrument->builder, next);
	LLVMSetCurrentDebugLocation2(instrument->builder, LLVMInstructionGetDebugLoc(instruction));
	LLVMValueRef is_done = LLVMConstInt(instrument->i32, 1, 0);
	if (LLVMIsAAtomicCmpXchgInst(instruction))
		is_done = LLVMBuildZExt(instrument->builder,
					LLVMBuildExtractValue(instrument->builder, instruction, 1, ""), instrument->i32,
					"");
	else if (is_looked_at)
		is_done = next || access->expected ? build_is_done(instrument, access, before) : is_done;
	else if (is_exchange && LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMIntegerTypeKind)
		is_done = LLVMBuildIntCast2(instrument->builder, instruction, instrument->i32, 0, "");
	LLVMValueRef end[] = { address, site, is_done };
	LLVMValueRef call = call_hook(instrument, HEDDLE_HOOK_ATOMIC_END, end, 3);
	*last = next ? call : NULL;
}

static LLVMOpcode opcode_of(LLVMValueRef value)
{
	if (LLVMIsAInstruction(value))
		return LLVMGetInstructionOpcode(value);
	return LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value) : 0;
}

/* Whether the compiler added the access, to count. Where counters are in a file that is mapped (-fprofile-continuous), their distance
 * is added to the address as to a number. */
static bool is_counting(LLVMValueRef pointer)
{
	for (LLVMValueRef back = pointer; back;) {
		pointer = back;
		back = address_step_back(pointer);
		LLVMOpcode op = opcode_of(pointer);
		if (op == LLVMIntToPtr || op == LLVMPtrToInt)
			back = LLVMGetOperand(pointer, 0);
		else if (op == LLVMAdd)
			back = LLVMGetOperand(pointer, opcode_of(LLVMGetOperand(pointer, 0)) != LLVMPtrToInt);
	}
	return LLVMIsAGlobalVariable(pointer) && module_is_counter(pointer);
}

static bool is_skipped(struct instrument *instrument, LLVMValueRef instruction, const struct access *access)
{
	if (!access->pointer)
		return false;
	if (!is_default_space(access->pointer))
		return true;
	if (access->form == ACCESS_GATHERED)
		return false;
	if (LLVMIsALoadInst(instruction) && LLVMGetMetadata(instruction, instrument->invariant_kind))
		return true;
	return escape_is_private(instrument->escape, access->pointer) || is_counting(access->pointer);
}

enum instrument_fate instrument_fate(struct instrument *instrument, LLVMValueRef instruction,
				     const struct access *access)
{
	if (is_strange(access))
		return INSTRUMENT_STRANGE;
	return is_skipped(instrument, instruction, access) ? INSTRUMENT_SKIPPED : INSTRUMENT_SITE;
}

char *instrument_name(struct variable_names *names, LLVMValueRef instruction, const struct access *access)
{
	uint64_t size = access->form == ACCESS_RANGE && !access->size_bytes ? UINT64_MAX : access->size_bytes;
	if (!access->pointer || access->form == ACCESS_GATHERED || access_is_elsewhere(access))
		return NULL;
	return variable_name(names, instruction, access->pointer, size);
}

/* Whether the build says of the variable, or of the object that it is a part of, that one thread alone uses it. */
static bool is_promised(const struct instrument *instrument, const char *variable)
{
	for (char **name = instrument->promised; name && *name && variable; name++) {
		size_t size = strlen(*name) - 1;
		if (**name == '+' && strncmp(variable, *name + 1, size) == 0 &&
		    (!variable[size] || strchr(".[", variable[size])))
			return true;
	}
	return false;
}

static uint32_t proof_flags(enum proof_verdict verdict)
{
	static const uint32_t flags[] = {
		[PROOF_OPEN] = 0,
		[PROOF_ALONE] = HEDDLE_SITE_PROVED,
		[PROOF_UNSHARED] = HEDDLE_SITE_PROVED | HEDDLE_SITE_QUIET,
		[PROOF_ORDERED] = HEDDLE_SITE_PROVED | HEDDLE_SITE_QUIET | HEDDLE_SITE_SHARED,
		[PROOF_GUARDED] = HEDDLE_SITE_PROVED | HEDDLE_SITE_QUIET | HEDDLE_SITE_SHARED,
	};
	return flags[verdict];
}

/* locks: names of those that the proof rests on; may be null. */
static void instrument_access(struct instrument *instrument, LLVMValueRef instruction, struct access *access,
			      enum proof_verdict verdict, const char *locks, LLVMValueRef *last)
{
	char *variable = instrument_name(instrument->names, instruction, access);
	LLVMPositionBuilderBefore(instrument->builder, instruction);
	LLVMSetCurrentDebugLocation2(instrument->builder, LLVMInstructionGetDebugLoc(instruction));
	if (access_is_elsewhere(access))
		access->pointer = address_of(instrument, access);
	if (access->form == ACCESS_FIXED && !access_is_atomic(access)) {
		int64_t offset;
		if (is_reachable_variable(instrument, strip_constant_offset(instrument, access->pointer, &offset)))
			access->flags |= HEDDLE_SITE_FIXED;
	}
	if (access->pointer && variable_is_encoded(instrument->names, access->pointer))
		access->flags |= HEDDLE_SITE_ENCODED;
	if (is_promised(instrument, variable) && !access_is_atomic(access) && access->form != ACCESS_MASKED) {
		verdict = PROOF_ALONE;
		access->flags |= HEDDLE_SITE_PROMISED;
	}
	access->flags |= proof_flags(verdict);
	LLVMValueRef site = table_add_site(instrument->table, instruction, access, variable);
	if (access->form == ACCESS_FIXED && !access_is_atomic(access))
		table_set_uses(instrument->table, instruction);
	if (verdict == PROOF_GUARDED)
		table_set_locks(instrument->table, locks ? locks : "");
	if (access_is_atomic(access))
		call_atomic(instrument, instruction, access, site, last);
	else
		call_plain(instrument, access, site);
}

char *instrument_object_name(struct variable_names *names, const struct named *named)
{
	/* It is the smallest that the program knows, whatever it is in: what is inside of it has names that are cut off. */
	enum { SIZE_BYTES = 1 };
	char *name = named->pointer ? variable_object_name(names, named->where, named->pointer, SIZE_BYTES) : NULL;
	const bool is_own = name != NULL; /* what is "this" in a header is not so in the program */
	if (!name && named->pointer)
		name = variable_name(names, named->where, named->pointer, SIZE_BYTES);
	if (name && sync_call_cut_name(name) && (is_own || strncmp(name, "this", 4) != 0) &&
	    strncmp(name, "new()", 5) != 0 && strncmp(name, "new[]()", 7) != 0)
		return name;
	free(name);
	return NULL;
}

/* The caller of a C++ library function that locks is found by its frame pointer: see src/world/callers.h. */
static void keep_frame(LLVMValueRef function)
{
	static const char key[] = "frame-pointer", value[] = "all";
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateStringAttribute(context, key, sizeof key - 1, value, sizeof value - 1));
}

/* A record without a name says that there is something else in the line. Of a call that takes several locks none has one then. */
static void name_objects(struct instrument *instrument, LLVMValueRef function)
{
	bool has_calls = false;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
			struct named found[NAMED_MAX];
			char *names[NAMED_MAX];
			unsigned count = named_find(at, found);
			has_calls = has_calls || count;
			bool has_all[HEDDLE_NAMED_ONCE + 1];
			memset(has_all, true, sizeof has_all);
			for (unsigned i = 0; i < count; i++)
				if (!(names[i] = instrument_object_name(instrument->names, &found[i])))
					has_all[found[i].kind] = false;
			for (unsigned i = 0; i < count; i++) {
				struct access none = { .kind = HEDDLE_ACCESS_NONE,
						       .flags = HEDDLE_SITE_NAME,
						       .size_bytes = found[i].kind };
				if (!has_all[found[i].kind]) {
					free(names[i]);
					names[i] = NULL;
				}
				table_add_site(instrument->table, at, &none, names[i]);
			}
		}
	if (has_calls && LLVMGetSubprogram(function) && debug_is_of_system(LLVMGetSubprogram(function)))
		keep_frame(function);
}

static void note_flags(LLVMValueRef instruction, struct heddle_function *row)
{
	if (LLVMIsALandingPadInst(instruction))
		row->flags |= HEDDLE_FUNCTION_EXCEPTIONS;
	LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
	if (callee && LLVMIsAFunction(callee) && module_has_attribute(callee, "returns_twice"))
		row->flags |= HEDDLE_FUNCTION_RETURNS_TWICE;
}

/* What orders other accesses is announced whatever was proved of it. */
static enum proof_verdict verdict_of(const struct proof_function *proof, uint32_t number, const struct access *access)
{
	if (!proof || number >= proof->count || access_is_atomic(access))
		return PROOF_OPEN;
	return (enum proof_verdict)proof->verdicts[number];
}

static const char *locks_of(const struct proof_function *proof, uint32_t number)
{
	return proof && proof->locks && number < proof->count ? proof->locks[number] : NULL;
}

/* Lets inline assembly call a stub before it jumps back, so that it can wait for other threads. */
static void open_loop(struct instrument *instrument, LLVMValueRef call)
{
	static const char again[] = "call __heddle_again\n\t";
	LLVMValueRef code = LLVMGetCalledValue(call);
	struct assembly assembly;
	struct buf text = { 0 };
	size_t size, at = 0, constraints_size;
	access_read_assembly(call, instrument->layout, &assembly);
	const char *old = LLVMGetInlineAsmAsmString(code, &size);
	for (unsigned i = 0; i < assembly.jump_count; i++) {
		buf_add(&text, old + at, assembly.jumps[i] - at);
		buf_add_string(&text, again);
		at = assembly.jumps[i];
	}
	buf_add(&text, old + at, size - at);
	const char *constraints = LLVMGetInlineAsmConstraintString(code, &constraints_size);
	LLVMValueRef opened = LLVMGetInlineAsm(LLVMGetInlineAsmFunctionType(code), text.data, text.size, constraints,
					       constraints_size, LLVMGetInlineAsmHasSideEffects(code),
					       LLVMGetInlineAsmNeedsAlignedStack(code), LLVMGetInlineAsmDialect(code),
					       LLVMGetInlineAsmCanUnwind(code));
	/* The callee is the last operand. */
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, opened);
	buf_release(&text);
}

void instrument_function(struct instrument *instrument, LLVMValueRef function, const struct proof_function *proof,
			 struct heddle_function *row)
{
	variable_names_enter(instrument->names, function);
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
		row->flags |= HEDDLE_FUNCTION_VARARGS;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef next;
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = next) {
			next = LLVMGetNextInstruction(at);
			struct access found[ACCESS_MAX];
			bool is_opaque = false;
			unsigned count = access_find(at, instrument->layout, found, &is_opaque);
			LLVMValueRef last = NULL;
			row->asm_count += is_opaque;
			note_flags(at, row);
			for (unsigned i = 0; i < count; i++)
				if (found[i].flags & HEDDLE_SITE_LOOP)
					open_loop(instrument, at);
			for (unsigned i = 0; i < count; i++) {
				switch (instrument_fate(instrument, at, &found[i])) {
				case INSTRUMENT_STRANGE:
					row->asm_count++;
					break;
				case INSTRUMENT_SKIPPED:
					row->skipped_count++;
					break;
				case INSTRUMENT_SITE:
					instrument_access(instrument, at, &found[i],
							  verdict_of(proof, row->site_count, &found[i]),
							  locks_of(proof, row->site_count), &last);
					row->site_count++;
					break;
				}
			}
		}
	}
	name_objects(instrument, function);
	if (proof && proof->count != row->site_count)
		BUG("a proof about %u sites of \"%s\", which has %u", proof->count, module_symbol(function),
		    row->site_count);
}
