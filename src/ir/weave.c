/* weave.c: see weave.h. */
#include "ir/weave.h"

#include <errno.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/ptrmap.h"
#include "heddle/abi.h"
#include "ir/emit.h"
#include "ir/instrument.h"
#include "ir/module.h"

/* One unit at work. */
struct weave {
	const struct weave_context *context;
	const struct weave_task *task;
	char tag[17];
	LLVMModuleRef module;
	LLVMValueRef *functions; /* every definition, in order */
	bool *is_clone;
	size_t count;
	unsigned discarded_count;
	LLVMValueRef nothing;  /* what retired aliases stand for; null until there is one */
	struct ptrmap dropped; /* global -> not null when a clone could not name it */
};

static bool is_kept(const struct weave *weave, LLVMValueRef global)
{
	char *alias = module_alias_name(global, weave->tag);
	bool is_present = map_has(weave->context->symbols, alias);
	free(alias);
	return is_present;
}

/* Whether this unit provides the function: the linker kept it, and, where several units define it, this is the
 * first. */
static bool is_ours(const struct weave *weave, LLVMValueRef function)
{
	if (!is_kept(weave, function))
		return false;
	return !module_is_shared(function) ||
	       map_get(weave->context->claims, module_symbol(function)) == weave->task->unit;
}

static bool refers_to_dropped(struct weave *weave, LLVMValueRef value, int depth);

/* Whether a clone that names this global could not be linked. */
static bool is_dropped_global(struct weave *weave, LLVMValueRef global, int depth)
{
	/* A static ifunc has no alias by which another object could name it. */
	if (LLVMIsAGlobalIFunc(global))
		return module_is_local(global);
	if (LLVMIsAGlobalAlias(global))
		return module_is_local(global) && refers_to_dropped(weave, LLVMAliasGetAliasee(global), depth + 1);
	if (LLVMIsDeclaration(global) || !module_is_local(global))
		return false;
	return !is_kept(weave, global);
}

/* Whether a constant refers to something local that the linker dropped. Globals are asked once each. */
static bool refers_to_dropped(struct weave *weave, LLVMValueRef value, int depth)
{
	if (LLVMIsAGlobalValue(value)) {
		bool is_found;
		void *known = ptrmap_get(&weave->dropped, value, &is_found);
		if (!is_found) {
			ptrmap_set(&weave->dropped, value, NULL);
			known = is_dropped_global(weave, value, depth) ? (void *)1 : NULL;
			ptrmap_set(&weave->dropped, value, known);
		}
		return known;
	}
	if (!LLVMIsAConstant(value) || depth >= 64)
		return false;
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
		if (refers_to_dropped(weave, LLVMGetOperand(value, i), depth + 1))
			return true;
	return false;
}

static bool body_refers_to_dropped(struct weave *weave, LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
			for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(at); i++) {
				LLVMValueRef operand = LLVMGetOperand(at, i);
				if (LLVMIsAConstant(operand) && refers_to_dropped(weave, operand, 0))
					return true;
			}
	return false;
}

static void list_functions(struct weave *weave)
{
	size_t room = 0;
	for (LLVMValueRef at = LLVMGetFirstFunction(weave->module); at; at = LLVMGetNextFunction(at))
		room += !LLVMIsDeclaration(at);
	weave->functions = mem_alloc((room + 1) * sizeof *weave->functions);
	weave->is_clone = mem_alloc((room + 1) * sizeof *weave->is_clone);
	for (LLVMValueRef at = LLVMGetFirstFunction(weave->module); at; at = LLVMGetNextFunction(at))
		if (!LLVMIsDeclaration(at))
			weave->functions[weave->count++] = at;
}

static void instrument_all(struct weave *weave, LLVMTargetDataRef layout, struct table *table)
{
	struct escape escape = { .shared_tls = weave->context->escaping_tls, .is_library = weave->context->is_library };
	struct variable_names names;
	struct instrument instrument;
	struct ptrmap resolvers = { 0 };
	struct module_assembly assembly;
	module_assembly_init(&assembly, weave->module);
	module_find_resolvers(weave->module, &resolvers);
	variable_names_init(&names, weave->module, layout);
	instrument_init(&instrument, weave->module, layout);
	instrument.escape = &escape;
	instrument.names = &names;
	instrument.promised = weave->context->proof ? weave->context->proof->promised : NULL;
	instrument.table = table;
	for (size_t i = 0; i < weave->count; i++) {
		LLVMValueRef function = weave->functions[i];
		if (LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage ||
		    i % weave->task->part_count != weave->task->part)
			continue;
		if (!is_ours(weave, function)) {
			weave->discarded_count += !module_is_shared(function);
			continue;
		}
		unsigned plain = module_plain_reason(function, &resolvers);
		if (plain == HEDDLE_PLAIN_NOT && module_needs_own_assembly(&assembly, function))
			plain = HEDDLE_PLAIN_ASM_PRIVATE;
		if (plain == HEDDLE_PLAIN_NOT && body_refers_to_dropped(weave, function))
			plain = HEDDLE_PLAIN_DISCARDED;
		char *original = module_alias_name(function, weave->tag);
		struct heddle_function *row = table_begin_function(table, function, original, plain);
		free(original);
		weave->is_clone[i] = plain == HEDDLE_PLAIN_NOT;
		if (weave->is_clone[i])
			instrument_function(&instrument, function,
					    proof_find(weave->context->proof, weave->tag, module_symbol(function)),
					    row);
	}
	instrument_release(&instrument);
	variable_names_release(&names);
	escape_release(&escape);
	ptrmap_release(&resolvers);
	module_assembly_release(&assembly);
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to)
{
	unsigned params = LLVMCountParams(from);
	for (unsigned i = 0; i <= params + 1; i++) {
		LLVMAttributeIndex index = i == params + 1 ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
		unsigned count = LLVMGetAttributeCountAtIndex(from, index);
		LLVMAttributeRef *all = mem_alloc((count + 1) * sizeof *all);
		LLVMGetAttributesAtIndex(from, index, all);
		for (unsigned k = 0; k < count; k++)
			LLVMAddAttributeAtIndex(to, index, all[k]);
		free(all);
	}
}

/* Whether a use of the function in this unit always means the definition in this unit, so that the clone must name
 * that one: --wrap, for one, redirects the public name for other objects only, and the clone is in another object. */
static bool means_this_unit(const struct weave *weave, LLVMValueRef function)
{
	if (module_is_local(function))
		return true;
	bool can_be_replaced = weave->context->is_library && LLVMGetVisibility(function) == LLVMDefaultVisibility &&
			       !(weave->task->unit->flags & UNIT_CLOSED);
	if (map_has(weave->context->wrapped, module_symbol(function)))
		return false;
	return LLVMGetLinkage(function) == LLVMExternalLinkage && !LLVMGetComdat(function) && !can_be_replaced &&
	       is_kept(weave, function);
}

/* Declares the symbol that the native object has for a definition of this unit, and makes every use refer to it. */
static LLVMValueRef declare_in_place_of(struct weave *weave, LLVMValueRef function)
{
	bool is_local = means_this_unit(weave, function);
	size_t size;
	char *name = is_local ? module_alias_name(function, weave->tag)
			      : mem_copy_string(LLVMGetValueName2(function, &size));
	char *clone_name = mem_format("%s.heddle", module_symbol(function));
	LLVMSetValueName2(function, clone_name, strlen(clone_name));
	LLVMValueRef declaration = LLVMAddFunction(weave->module, name, LLVMGlobalGetValueType(function));
	LLVMSetFunctionCallConv(declaration, LLVMGetFunctionCallConv(function));
	LLVMSetVisibility(declaration, is_local ? LLVMHiddenVisibility : LLVMGetVisibility(function));
	copy_attributes(function, declaration);
	LLVMReplaceAllUsesWith(function, declaration);
	free(clone_name);
	free(name);
	return declaration;
}

static void add_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
	LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(context, kind, 0));
}

static void become_clone(LLVMValueRef function)
{
	LLVMSetComdat(function, NULL);
	LLVMSetVisibility(function, LLVMDefaultVisibility);
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMSetUnnamedAddress(function, LLVMNoUnnamedAddr);
	LLVMSetSection(function, HEDDLE_SECTION_CLONES);
	/* The stubs push below the stack pointer. */
	add_attribute(function, "noredzone");
	/* A clone spends its time in hooks; what can be saved is space. */
	if (!module_has_attribute(function, "optnone"))
		add_attribute(function, "optsize");
}

/* A function whose blocks have their address taken cannot be deleted while something refers to the blocks. It is never
 * emitted under this linkage. */
static void hide_definition(struct weave *weave, LLVMValueRef function)
{
	if (module_is_local(function)) {
		char *name = module_alias_name(function, weave->tag);
		LLVMSetValueName2(function, name, strlen(name));
		LLVMSetLinkage(function, LLVMAvailableExternallyLinkage);
		LLVMSetVisibility(function, LLVMHiddenVisibility);
		free(name);
	}
	LLVMSetComdat(function, NULL);
	LLVMSetLinkage(function, LLVMAvailableExternallyLinkage);
}

static void separate_functions(struct weave *weave)
{
	for (size_t i = 0; i < weave->count; i++) {
		LLVMValueRef function = weave->functions[i];
		if (!weave->is_clone[i] && module_has_computed_goto(function)) {
			hide_definition(weave, function);
			continue;
		}
		declare_in_place_of(weave, function);
		if (weave->is_clone[i])
			become_clone(function);
		else
			LLVMDeleteFunction(function);
	}
}

/* Variables become declarations. String literals too: programs compare their addresses. */
static void separate_variables(struct weave *weave)
{
	LLVMValueRef next;
	for (LLVMValueRef at = LLVMGetFirstGlobal(weave->module); at; at = next) {
		next = LLVMGetNextGlobal(at);
		if (LLVMIsDeclaration(at) || at == weave->nothing)
			continue;
		if (module_is_special(at)) {
			if (!LLVMGetFirstUse(at))
				LLVMDeleteGlobal(at);
			continue;
		}
		bool is_local = module_is_local(at);
		char *alias = module_alias_name(at, weave->tag);
		LLVMSetComdat(at, NULL);
		LLVMSetInitializer(at, NULL);
		LLVMSetLinkage(at, LLVMExternalLinkage);
		if (is_local) {
			LLVMSetValueName2(at, alias, strlen(alias));
			LLVMSetVisibility(at, LLVMHiddenVisibility);
		}
		free(alias);
	}
}

/* llvm-c cannot delete an alias. One that nothing refers to is made private and to mean nothing. */
static void retire_alias(struct weave *weave, LLVMValueRef alias)
{
	if (!weave->nothing) {
		LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetModuleContext(weave->module));
		weave->nothing = LLVMAddGlobal(weave->module, i8, "heddle.nothing");
		LLVMSetInitializer(weave->nothing, LLVMConstNull(i8));
		LLVMSetGlobalConstant(weave->nothing, 1);
		LLVMSetLinkage(weave->nothing, LLVMPrivateLinkage);
		LLVMSetUnnamedAddress(weave->nothing, LLVMGlobalUnnamedAddr);
	}
	LLVMAliasSetAliasee(alias, weave->nothing);
	LLVMSetVisibility(alias, LLVMDefaultVisibility);
	LLVMSetLinkage(alias, LLVMPrivateLinkage);
}

/* Aliases and ifuncs of the unit become declarations of their names. */
static void separate_aliases(struct weave *weave)
{
	LLVMValueRef next;
	for (LLVMValueRef at = LLVMGetFirstGlobalAlias(weave->module); at; at = next) {
		next = LLVMGetNextGlobalAlias(at);
		LLVMTypeRef type = LLVMGlobalGetValueType(at);
		bool is_function = LLVMGetTypeKind(type) == LLVMFunctionTypeKind, is_local = module_is_local(at);
		LLVMValueRef target = LLVMAliasGetAliasee(at), declaration;
		size_t size;
		char *name = mem_copy_string(LLVMGetValueName2(at, &size));
		if (is_local) {
			/* No other unit can name it, so its target can replace it. */
			LLVMReplaceAllUsesWith(at, target);
		} else {
			LLVMSetValueName2(at, "heddle.alias", 12);
			declaration = is_function ? LLVMAddFunction(weave->module, name, type)
						  : LLVMAddGlobal(weave->module, type, name);
			LLVMSetVisibility(declaration, LLVMGetVisibility(at));
			if (!is_function && LLVMIsAGlobalVariable(target) && LLVMIsThreadLocal(target))
				LLVMSetThreadLocalMode(declaration, LLVMGetThreadLocalMode(target));
			LLVMReplaceAllUsesWith(at, declaration);
		}
		retire_alias(weave, at);
		free(name);
	}
	for (LLVMValueRef at = LLVMGetFirstGlobalIFunc(weave->module); at; at = next) {
		next = LLVMGetNextGlobalIFunc(at);
		size_t size;
		char *name = mem_copy_string(LLVMGetValueName2(at, &size));
		bool is_local = module_is_local(at);
		LLVMSetValueName2(at, "heddle.ifunc", 12);
		LLVMValueRef declaration = LLVMAddFunction(weave->module, name, LLVMGlobalGetValueType(at));
		if (is_local)
			LLVMSetVisibility(declaration, LLVMHiddenVisibility);
		LLVMReplaceAllUsesWith(at, declaration);
		LLVMEraseGlobalIFunc(at);
		free(name);
	}
}

int weave_unit(const struct weave_context *context, const struct weave_task *task, const char *object,
	       unsigned *discarded_count, struct err *err)
{
	const struct unit *unit = task->unit;
	struct weave weave = { .context = context, .task = task };
	unit_tag(unit, weave.tag);
	weave.module = module_parse(&unit->ir, unit->source, err);
	if (!weave.module)
		return -EINVAL;
	LLVMSetIsNewDbgInfoFormat(weave.module, 0);
	LLVMTargetMachineRef machine = emit_machine(weave.module, unit->opt_level, err);
	int code = machine ? 0 : -ENOTSUP;
	if (machine) {
		LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
		struct table table;
		table_init(&table, weave.module);
		list_functions(&weave);
		instrument_all(&weave, layout, &table);
		separate_aliases(&weave);
		separate_functions(&weave);
		separate_variables(&weave);
		LLVMSetModuleInlineAsm2(weave.module, "", 0);
		/* Those of a unit that is woven in parts go with the first. */
		table_write(&table, task->part == 0 ? &unit->lines : NULL);
		if (!(unit->flags & UNIT_DEBUG))
			LLVMStripModuleDebugInfo(weave.module);
		code = emit_object(weave.module, machine, object, err);
		table_release(&table);
		LLVMDisposeTargetData(layout);
		LLVMDisposeTargetMachine(machine);
	}
	*discarded_count = weave.discarded_count;
	ptrmap_release(&weave.dropped);
	free(weave.functions);
	free(weave.is_clone);
	module_free(weave.module);
	return code;
}
