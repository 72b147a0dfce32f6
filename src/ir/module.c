/* module.c: see module.h. */
#include "ir/module.h"

#include <ctype.h>
#include <errno.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Comdat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/ptrmap.h"
#include "base/word.h"
#include "heddle/abi.h"

static void keep_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
	struct err *err = context;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	char *text = LLVMGetDiagInfoDescription(info);
	err_set(err, EINVAL, "%s", text);
	LLVMDisposeMessage(text);
}

LLVMModuleRef module_parse(const struct buf *bitcode, const char *name, struct err *err)
{
	LLVMContextRef context = LLVMContextCreate();
	struct err found = ERR_INIT;
	LLVMContextSetDiagnosticHandler(context, keep_diagnostic, &found);
	LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRange(bitcode->data, bitcode->size, name, 0);
	LLVMModuleRef module = NULL;
	if (LLVMParseBitcodeInContext2(context, memory, &module))
		module = NULL;
	LLVMDisposeMemoryBuffer(memory);
	LLVMContextSetDiagnosticHandler(context, NULL, NULL);
	if (!module) {
		err_set(err, EINVAL, "cannot read the IR of \"%s\": %s", name, found.message);
		LLVMContextDispose(context);
	}
	return module;
}

void module_free(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
}

void module_write(LLVMModuleRef module, struct buf *out)
{
	LLVMMemoryBufferRef memory = LLVMWriteBitcodeToMemoryBuffer(module);
	buf_add(out, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
	LLVMDisposeMemoryBuffer(memory);
}

const char *module_symbol(LLVMValueRef global)
{
	size_t size;
	const char *name = LLVMGetValueName2(global, &size);
	return name[0] == '\1' ? name + 1 : name;
}

bool module_is_local(LLVMValueRef global)
{
	LLVMLinkage linkage = LLVMGetLinkage(global);
	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

bool module_is_shared(LLVMValueRef function)
{
	return !module_is_local(function) && LLVMGetComdat(function);
}

bool module_is_special(LLVMValueRef variable)
{
	const char *section = LLVMGetSection(variable);
	return strncmp(module_symbol(variable), "llvm.", 5) == 0 || (section && strcmp(section, "llvm.metadata") == 0);
}

char *module_alias_name(LLVMValueRef global, const char *tag)
{
	bool is_function = LLVMIsAFunction(global);
	const char *prefix = is_function ? MODULE_ALIAS_FUNCTION : MODULE_ALIAS_VARIABLE;
	if (is_function && module_is_shared(global))
		return mem_format("%s%s", prefix, module_symbol(global));
	return mem_format("%s%s.%s", prefix, tag, module_symbol(global));
}

bool module_has_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	if (kind && LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind))
		return true;
	return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name,
					     (unsigned)strlen(name));
}

unsigned module_flag(LLVMModuleRef module, const char *name, unsigned otherwise)
{
	LLVMMetadataRef flag = LLVMGetModuleFlag(module, name, strlen(name));
	if (!flag)
		return otherwise;
	LLVMValueRef node = LLVMMetadataAsValue(LLVMGetModuleContext(module), flag);
	LLVMValueRef value = NULL;
	if (LLVMGetMDNodeNumOperands(node) == 1)
		LLVMGetMDNodeOperands(node, &value);
	return value && LLVMIsAConstantInt(value) ? (unsigned)LLVMConstIntGetZExtValue(value) : otherwise;
}

bool module_has_computed_goto(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
		if (LLVMIsABlockAddress(LLVMGetUser(use)))
			return true;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
		if (last && LLVMGetInstructionOpcode(last) == LLVMIndirectBr)
			return true;
	}
	return false;
}

static void name_one(LLVMValueRef global, unsigned *counter)
{
	size_t size;
	LLVMGetValueName2(global, &size);
	if (size)
		return;
	char name[48];
	int length = snprintf(name, sizeof name, "heddle.unnamed.%u", (*counter)++);
	LLVMSetValueName2(global, name, (size_t)length);
}

void module_name_all(LLVMModuleRef module)
{
	unsigned counter = 0;
	for (LLVMValueRef at = LLVMGetFirstFunction(module); at; at = LLVMGetNextFunction(at))
		name_one(at, &counter);
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at; at = LLVMGetNextGlobal(at))
		name_one(at, &counter);
}

void module_find_resolvers(LLVMModuleRef module, struct ptrmap *resolvers)
{
	for (LLVMValueRef at = LLVMGetFirstGlobalIFunc(module); at; at = LLVMGetNextGlobalIFunc(at)) {
		LLVMValueRef resolver = LLVMGetGlobalIFuncResolver(at);
		if (resolver)
			ptrmap_set(resolvers, resolver, resolver);
	}
}

/* Whether assembly defines a symbol that is more than a local label: "1:" and ".Lname:" are, "name:" and what a
 * directive names are not. */
static bool defines_symbol(const char *text, size_t size)
{
	static const char *const directives[] = { ".glob",   ".weak", ".set",   ".equ",
						  ".symver", ".comm", ".lcomm", ".type" };
	for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
		if (memmem(text, size, directives[i], strlen(directives[i])))
			return true;
	for (size_t start = 0, at = 0; at < size; at++) {
		if (strchr("\n;", text[at])) {
			start = at + 1;
			continue;
		}
		while (start < at && strchr(" \t", text[start]))
			start++;
		if (text[at] != ':' || at == start || (start && text[start - 1] == '%'))
			continue;
		bool is_name = true, is_number = true;
		for (size_t i = start; i < at; i++) {
			is_name &= isalnum((unsigned char)text[i]) || strchr("._$", text[i]);
			is_number &= isdigit((unsigned char)text[i]) != 0;
		}
		if (is_name && !is_number && strncmp(text + start, ".L", 2) != 0)
			return true;
	}
	return false;
}

static bool has_symbol_in_assembly(LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
			LLVMValueRef callee =
				LLVMIsACallInst(at) || LLVMIsACallBrInst(at) ? LLVMGetCalledValue(at) : NULL;
			size_t size = 0;
			const char *text =
				callee && LLVMIsAInlineAsm(callee) ? LLVMGetInlineAsmAsmString(callee, &size) : NULL;
			if (text && defines_symbol(text, size))
				return true;
		}
	return false;
}

static bool is_name_character(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("._$", c));
}

/* Adds every word of assembly that could be a name; those that a directive exports are left out, and so are registers. Where names are
 * defined, what a statement begins with is no name, unless it is a label; where they are used, it may be a macro. */
static void add_words(const char *text, size_t size, bool is_definition, struct map *words)
{
	bool is_exported = false, is_first = true;
	for (size_t at = 0; at < size;) {
		size_t start = at;
		while (at < size && is_name_character(text[at]))
			at++;
		if (at == start) {
			bool is_end = text[at] == '\n' || text[at] == ';';
			is_exported &= !is_end;
			is_first |= is_end || text[at] == ':';
			at++;
			continue;
		}
		bool is_instruction =
			is_definition && is_first && text[start] != '.' && (at == size || text[at] != ':');
		is_first = false;
		if (is_instruction || (start && text[start - 1] == '%'))
			continue;
		char *word = mem_format("%.*s", (int)(at - start), text + start);
		if (strcmp(word, ".globl") == 0 || strcmp(word, ".global") == 0 || strcmp(word, ".weak") == 0)
			is_exported = true;
		else
			map_set(words, word, is_exported || map_get(words, word) ? (void *)1 : NULL);
		free(word);
	}
}

void module_assembly_init(struct module_assembly *assembly, LLVMModuleRef module)
{
	size_t size;
	const char *text = LLVMGetModuleInlineAsm(module, &size);
	*assembly = (struct module_assembly){ .module = module };
	add_words(text, size, true, &assembly->words);
}

void module_assembly_release(struct module_assembly *assembly)
{
	map_release(&assembly->words);
}

static bool is_private_word(const struct module_assembly *assembly, const char *name)
{
	return map_has(&assembly->words, name) && !map_get(&assembly->words, name);
}

static bool is_local_symbol(const struct module_assembly *assembly, const char *name)
{
	LLVMValueRef global = LLVMGetNamedGlobal(assembly->module, name);
	if (!global)
		global = LLVMGetNamedFunction(assembly->module, name);
	return global && module_is_local(global);
}

/* Whether inline assembly names something that only its own unit's object knows: what a statement begins with is an instruction or a macro,
 * never a variable or a function, whatever the program calls its own. */
static bool names_private(const struct module_assembly *assembly, const char *text, size_t size)
{
	struct map words = { 0 }, operands = { 0 };
	bool is_found = false;
	add_words(text, size, false, &words);
	add_words(text, size, true, &operands);
	for (size_t i = 0; i < words.room && !is_found; i++)
		is_found = words.slots[i].key && is_private_word(assembly, words.slots[i].key);
	for (size_t i = 0; i < operands.room && !is_found; i++)
		is_found = operands.slots[i].key && is_local_symbol(assembly, operands.slots[i].key);
	map_release(&words);
	map_release(&operands);
	return is_found;
}

/* Whether a constant refers to a declaration that file-scope assembly of the unit defines for itself. */
static bool names_declared(const struct module_assembly *assembly, LLVMValueRef constant, int depth)
{
	if (LLVMIsAGlobalValue(constant))
		return LLVMIsDeclaration(constant) && is_private_word(assembly, module_symbol(constant));
	for (unsigned i = 0; depth < 8 && LLVMIsAConstantExpr(constant) && i < (unsigned)LLVMGetNumOperands(constant);
	     i++)
		if (names_declared(assembly, LLVMGetOperand(constant, i), depth + 1))
			return true;
	return false;
}

bool module_needs_own_assembly(const struct module_assembly *assembly, LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
			for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(at); i++) {
				LLVMValueRef operand = LLVMGetOperand(at, i);
				size_t size = 0;
				if (LLVMIsAInlineAsm(operand)) {
					const char *text = LLVMGetInlineAsmAsmString(operand, &size);
					if (names_private(assembly, text, size))
						return true;
				} else if (assembly->words.count && LLVMIsAConstant(operand) &&
					   names_declared(assembly, operand, 0)) {
					return true;
				}
			}
	return false;
}

unsigned module_plain_reason(LLVMValueRef function, const struct ptrmap *resolvers)
{
	bool is_resolver;
	ptrmap_get(resolvers, function, &is_resolver);
	if (module_has_attribute(function, "naked"))
		return HEDDLE_PLAIN_NAKED;
	if (is_resolver)
		return HEDDLE_PLAIN_IFUNC_RESOLVER;
	if (module_has_computed_goto(function))
		return HEDDLE_PLAIN_COMPUTED_GOTO;
	if (LLVMHasPrologueData(function) || module_has_attribute(function, "patchable-function-entry") ||
	    module_has_attribute(function, "patchable-function-prefix") ||
	    module_has_attribute(function, "fentry-call"))
		return HEDDLE_PLAIN_OWN_ENTRY;
	if (module_has_attribute(function, "disable_sanitizer_instrumentation"))
		return HEDDLE_PLAIN_EXCLUDED;
	if (has_symbol_in_assembly(function))
		return HEDDLE_PLAIN_ASM_SYMBOL;
	return HEDDLE_PLAIN_NOT;
}

bool module_is_counter(LLVMValueRef variable)
{
	static const char *const names[] = { "__llvm_gcov_",
					     "__llvm_gcda_",
					     "__llvm_internal_gcov_",
					     "__llvm_profile_",
					     "__profc_",
					     "__profbm_",
					     "__sancov_",
					     "__ubsan_vptr_type_cache",
					     NULL };
	static const char *const sections[] = { "__llvm_prf_", "__sancov_", NULL };
	return word_begins_with_any(module_symbol(variable), names) ||
	       word_begins_with_any(LLVMGetSection(variable), sections);
}
