/* place.c: debug locations become places. See lower_priv.h. */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

#include "analysis/lower/lower_priv.h"
#include "ir/debug.h"
#include "ir/near.h"

static const char *file_name(struct lower *lower, LLVMMetadataRef scope)
{
	char *file = debug_file(scope);
	const char *kept = whole_string(lower->whole, file);
	free(file);
	return kept;
}

/* Whether reports may show the instruction: others need no line, and there are many of them. */
static bool is_reportable(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMVAArg:
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		return true;
	default:
		return false;
	}
}

/* The location of the instruction, or one that it was inlined at. One without a line means another place in each instruction. */
static uint32_t place_of(struct lower *lower, LLVMValueRef instruction, LLVMMetadataRef location)
{
	uintptr_t known = (uintptr_t)ptrmap_get(&lower->places, location, NULL);
	if (known)
		return (uint32_t)(known - 1);
	LLVMMetadataRef scope = LLVMDILocationGetScope(location), outer = LLVMDILocationGetInlinedAt(location);
	LLVMMetadataRef function = debug_subprogram(lower->context, scope);
	struct near_line line = { LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location), false };
	const bool is_lineless = !line.line;
	if (is_lineless && is_reportable(instruction))
		line = near_line(lower->context, instruction, location);
	struct whole_place place = {
		.file = file_name(lower, scope),
		.function = function ? whole_string(lower->whole, debug_function_name(lower->context, function)) : NULL,
		.line = line.line,
		.column = line.is_near ? 0 : line.column,
		.is_near = line.is_near,
		.inlined_at = outer ? place_of(lower, instruction, outer) : WHOLE_NONE,
	};
	uint32_t index = whole_add_place(lower->whole, &place);
	if (!is_lineless)
		ptrmap_set(&lower->places, location, (void *)((uintptr_t)index + 1));
	return index;
}

uint32_t lower_place(struct lower *lower, LLVMValueRef instruction)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	if (location)
		return place_of(lower, instruction, location);
	if (!is_reportable(instruction))
		return WHOLE_NONE;
	uint32_t place = lower_function_place(lower, LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
	if (place != WHOLE_NONE) {
		struct near_line line = near_line(lower->context, instruction, NULL);
		lower->whole->place[place].line = line.line;
		lower->whole->place[place].is_near = line.is_near;
	}
	return place;
}

uint32_t lower_function_place(struct lower *lower, LLVMValueRef function)
{
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	if (!subprogram)
		return WHOLE_NONE;
	struct whole_place place = { .file = file_name(lower, subprogram),
				     .function = whole_string(lower->whole,
							      debug_function_name(lower->context, subprogram)),
				     .line = LLVMDISubprogramGetLine(subprogram),
				     .inlined_at = WHOLE_NONE };
	return whole_add_place(lower->whole, &place);
}

/* Where a variable is declared. */
uint32_t lower_variable_place(struct lower *lower, LLVMValueRef variable)
{
	size_t count;
	LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(variable, &count);
	uint32_t place = WHOLE_NONE;
	for (unsigned i = 0; i < count && place == WHOLE_NONE; i++) {
		LLVMMetadataRef at = LLVMValueMetadataEntriesGetMetadata(all, i);
		if (LLVMGetMetadataKind(at) != LLVMDIGlobalVariableExpressionMetadataKind)
			continue;
		LLVMMetadataRef row = LLVMDIGlobalVariableExpressionGetVariable(at);
		LLVMMetadataRef scope = row ? LLVMDIVariableGetFile(row) : NULL;
		char *file = scope ? debug_file(scope) : NULL;
		if (file && LLVMDIVariableGetLine(row))
			place = whole_add_place(lower->whole,
						&(struct whole_place){ .file = whole_string(lower->whole, file),
								       .line = LLVMDIVariableGetLine(row),
								       .inlined_at = WHOLE_NONE });
		free(file);
	}
	LLVMDisposeValueMetadataEntries(all);
	return place;
}
