/*
 * variable.c: see variable.h. A place is a piece of memory with a name and a type; walk_type turns a byte offset into
 * the rest of the path.
 */
#include "ir/variable.h"

#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ir/address.h"
#include "ir/debug.h"
#include "ir/escape.h"
#include "ir/module.h"

enum { DEEPEST_PATH = 4, DEEPEST_TYPE = 16 };

/* Variables that hold one value; a value may have a name in each function inlined into each other. */
struct local {
	LLVMMetadataRef variable;
	struct local *next;
	bool is_slot; /* the value is where the variable is kept, not what it holds */
};

struct place {
	struct buf text;
	LLVMMetadataRef type; /* null when not known */
};

/* base + offset bytes, and, when stride is not 0, some multiple of it. */
struct address {
	LLVMValueRef base;
	int64_t offset;
	uint64_t stride;
};

static LLVMContextRef context_of(const struct variable_names *names)
{
	return LLVMGetModuleContext(names->module);
}

void variable_names_init(struct variable_names *names, LLVMModuleRef module, LLVMTargetDataRef layout)
{
	*names = (struct variable_names){ .module = module, .layout = layout };
	LLVMDIBuilderRef builder = LLVMCreateDIBuilderDisallowUnresolved(module);
	uint64_t deref = 0x06;                     /* DW_OP_deref */
	uint64_t first_word[] = { 0x1000, 0, 64 }; /* DW_OP_LLVM_fragment: bits */
	names->no_expression = LLVMDIBuilderCreateExpression(builder, NULL, 0);
	names->dereference = LLVMDIBuilderCreateExpression(builder, &deref, 1);
	names->first_word = LLVMDIBuilderCreateExpression(builder, first_word, 3);
	LLVMDisposeDIBuilder(builder);
	names->dbg_kind = LLVMGetMDKindIDInContext(context_of(names), "dbg", 3);
	names->tbaa_kind = LLVMGetMDKindIDInContext(context_of(names), "tbaa", 4);
}

static void forget_locals(struct variable_names *names)
{
	for (size_t i = 0; i < names->locals.room; i++)
		for (struct local *at = names->locals.slots[i].key ? names->locals.slots[i].value : NULL, *next; at;
		     at = next) {
			next = at->next;
			free(at);
		}
	ptrmap_release(&names->locals);
}

void variable_names_release(struct variable_names *names)
{
	forget_locals(names);
	map_release(&names->types);
}

/* What a smart pointer of the C++ library leads to, or a vector, whose first word is the pointer; null for other types. */
static LLVMMetadataRef smart_target(struct variable_names *names, LLVMMetadataRef type)
{
	LLVMContextRef context = context_of(names);
	type = debug_bare_type(context, type);
	const char *name = debug_type_tag(type) == DEBUG_CLASS ? debug_string(context, type, DEBUG_SCOPE_NAME) : NULL;
	if (!name || (strncmp(name, "unique_ptr<", 11) != 0 && strncmp(name, "shared_ptr<", 11) != 0 &&
		      strncmp(name, "vector<", 7) != 0))
		return NULL;
	LLVMMetadataRef parameters = debug_operand(context, type, DEBUG_TYPE_PARAMETERS);
	LLVMMetadataRef first = parameters ? debug_operand(context, parameters, 0) : NULL;
	return first ? debug_bare_type(context, debug_operand(context, first, DEBUG_PARAMETER_TYPE)) : NULL;
}

/* What a pointer, a reference or a smart pointer leads to; null for other types. */
static LLVMMetadataRef target_of(struct variable_names *names, LLVMMetadataRef type)
{
	LLVMContextRef context = context_of(names);
	type = debug_bare_type(context, type);
	unsigned tag = debug_type_tag(type);
	if (tag == DEBUG_POINTER || tag == DEBUG_REFERENCE || tag == DEBUG_RVALUE_REFERENCE)
		return debug_operand(context, type, DEBUG_TYPE_BASE);
	return smart_target(names, type);
}

/* The argument that is kept in the stack slot; null: none. */
static LLVMValueRef passed_in(LLVMValueRef slot)
{
	for (LLVMUseRef use = LLVMIsAAllocaInst(slot) ? LLVMGetFirstUse(slot) : NULL; use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == slot &&
		    LLVMIsAArgument(LLVMGetOperand(user, 0)))
			return LLVMGetOperand(user, 0);
	}
	return NULL;
}

/* A debug intrinsic says that a value is a variable, or (dbg.declare, dbg.assign) that a stack slot holds it. at: the
 * operands that hold the value or address, and the expression applied to it. */
static void learn_local(struct variable_names *names, LLVMValueRef call, unsigned value_at, unsigned expression_at,
			bool is_slot)
{
	LLVMMetadataRef located = LLVMValueAsMetadata(LLVMGetOperand(call, value_at));
	LLVMMetadataKind kind = LLVMGetMetadataKind(located);
	if (kind != LLVMLocalAsMetadataMetadataKind && kind != LLVMConstantAsMetadataMetadataKind)
		return;
	LLVMValueRef value;
	LLVMGetMDNodeOperands(LLVMGetOperand(call, value_at), &value);
	if (!LLVMIsAInstruction(value) && !LLVMIsAArgument(value))
		return;
	/* The optimiser turns the declaration of a stack slot into "what this pointer points to is the variable". Where it does not run, a
	 * slot holds the pointer to an object that the caller has made. */
	LLVMMetadataRef expression = LLVMValueAsMetadata(LLVMGetOperand(call, expression_at));
	if (is_slot && expression == names->dereference && passed_in(value))
		value = passed_in(value);
	else if (expression != names->no_expression && expression != names->first_word &&
		 !(expression == names->dereference && (LLVMIsAAllocaInst(value) || LLVMIsAArgument(value))))
		return;
	LLVMMetadataRef variable = LLVMValueAsMetadata(LLVMGetOperand(call, 1));
	if (expression == names->first_word &&
	    (is_slot || !smart_target(names, debug_operand(context_of(names), variable, DEBUG_VARIABLE_TYPE))))
		return;
	struct local *local = mem_alloc(sizeof *local);
	local->variable = variable;
	local->is_slot = is_slot || expression == names->dereference;
	local->next = ptrmap_get(&names->locals, value, NULL);
	ptrmap_set(&names->locals, value, local);
}

void variable_names_enter(struct variable_names *names, LLVMValueRef function)
{
	forget_locals(names);
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
			LLVMValueRef callee = LLVMIsACallInst(at) ? LLVMGetCalledValue(at) : NULL;
			if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
				continue;
			size_t size;
			const char *name = LLVMGetValueName2(callee, &size);
			if (strcmp(name, "llvm.dbg.value") == 0)
				learn_local(names, at, 0, 2, false);
			else if (strcmp(name, "llvm.dbg.declare") == 0)
				learn_local(names, at, 0, 2, true);
			if (strcmp(name, "llvm.dbg.assign") != 0)
				continue;
			learn_local(names, at, 4, 5, true);
			if (LLVMValueAsMetadata(LLVMGetOperand(at, 2)) == names->first_word)
				learn_local(names, at, 0, 2, false);
		}
}

/* The variable in that stack slot that belongs to the function the access is written in, or else the first one. Among the program's
 * own only those count that are kept there: pointers to it are parameters of what was inlined. */
static LLVMMetadataRef slot_variable(struct variable_names *names, LLVMValueRef slot, LLVMMetadataRef subprogram)
{
	LLVMMetadataRef first = NULL;
	for (struct local *at = ptrmap_get(&names->locals, slot, NULL); at; at = at->next) {
		LLVMMetadataRef owner = debug_subprogram(context_of(names), LLVMDIVariableGetScope(at->variable));
		bool is_kept = at->is_slot || (LLVMIsAAllocaInst(slot) && !names->is_own_only);
		if (!is_kept || (names->is_own_only && debug_is_of_system(owner)))
			continue;
		if (owner == subprogram)
			return at->variable;
		if (!first)
			first = at->variable;
	}
	return first;
}

/* Whether the value is where the caller has put an argument, as it does with objects of classes that have a destructor, and no variable is a
 * pointer to it. */
static bool is_passed_slot(struct variable_names *names, LLVMValueRef value)
{
	bool has_slot = false;
	for (struct local *at = LLVMIsAArgument(value) ? ptrmap_get(&names->locals, value, NULL) : NULL; at;
	     at = at->next) {
		if (!at->is_slot && !names->is_own_only)
			return false;
		has_slot = has_slot || at->is_slot;
	}
	return has_slot;
}

static bool is_aggregate(unsigned tag)
{
	return tag == DEBUG_STRUCTURE || tag == DEBUG_CLASS || tag == DEBUG_UNION;
}

/*
 * How well a variable explains an access of size bytes at address: 0 not at all. Several variables may hold one value
 * whose types have nothing in common: a pointer to a structure and one to its first member, or an object that consists
 * of nothing but that pointer, such as a lock guard.
 */
static unsigned rank_pointer(struct variable_names *names, LLVMMetadataRef variable, const struct address *address,
			     uint64_t size)
{
	LLVMContextRef context = context_of(names);
	LLVMMetadataRef type = debug_bare_type(context, debug_operand(context, variable, DEBUG_VARIABLE_TYPE));
	unsigned tag = debug_type_tag(type);
	if (tag != DEBUG_POINTER && tag != DEBUG_REFERENCE && tag != DEBUG_RVALUE_REFERENCE &&
	    !smart_target(names, type))
		return 0;
	LLVMMetadataRef target = debug_bare_type(context, target_of(names, type));
	uint64_t whole = debug_type_size(context, target),
		 end = (uint64_t)address->offset + (size == UINT64_MAX ? 1 : size);
	if (!whole)
		return 1; /* void, or a type that is only declared */
	if (address->offset >= 0 && end <= whole)
		return 3;
	/* Beyond what it points to: an element of an array, if anything. */
	return is_aggregate(debug_type_tag(target)) && !address->stride ? 0 : 2;
}

/* Whether the function is the one that is named in, or one that the code there was inlined into. */
static bool is_around(struct variable_names *names, LLVMMetadataRef owner)
{
	for (LLVMMetadataRef at = names->location; at; at = LLVMDILocationGetInlinedAt(at))
		if (debug_subprogram(context_of(names), LLVMDILocationGetScope(at)) == owner)
			return true;
	return false;
}

static bool is_this(struct variable_names *names, LLVMMetadataRef variable)
{
	const char *name = debug_string(context_of(names), variable, DEBUG_VARIABLE_NAME);
	return name && strcmp(name, "this") == 0;
}

/* The variable that explains the access best; among equals one of the function that the access is written in. */
static LLVMMetadataRef pointer_variable(struct variable_names *names, const struct address *address, uint64_t size,
					LLVMMetadataRef subprogram)
{
	LLVMMetadataRef best = NULL;
	unsigned best_rank = 0;
	for (struct local *at = ptrmap_get(&names->locals, address->base, NULL); at; at = at->next) {
		LLVMMetadataRef owner = debug_subprogram(context_of(names), LLVMDIVariableGetScope(at->variable));
		bool is_here = owner == subprogram;
		const bool is_near = names->is_own_only && is_around(names, owner);
		/* Other names of other functions help, but "this" is something else in each. */
		if (names->is_own_only && (debug_is_of_system(owner) || (!is_near && is_this(names, at->variable))))
			continue;
		unsigned rank = 4 * rank_pointer(names, at->variable, address, size);
		if (rank && rank + 2 * is_here + is_near > best_rank) {
			best = at->variable;
			best_rank = rank + 2 * is_here + is_near;
		}
	}
	return best;
}

static bool set_from_variable(struct variable_names *names, struct place *place, LLVMMetadataRef variable)
{
	const char *name = variable ? debug_string(context_of(names), variable, DEBUG_VARIABLE_NAME) : NULL;
	if (!name)
		return false;
	buf_add_string(&place->text, name);
	place->type = debug_operand(context_of(names), variable, DEBUG_VARIABLE_TYPE);
	return true;
}

static struct address address_of(const struct variable_names *names, LLVMValueRef pointer)
{
	struct address address = { .base = pointer };
	LLVMValueRef back;
	while ((back = address_step_back(address.base))) {
		address_add_step(names->layout, address.base, &address.offset, &address.stride);
		address.base = back;
	}
	LLVMValueRef variable = escape_thread_local(address.base);
	if (variable)
		address.base = variable;
	return address;
}

/* The member, or (with DEBUG_INHERITANCE) the base class, that offset_bytes falls into; *start gets where it begins. */
static LLVMMetadataRef member_of_kind(struct variable_names *names, LLVMMetadataRef type, uint64_t offset_bytes,
				      unsigned kind, uint64_t *start)
{
	LLVMContextRef context = context_of(names);
	LLVMMetadataRef elements = debug_operand(context, type, DEBUG_TYPE_ELEMENTS);
	unsigned count = debug_operand_count(context, elements);
	if (!count)
		return NULL;
	LLVMValueRef *all = mem_alloc(count * sizeof *all);
	LLVMGetMDNodeOperands(LLVMMetadataAsValue(context, elements), all);
	LLVMMetadataRef found = NULL;
	bool is_empty = false; /* a base class without members is where the next one is, too */
	for (unsigned i = 0; i < count && (!found || is_empty); i++) {
		LLVMMetadataRef member = all[i] ? LLVMValueAsMetadata(all[i]) : NULL;
		unsigned tag = debug_type_tag(member);
		if (tag != kind || (LLVMDITypeGetFlags(member) & LLVMDIFlagStaticMember))
			continue;
		uint64_t from = LLVMDITypeGetOffsetInBits(member) / 8, size = LLVMDITypeGetSizeInBits(member);
		if (tag == DEBUG_INHERITANCE)
			size = debug_type_size(context, debug_operand(context, member, DEBUG_TYPE_BASE)) * 8;
		uint64_t to = (LLVMDITypeGetOffsetInBits(member) + size + 7) / 8;
		if (offset_bytes >= from && (offset_bytes < to || (to == from && offset_bytes == from))) {
			found = member;
			*start = from;
			is_empty = tag == DEBUG_INHERITANCE && size <= 8;
		}
	}
	free(all);
	return found;
}

/* Members first: one may be in what would be the padding at the end of a base class. */
static LLVMMetadataRef member_at(struct variable_names *names, LLVMMetadataRef type, uint64_t offset_bytes,
				 uint64_t *start)
{
	LLVMMetadataRef member = member_of_kind(names, type, offset_bytes, DEBUG_MEMBER, start);
	return member ? member : member_of_kind(names, type, offset_bytes, DEBUG_INHERITANCE, start);
}

/* Appends the path from an object of this type to the size_bytes at offset. separator: what stands before the first
 * member. Returns whether anything was appended. */
static bool walk_type(struct variable_names *names, struct place *place, uint64_t offset, bool is_indexed,
		      uint64_t size_bytes, const char *separator)
{
	LLVMContextRef context = context_of(names);
	bool has_path = false;
	for (int depth = 0; depth < DEEPEST_TYPE; depth++) {
		LLVMMetadataRef type = debug_bare_type(context, place->type);
		unsigned tag = debug_type_tag(type);
		uint64_t whole = tag ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
		if (!offset && !is_indexed && whole && size_bytes >= whole && size_bytes != UINT64_MAX)
			break;
		if (!offset && !is_indexed && size_bytes == UINT64_MAX)
			break;
		if (is_aggregate(tag)) {
			uint64_t start = 0;
			LLVMMetadataRef member = member_at(names, type, offset, &start);
			if (!member)
				break;
			const char *name = debug_type_tag(member) == DEBUG_MEMBER
						   ? debug_string(context, member, DEBUG_SCOPE_NAME)
						   : NULL;
			if (name) {
				buf_format(&place->text, "%s%s", separator, name);
				separator = ".";
				has_path = true;
			}
			place->type = debug_operand(context, member, DEBUG_TYPE_BASE);
			offset -= start;
		} else if (tag == DEBUG_ARRAY) {
			place->type = debug_operand(context, type, DEBUG_TYPE_BASE);
			uint64_t element = debug_type_size(context, place->type);
			unsigned dimensions =
				debug_operand_count(context, debug_operand(context, type, DEBUG_TYPE_ELEMENTS));
			if (!is_indexed && element && dimensions < 2)
				buf_format(&place->text, "[%llu]", (unsigned long long)(offset / element));
			else
				for (unsigned i = 0; i < (dimensions ? dimensions : 1); i++)
					buf_add_string(&place->text, "[]");
			offset = element ? offset % element : 0;
			is_indexed = false;
			has_path = true;
			separator = ".";
		} else {
			break;
		}
	}
	return has_path;
}

static bool name_place(struct variable_names *names, LLVMValueRef pointer, uint64_t size, LLVMMetadataRef subprogram,
		       int depth, struct place *place);

static LLVMMetadataRef return_type(struct variable_names *names, LLVMValueRef callee)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(callee);
	LLVMMetadataRef type = subprogram ? debug_operand(context_of(names), subprogram, DEBUG_SUBPROGRAM_TYPE) : NULL;
	LLVMMetadataRef types = type ? debug_operand(context_of(names), type, DEBUG_SUBROUTINE_TYPES) : NULL;
	return types ? debug_operand(context_of(names), types, 0) : NULL;
}

/* What makes objects is called without a declaration, and its linkage name says nothing to people. */
static const char *name_of_symbol(const char *symbol)
{
	if (strncmp(symbol, "_Znw", 4) == 0)
		return "new";
	return strncmp(symbol, "_Zna", 4) == 0 ? "new[]" : symbol;
}

/* What the first parameter of a function, its "this", points to; null when it is not known. */
static LLVMMetadataRef class_of(struct variable_names *names, LLVMMetadataRef function)
{
	LLVMContextRef context = context_of(names);
	LLVMMetadataRef type = debug_operand(context, function, DEBUG_SUBPROGRAM_TYPE);
	LLVMMetadataRef types = type ? debug_operand(context, type, DEBUG_SUBROUTINE_TYPES) : NULL;
	return types && debug_operand_count(context, types) > 1 ? target_of(names, debug_operand(context, types, 1))
								: NULL;
}

/* What an operator of a smart pointer or a container returns, as the source writes it: "p" for the operator "->", or
 * "v[]". */
static bool name_operator(struct variable_names *names, LLVMValueRef call, LLVMMetadataRef function,
			  LLVMMetadataRef subprogram, int depth, struct place *place)
{
	const char *name = debug_string(context_of(names), function, DEBUG_SCOPE_NAME);
	const bool is_arrow = name && strcmp(name, "operator->") == 0;
	const bool is_index = name && (strcmp(name, "operator[]") == 0 || strcmp(name, "at") == 0);
	struct place object = { .type = NULL };
	if ((!is_arrow && !is_index) || !LLVMGetNumArgOperands(call) || !debug_is_of_system(function))
		return false;
	/* The object itself, not what is first in it. */
	uint64_t size = debug_type_size(context_of(names), class_of(names, function));
	bool is_named =
		name_place(names, LLVMGetOperand(call, 0), size ? size : UINT64_MAX, subprogram, depth - 1, &object);
	if (is_named)
		buf_format(&place->text, is_index ? "%s[]" : "%s", object.text.data);
	buf_release(&object.text);
	return is_named;
}

/* Names the pointer value in address->base, through which size bytes are accessed: what variable, memory or call it came
 * from. */
static bool name_value(struct variable_names *names, const struct address *address, uint64_t size,
		       LLVMMetadataRef subprogram, int depth, struct place *place)
{
	LLVMValueRef value = address->base;
	if (set_from_variable(names, place, pointer_variable(names, address, size, subprogram)))
		return true;
	if (depth == 0)
		return false;
	if (LLVMIsALoadInst(value))
		return name_place(names, LLVMGetOperand(value, 0), 8, subprogram, depth - 1, place);
	if (LLVMIsAPHINode(value) || LLVMIsASelectInst(value)) {
		for (unsigned i = LLVMIsASelectInst(value) ? 1 : 0; i < (unsigned)LLVMGetNumOperands(value); i++) {
			LLVMValueRef operand = LLVMGetOperand(value, i);
			struct address from = *address;
			from.base = operand;
			if (address_of(names, operand).base != value && !LLVMIsAConstant(operand) &&
			    name_value(names, &from, size, subprogram, depth - 1, place))
				return true;
		}
		return false;
	}
	LLVMValueRef callee = LLVMIsACallInst(value) || LLVMIsAInvokeInst(value) ? LLVMGetCalledValue(value) : NULL;
	if (callee && LLVMIsAFunction(callee) && !LLVMGetIntrinsicID(callee)) {
		LLVMMetadataRef type = return_type(names, callee);
		LLVMMetadataRef function = LLVMGetSubprogram(callee);
		const char *name = function ? debug_string(context_of(names), function, DEBUG_SCOPE_NAME) : NULL;
		if (function && name_operator(names, value, function, subprogram, depth, place)) {
			place->type = type;
			return true;
		}
		buf_format(&place->text, "%s()", name ? name : name_of_symbol(module_symbol(callee)));
		place->type = type;
		return true;
	}
	return false;
}

/* Where what the expression is about begins in the variable, in bytes: the optimiser makes one variable of each member of a
 * structure that it sees all uses of. llvm-c has no other way to ask. */
static int64_t fragment_start(struct variable_names *names, LLVMMetadataRef expression)
{
	static const char operation[] = "DW_OP_LLVM_fragment, ";
	char *text = LLVMPrintValueToString(LLVMMetadataAsValue(context_of(names), expression));
	const char *at = strstr(text, operation);
	int64_t bits = at ? strtoll(at + sizeof operation - 1, NULL, 10) : 0;
	LLVMDisposeMessage(text);
	return bits / 8;
}

static LLVMMetadataRef global_variable(struct variable_names *names, LLVMValueRef global, int64_t *start)
{
	size_t count;
	LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(global, &count);
	LLVMMetadataRef found = NULL;
	for (unsigned i = 0; i < count && !found; i++) {
		if (LLVMValueMetadataEntriesGetKind(all, i) != names->dbg_kind)
			continue;
		LLVMMetadataRef at = LLVMValueMetadataEntriesGetMetadata(all, i);
		found = LLVMDIGlobalVariableExpressionGetVariable(at);
		*start = fragment_start(names, LLVMDIGlobalVariableExpressionGetExpression(at));
	}
	LLVMDisposeValueMetadataEntries(all);
	return found;
}

/* Names the memory behind a pointer value. */
static bool name_target(struct variable_names *names, const struct address *address, uint64_t size,
			LLVMMetadataRef subprogram, int depth, struct place *place)
{
	LLVMContextRef context = context_of(names);
	if (!name_value(names, address, size, subprogram, depth, place))
		return false;
	LLVMMetadataRef pointer = debug_bare_type(context, place->type);
	unsigned tag = debug_type_tag(pointer);
	bool is_reference = tag == DEBUG_REFERENCE || tag == DEBUG_RVALUE_REFERENCE;
	place->type = target_of(names, pointer);
	uint64_t whole = debug_type_size(context, place->type);
	int64_t offset = address->offset;
	const char *separator = is_reference ? "." : "->";
	unsigned target = debug_type_tag(debug_bare_type(context, place->type));
	/* A step smaller than what is pointed to goes from element to element of an array inside it. */
	bool is_inner = address->stride && (target == DEBUG_ARRAY || (is_aggregate(target) && address->stride < whole));
	if (target != DEBUG_ARRAY &&
	    ((address->stride && !is_inner) || offset < 0 || (whole && (uint64_t)offset >= whole))) {
		buf_add_string(&place->text, "[]");
		offset = whole ? (offset % (int64_t)whole + (int64_t)whole) % (int64_t)whole : 0;
		walk_type(names, place, (uint64_t)offset, false, size, ".");
		return true;
	}
	/* What a lambda has taken along is written without "this". */
	if (is_aggregate(target) && strcmp(place->text.data, "this") == 0 &&
	    !debug_string(context, debug_bare_type(context, place->type), DEBUG_SCOPE_NAME)) {
		struct place captured = { .type = place->type };
		uint64_t inner =
			whole && size >= whole && size != UINT64_MAX ? whole - 1 : size; /* if it is all there is */
		if (walk_type(names, &captured, (uint64_t)offset, is_inner, inner, "")) {
			buf_release(&place->text);
			*place = captured;
			return true;
		}
		buf_release(&captured.text);
	}
	if (!walk_type(names, place, (uint64_t)offset, is_inner, size, separator) && !is_reference) {
		struct buf text = place->text;
		place->text = (struct buf){ 0 };
		buf_format(&place->text, "*%s", text.data);
		buf_release(&text);
	}
	return true;
}

/* The same from the first pointer on the way that a variable of the program holds, such as one into a block that the library made; from the
 * last one if there is none. */
static struct address own_address_of(struct variable_names *names, LLVMValueRef pointer, uint64_t size,
				     LLVMMetadataRef subprogram)
{
	struct address whole = address_of(names, pointer), at = { .base = pointer }, found = whole;
	for (LLVMValueRef back; at.base != whole.base && (back = address_step_back(at.base)); at.base = back) {
		if (pointer_variable(names, &at, size, subprogram))
			found = at;
		address_add_step(names->layout, at.base, &at.offset, &at.stride);
	}
	return LLVMIsACallInst(whole.base) || LLVMIsAInvokeInst(whole.base) ? found : whole;
}

static bool name_place(struct variable_names *names, LLVMValueRef pointer, uint64_t size, LLVMMetadataRef subprogram,
		       int depth, struct place *place)
{
	struct address address =
		names->is_own_only ? own_address_of(names, pointer, size, subprogram) : address_of(names, pointer);
	int64_t start = 0;
	if (LLVMIsAGlobalVariable(address.base)) {
		if (!set_from_variable(names, place, global_variable(names, address.base, &start)))
			buf_add_string(&place->text, module_symbol(address.base));
	} else if (LLVMIsAAllocaInst(address.base) || is_passed_slot(names, address.base)) {
		if (!set_from_variable(names, place, slot_variable(names, address.base, subprogram)))
			return false;
	} else {
		return name_target(names, &address, size, subprogram, depth, place);
	}
	if (address.offset >= 0)
		walk_type(names, place, (uint64_t)(address.offset + start), address.stride != 0, size, ".");
	return true;
}

/* ---- the last resort: the type in type-based alias metadata ---- */

static void learn_types(struct variable_names *names, LLVMMetadataRef node, struct ptrmap *seen)
{
	LLVMContextRef context = context_of(names);
	size_t count = 0, room = 256;
	LLVMMetadataRef *todo = mem_alloc(room * sizeof *todo);
	todo[count++] = node;
	while (count) {
		LLVMMetadataRef at = todo[--count];
		unsigned operands = debug_operand_count(context, at);
		if (!operands || !ptrmap_set(seen, at, NULL))
			continue;
		if (is_aggregate(debug_type_tag(at)) &&
		    debug_operand_count(context, debug_operand(context, at, DEBUG_TYPE_ELEMENTS))) {
			const char *name = debug_string(context, at, DEBUG_SCOPE_NAME);
			const char *identifier = debug_string(context, at, DEBUG_TYPE_IDENTIFIER);
			if (name && !map_has(&names->types, name))
				map_set(&names->types, name, at);
			if (identifier)
				map_set(&names->types, identifier, at);
		}
		LLVMValueRef *all = mem_alloc(operands * sizeof *all);
		LLVMGetMDNodeOperands(LLVMMetadataAsValue(context, at), all);
		if (count + operands > room)
			todo = mem_resize(todo, (room = (count + operands) * 2) * sizeof *todo);
		for (unsigned i = 0; i < operands; i++)
			if (all[i])
				todo[count++] = LLVMValueAsMetadata(all[i]);
		free(all);
	}
	free(todo);
}

static void learn_all_types(struct variable_names *names)
{
	struct ptrmap seen = { 0 };
	unsigned count = LLVMGetNamedMetadataNumOperands(names->module, "llvm.dbg.cu");
	LLVMValueRef *units = mem_alloc((count + 1) * sizeof *units);
	LLVMGetNamedMetadataOperands(names->module, "llvm.dbg.cu", units);
	for (unsigned i = 0; i < count; i++)
		learn_types(names, LLVMValueAsMetadata(units[i]), &seen);
	for (LLVMValueRef at = LLVMGetFirstFunction(names->module); at; at = LLVMGetNextFunction(at))
		if (LLVMGetSubprogram(at))
			learn_types(names, LLVMGetSubprogram(at), &seen);
	free(units);
	ptrmap_release(&seen);
	names->types_are_known = 1;
}

/* A tag is (base type, access type, offset); a type node begins with its name. */
static bool name_by_type(struct variable_names *names, LLVMValueRef instruction, struct place *place)
{
	LLVMContextRef context = context_of(names);
	LLVMValueRef tag = LLVMGetMetadata(instruction, names->tbaa_kind);
	if (!tag || LLVMGetMDNodeNumOperands(tag) < 3)
		return false;
	LLVMValueRef operands[8];
	if (LLVMGetMDNodeNumOperands(tag) > 8)
		return false;
	LLVMGetMDNodeOperands(tag, operands);
	if (!operands[0] || operands[0] == operands[1] || !operands[2] || !LLVMIsAConstantInt(operands[2]))
		return false;
	const char *name = debug_string(context, LLVMValueAsMetadata(operands[0]), 0);
	if (!name)
		return false;
	if (!names->types_are_known)
		learn_all_types(names);
	LLVMMetadataRef type = map_get(&names->types, name);
	if (!type)
		return false;
	const char *shown = debug_string(context, type, DEBUG_SCOPE_NAME);
	buf_format(&place->text, "(%s)", shown ? shown : name);
	place->type = type;
	return walk_type(names, place, LLVMConstIntGetZExtValue(operands[2]), false, 1, "->");
}

char *variable_name(struct variable_names *names, LLVMValueRef instruction, LLVMValueRef pointer, uint64_t size_bytes)
{
	struct place place = { .type = NULL };
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
	LLVMMetadataRef subprogram = debug_subprogram(context_of(names), scope);
	if (name_place(names, pointer, size_bytes, subprogram, DEEPEST_PATH, &place))
		return place.text.data;
	buf_release(&place.text);
	place.type = NULL;
	if (name_by_type(names, instruction, &place))
		return place.text.data;
	buf_release(&place.text);
	return NULL;
}

char *variable_object_name(struct variable_names *names, LLVMValueRef instruction, LLVMValueRef pointer,
			   uint64_t size_bytes)
{
	struct place place = { .type = NULL };
	LLVMMetadataRef subprogram = NULL;
	for (LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction); location;
	     location = LLVMDILocationGetInlinedAt(location)) {
		subprogram = debug_subprogram(context_of(names), LLVMDILocationGetScope(location));
		if (!debug_is_of_system(subprogram))
			break;
	}
	names->is_own_only = true;
	names->location = LLVMInstructionGetDebugLoc(instruction);
	bool is_named = name_place(names, pointer, size_bytes, subprogram, DEEPEST_PATH, &place);
	names->is_own_only = false;
	if (is_named)
		return place.text.data;
	buf_release(&place.text);
	return NULL;
}

bool variable_is_encoded(struct variable_names *names, LLVMValueRef pointer)
{
	LLVMValueRef global = address_of(names, pointer).base;
	size_t count = 0;
	bool is_encoded = false;
	LLVMValueMetadataEntry *all = LLVMIsAGlobalVariable(global) ? LLVMGlobalCopyAllMetadata(global, &count) : NULL;
	for (unsigned i = 0; i < count; i++) {
		if (LLVMValueMetadataEntriesGetKind(all, i) != names->dbg_kind)
			continue;
		LLVMMetadataRef at = LLVMValueMetadataEntriesGetMetadata(all, i);
		char *text = LLVMPrintValueToString(
			LLVMMetadataAsValue(context_of(names), LLVMDIGlobalVariableExpressionGetExpression(at)));
		is_encoded |= strstr(text, "DW_OP_stack_value") != NULL;
		LLVMDisposeMessage(text);
	}
	if (all)
		LLVMDisposeValueMetadataEntries(all);
	return is_encoded;
}
