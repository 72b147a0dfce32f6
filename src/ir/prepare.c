/* prepare.c: see prepare.h. */
#include "ir/prepare.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/proc.h"
#include "base/ptrmap.h"
#include "heddle/abi.h"
#include "ir/escape.h"
#include "ir/lines.h"
#include "ir/module.h"
#include "ir/unit.h"

/* Thread-local variables that other units can see and whose address this unit lets out. */
static void find_escaping_tls(LLVMModuleRef module, struct strings *names)
{
	struct escape escape = { 0 };
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at; at = LLVMGetNextGlobal(at))
		if (LLVMIsThreadLocal(at) && !module_is_local(at) && escape_escapes(&escape, at))
			strings_add(names, module_symbol(at));
	escape_release(&escape);
}

static void find_shared(LLVMModuleRef module, struct strings *names)
{
	for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
		if (!LLVMIsDeclaration(at) && LLVMGetLinkage(at) != LLVMAvailableExternallyLinkage &&
		    module_is_shared(at))
			strings_add(names, module_symbol(at));
}

static void add_alias(LLVMModuleRef module, LLVMValueRef global, const char *tag)
{
	char *name = module_alias_name(global, tag);
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	LLVMValueRef alias = LLVMAddAlias2(module, type, 0, global, name);
	LLVMSetLinkage(alias, LLVMWeakAnyLinkage);
	LLVMSetVisibility(alias, LLVMHiddenVisibility);
	if (LLVMIsAGlobalVariable(global) && LLVMIsThreadLocal(global))
		LLVMSetThreadLocalMode(alias, LLVMGetThreadLocalMode(global));
	free(name);
}

/* The entry: nopl 0(%rax,%rax,1), five bytes in one instruction, so that a jump can replace it at once. Where the code
 * generator will put an endbr64 after the data, one is needed in front of it too. */
static LLVMValueRef entry_data(LLVMModuleRef module)
{
	static const char bytes[] = "\xf3\x0f\x1e\xfa\x0f\x1f\x44\x00\x00";
	bool has_endbr = module_flag(module, "cf-protection-branch", 0);
	return LLVMConstStringInContext2(LLVMGetModuleContext(module), has_endbr ? bytes : bytes + 4, has_endbr ? 9 : 5,
					 1);
}

static void prepare_functions(LLVMModuleRef module, const char *tag)
{
	struct ptrmap resolvers = { 0 };
	module_find_resolvers(module, &resolvers);
	LLVMValueRef entry = entry_data(module);
	for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at)) {
		if (LLVMIsDeclaration(at) || LLVMGetLinkage(at) == LLVMAvailableExternallyLinkage)
			continue;
		if (module_plain_reason(at, &resolvers) == HEDDLE_PLAIN_NOT) {
			LLVMSetPrologueData(at, entry);
			/* One store can replace the five bytes when they are in one word. Only where size counts are functions
			 * aligned to less. */
			bool is_small = module_has_attribute(at, "optsize") || module_has_attribute(at, "minsize");
			if (LLVMGetAlignment(at) < 8 && (is_small || LLVMGetAlignment(at)))
				LLVMSetAlignment(at, 8);
		}
		add_alias(module, at, tag);
	}
	ptrmap_release(&resolvers);
}

static void prepare_variables(LLVMModuleRef module, const char *tag)
{
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at; at = LLVMGetNextGlobal(at)) {
		if (LLVMIsDeclaration(at) || !module_is_local(at) || module_is_special(at))
			continue;
		add_alias(module, at, tag);
	}
}

/* The unit as assembly. A file is included by name; for -S its bytes are written out, since the file will be gone. */
static void add_unit_section(LLVMModuleRef module, const struct prepare_options *options, const struct buf *unit)
{
	struct buf text = { 0 };
	buf_add_string(&text, "\t.pushsection " HEDDLE_SECTION_UNITS ",\"\",@progbits\n\t.balign 8\n");
	if (!options->is_text) {
		buf_add_string(&text, "\t.incbin \"");
		for (const char *c = options->unit_file; *c; c++)
			buf_format(&text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
		buf_add_string(&text, "\"\n");
	}
	for (size_t i = 0; options->is_text && i < unit->size; i += 32) {
		buf_add_string(&text, "\t.ascii \"");
		for (size_t k = i; k < i + 32 && k < unit->size; k++)
			buf_format(&text, "\\%03o", (unsigned char)unit->data[k]);
		buf_add_string(&text, "\"\n");
	}
	buf_add_string(&text, "\t.popsection\n");
	LLVMAppendModuleInlineAsm(module, text.data, text.size);
	buf_release(&text);
}

/* What clang does to names in debug information: what is kept of the unit says no more than that does. */
static char *mapped(const char *name, const struct strings *maps)
{
	for (size_t i = maps->count; i > 0; i--) {
		const char *map = maps->items[i - 1], *new = strchr(map, '=');
		size_t size = new ? (size_t)(new - map) : 0;
		if (new &&strncmp(name, map, size) == 0)
			return mem_format("%s%s", new + 1, name + size);
	}
	return mem_copy_string(name);
}

static int prepare_module(LLVMModuleRef module, const struct prepare_options *options, struct err *err)
{
	struct unit unit = { .opt_level = options->opt_level, .flags = options->has_debug ? UNIT_DEBUG : 0 };
	if (options->is_closed)
		unit.flags |= UNIT_CLOSED;
	size_t size;
	char *source = mem_copy_string(LLVMGetSourceFileName(module, &size));
	unit.source = mapped(source, &options->maps);
	LLVMSetSourceFileName(module, unit.source, strlen(unit.source));
	module_name_all(module);
	find_shared(module, &unit.shared);
	find_escaping_tls(module, &unit.escaping_tls);
	module_write(module, &unit.ir);
	LLVMSetSourceFileName(module, source, strlen(source));
	free(source);
	lines_collect(module, &options->maps, &unit.lines);

	struct buf encoded = { 0 }, bitcode = { 0 };
	int code = unit_encode(&unit, &encoded, err);
	if (!code)
		code = proc_write_file(options->unit_file, encoded.data, encoded.size, err);
	if (!code) {
		char tag[17];
		unit_tag(&unit, tag);
		prepare_functions(module, tag);
		prepare_variables(module, tag);
		add_unit_section(module, options, &encoded);
		if (!options->has_debug)
			LLVMStripModuleDebugInfo(module);
		module_write(module, &bitcode);
		code = proc_write_file(options->output, bitcode.data, bitcode.size, err);
	}
	buf_release(&encoded);
	buf_release(&bitcode);
	unit_release(&unit);
	return code;
}

int prepare_unit(const struct prepare_options *options, struct err *err)
{
	struct buf input = { 0 };
	int code = proc_read_file(options->input, &input, err);
	LLVMModuleRef module = code ? NULL : module_parse(&input, options->input, err);
	if (!code && !module)
		code = -22;
	if (module) {
		code = prepare_module(module, options, err);
		module_free(module);
	}
	buf_release(&input);
	return code;
}
