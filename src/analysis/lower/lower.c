/* lower.c: see lower.h. The units one after the other; functions and what the linker makes of their names. */
#include "analysis/lower/lower.h"

#include <errno.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lower/lower_priv.h"
#include "analysis/models/models.h"
#include "base/mem.h"
#include "ir/access.h"
#include "ir/emit.h"
#include "ir/module.h"
#include "ir/named.h"
#include "ir/variable.h"

/* ---- sites, before anything is changed ---- */

static void note_sites(struct lower *lower, struct instrument *instrument, struct variable_names *names,
		       LLVMValueRef at, uint32_t *next)
{
	struct access found[ACCESS_MAX];
	bool is_opaque = false;
	unsigned count = access_find(at, lower->layout, found, &is_opaque), kept = 0;
	const char *variables[ACCESS_MAX];
	uint32_t is_site = 0;
	for (unsigned i = 0; i < count; i++) {
		if (instrument_fate(instrument, at, &found[i]) != INSTRUMENT_SITE)
			continue;
		char *name = instrument_name(names, at, &found[i]);
		variables[kept++] = whole_string(lower->whole, name);
		is_site |= 1u << i;
		free(name);
	}
	if (!kept)
		return;
	struct lower_sites *sites = mem_alloc(sizeof *sites);
	*sites = (struct lower_sites){ .first_ordinal = *next, .is_site = is_site };
	sites->variables = mem_alloc(kept * sizeof *sites->variables);
	memcpy(sites->variables, variables, kept * sizeof *variables);
	ptrmap_set(&lower->sites, at, sites);
	*next += kept;
}

/* Names of locks are for people only. */
static void note_lock(struct lower *lower, struct variable_names *names, LLVMValueRef at)
{
	LLVMValueRef callee = LLVMIsACallInst(at) || LLVMIsAInvokeInst(at) ? LLVMGetCalledValue(at) : NULL;
	if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
		return;
	const struct model *model = model_find(module_symbol(callee));
	if (!model_takes_lock(model) || model->object < 0 || (unsigned)model->object >= LLVMGetNumArgOperands(at))
		return;
	/* Locks have many sizes, and their contents do not matter. Parameters of library functions say nothing. */
	struct named found[NAMED_MAX];
	char *name = NULL;
	for (unsigned i = 0, count = named_find(at, found); i < count && !name; i++)
		if (found[i].kind == HEDDLE_NAMED_LOCK)
			name = instrument_object_name(names, &found[i]);
	if (!name)
		name = variable_name(names, at, LLVMGetOperand(at, (unsigned)model->object), UINT64_MAX);
	if (name && strncmp(name + (*name == '*'), "__", 2) != 0)
		ptrmap_set(&lower->locks, at, (void *)(uintptr_t)whole_string(lower->whole, name));
	free(name);
}

static void find_sites(struct lower *lower, const struct map *escaping_tls)
{
	struct escape escape = { .shared_tls = escaping_tls, .is_library = lower->is_shared };
	struct variable_names names;
	struct instrument instrument;
	variable_names_init(&names, lower->module, lower->layout);
	instrument_init(&instrument, lower->module, lower->layout);
	instrument.escape = &escape;
	instrument.names = &names;
	for (LLVMValueRef function = LLVMGetFirstFunction(lower->module); function;
	     function = LLVMGetNextFunction(function)) {
		uint32_t next = 0;
		if (LLVMIsDeclaration(function) || LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage)
			continue;
		variable_names_enter(&names, function);
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
		     block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
				note_sites(lower, &instrument, &names, at, &next);
				note_lock(lower, &names, at);
			}
		ptrmap_set(&lower->site_counts, function, (void *)(uintptr_t)next);
	}
	instrument_release(&instrument);
	variable_names_release(&names);
	escape_release(&escape);
}

/* ---- local variables become values ---- */

static void remove_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
}

/* Promotes stack slots that are only loaded and stored. None of those is a site, but by that others may become such, and then
 * sites go: those of a slot that is passed to a function that was inlined. No other thread has them. */
static int promote(struct lower *lower, LLVMTargetMachineRef machine, struct err *err)
{
	for (LLVMValueRef at = LLVMGetFirstFunction(lower->module); at; at = LLVMGetNextFunction(at))
		remove_attribute(at, "optnone");
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(lower->module, "function(mem2reg)", machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (!error)
		return 0;
	char *message = LLVMGetErrorMessage(error);
	int code = err_set(err, EINVAL, "cannot promote local variables: %s", message);
	LLVMDisposeErrorMessage(message);
	return code;
}

/* ---- functions ---- */

static void define_function(struct lower *lower, LLVMValueRef function)
{
	uint32_t object = lower_global(lower, function), index = lower->whole->object[object].function;
	if (lower_is_replaced(lower, function, lower->whole->function[index].is_defined))
		return;
	uint32_t place = lower_function_place(lower, function);
	struct whole_function *row = &lower->whole->function[index];
	row->is_defined = true;
	row->unit = lower->unit;
	row->is_exported = !module_is_local(function) && LLVMGetVisibility(function) != LLVMHiddenVisibility;
	row->file = place == WHOLE_NONE ? NULL : lower->whole->place[place].file;
	row->line = place == WHOLE_NONE ? 0 : lower->whole->place[place].line;
	lower->whole->object[object].place = place;
	lower->function = index;
	row->site_count = (uint32_t)(uintptr_t)ptrmap_get(&lower->site_counts, function, NULL);
	lower_body(lower, function);
}

/* Functions that run before main or after it, by the compiler's lists. */
static void find_constructors(struct lower *lower)
{
	static const char *const lists[] = { "llvm.global_ctors", "llvm.global_dtors" };
	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
		LLVMValueRef list = LLVMGetNamedGlobal(lower->module, lists[k]);
		LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;
		for (unsigned i = 0; entries && i < (unsigned)LLVMGetNumOperands(entries); i++) {
			LLVMValueRef entry = LLVMGetOperand(entries, i);
			LLVMValueRef function = LLVMGetNumOperands(entry) > 1 ? LLVMGetOperand(entry, 1) : NULL;
			if (!function || !LLVMIsAFunction(function))
				continue;
			uint32_t object = lower_global(lower, function);
			struct whole_function *row = &lower->whole->function[lower->whole->object[object].function];
			*(k == 0 ? &row->is_constructor : &row->is_destructor) = true;
		}
	}
}

/* The argument that an allocator's attribute alloc_size names, or -1. */
static int16_t size_parameter(LLVMValueRef function)
{
	LLVMAttributeRef attribute =
		LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					    LLVMGetEnumAttributeKindForName("allocsize", 9));
	uint64_t value = attribute ? LLVMGetEnumAttributeValue(attribute) : 0;
	/* Two numbers: that of the size, and that of the count, which is none here. */
	bool is_one = attribute && (uint32_t)value == UINT32_MAX && value >> 32 < LLVMCountParams(function);
	return is_one && value >> 32 <= INT16_MAX ? (int16_t)(value >> 32) : -1;
}

static bool is_text(LLVMValueRef global, const char *text)
{
	LLVMValueRef value = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
	size_t size = 0;
	const char *found = value && LLVMIsConstantString(value) ? LLVMGetAsString(value, &size) : NULL;
	return found && size == strlen(text) + 1 && memcmp(found, text, size) == 0;
}

/* Functions that the source has marked as allocators: HEDDLE_ALLOCATOR of heddle.h. */
static void find_allocators(struct lower *lower)
{
	LLVMValueRef list = LLVMGetNamedGlobal(lower->module, "llvm.global.annotations");
	LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;
	for (unsigned i = 0; entries && i < (unsigned)LLVMGetNumOperands(entries); i++) {
		LLVMValueRef entry = LLVMGetOperand(entries, i);
		LLVMValueRef function = LLVMGetNumOperands(entry) > 1 ? LLVMGetOperand(entry, 0) : NULL;
		if (!function || !LLVMIsAFunction(function) || LLVMIsDeclaration(function) ||
		    !is_text(LLVMGetOperand(entry, 1), "heddle_allocator"))
			continue;
		uint32_t object = lower_global(lower, function);
		struct whole_function *row = &lower->whole->function[lower->whole->object[object].function];
		row->is_allocator = true;
		row->size_parameter = size_parameter(function);
	}
}

static void free_sites(struct lower *lower)
{
	for (size_t i = 0; i < lower->sites.room; i++)
		if (lower->sites.slots[i].key) {
			struct lower_sites *sites = lower->sites.slots[i].value;
			free(sites->variables);
			free(sites);
		}
	ptrmap_release(&lower->sites);
	ptrmap_release(&lower->locks);
	ptrmap_release(&lower->site_counts);
}

static void leave_module(struct lower *lower)
{
	free_sites(lower);
	ptrmap_release(&lower->values);
	ptrmap_release(&lower->blocks);
	ptrmap_release(&lower->forged);
	ptrmap_release(&lower->globals);
	ptrmap_release(&lower->places);
	ptrmap_release(&lower->layouts);
	ptrmap_release(&lower->types);
}

static int lower_unit(struct lower *lower, const struct unit *unit, const struct map *escaping_tls, struct err *err)
{
	lower->module = module_parse(&unit->ir, unit->source, err);
	if (!lower->module)
		return -EINVAL;
	LLVMSetIsNewDbgInfoFormat(lower->module, 0);
	LLVMTargetMachineRef machine = emit_machine(lower->module, 0, err);
	int code = machine ? 0 : -ENOTSUP;
	if (machine) {
		lower->context = LLVMGetModuleContext(lower->module);
		lower->layout = LLVMCreateTargetDataLayout(machine);
		lower->unit = whole_add_unit(lower->whole, unit->source);
		if (!LLVMGetNamedMetadataNumOperands(lower->module, "llvm.dbg.cu"))
			whole_add_gap(lower->whole, WHOLE_GAP_NO_DEBUG, WHOLE_NONE, WHOLE_NONE, unit->source);
		module_name_all(lower->module);
		find_sites(lower, escaping_tls);
		code = promote(lower, machine, err);
		lower_variables(lower);
		for (LLVMValueRef at = LLVMGetFirstFunction(lower->module); at && !code; at = LLVMGetNextFunction(at))
			if (!LLVMIsDeclaration(at) && LLVMGetLinkage(at) != LLVMAvailableExternallyLinkage)
				define_function(lower, at);
		find_constructors(lower);
		find_allocators(lower);
		LLVMDisposeTargetData(lower->layout);
		LLVMDisposeTargetMachine(machine);
	}
	leave_module(lower);
	module_free(lower->module);
	return code;
}

/* ---- the whole ---- */

/* A name that was seen before the unit that has it as an alias came: addresses of it are those of what the alias is. */
static void settle_aliases(struct lower *lower)
{
	struct whole *whole = lower->whole;
	for (uint32_t i = 0; i < whole->value_count; i++) {
		struct whole_value *value = &whole->value[i];
		if (value->kind != WHOLE_ADDRESS)
			continue;
		const struct whole_object *object = &whole->object[value->index];
		if (object->kind == WHOLE_CODE && !whole->function[object->function].is_defined) {
			uint32_t known = (uint32_t)(uintptr_t)map_get(&lower->aliases, object->name);
			if (known)
				value->index = known - 1;
		} else if (object->kind == WHOLE_GLOBAL && object->is_undefined && object->is_exported) {
			uint32_t known = (uint32_t)(uintptr_t)map_get(&lower->aliases, object->name);
			if (known)
				value->index = known - 1;
		}
	}
}

static bool defines_main(const struct whole *whole)
{
	uint32_t function = whole_find_function(whole, "main");
	return function != WHOLE_NONE && whole->function[function].is_defined;
}

int lower_units(const struct lower_input *inputs, size_t count, lower_progress *progress, void *progress_context,
		struct whole **whole, struct err *err)
{
	struct lower lower = { .whole = whole_new(), .function = WHOLE_NONE };
	struct map escaping_tls = { 0 };
	int code = 0;
	lower.opaque = whole_add_value(lower.whole, WHOLE_OPAQUE, WHOLE_NONE, WHOLE_NONE);
	lower.exceptions = whole_add_object(lower.whole, WHOLE_GLOBAL);
	lower.whole->object[lower.exceptions].name = whole_string(lower.whole, "exceptions");
	lower.files = whole_add_object(lower.whole, WHOLE_GLOBAL);
	lower.whole->object[lower.files].name = whole_string(lower.whole, "files");
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < inputs[i].unit->escaping_tls.count; k++)
			map_set(&escaping_tls, inputs[i].unit->escaping_tls.items[k], NULL);
	for (size_t i = 0; i < count && !code; i++) {
		if (progress)
			progress(progress_context, i, count);
		lower.is_shared = inputs[i].is_shared;
		code = lower_unit(&lower, inputs[i].unit, &escaping_tls, err);
	}
	settle_aliases(&lower);
	lower.whole->is_library = !defines_main(lower.whole);
	map_release(&escaping_tls);
	map_release(&lower.variables);
	map_release(&lower.weak);
	map_release(&lower.aliases);
	if (code) {
		whole_free(lower.whole);
		return code;
	}
	whole_verify(lower.whole);
	*whole = lower.whole;
	return 0;
}
