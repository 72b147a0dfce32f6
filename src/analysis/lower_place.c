/* lower_place.c: debug locations become places. See lower_priv.h. */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>

#include "analysis/lower_priv.h"
#include "ir/debug.h"

static const char *file_name(struct lower *lower, LLVMMetadataRef scope)
{
	char *file = debug_file(scope);
	const char *kept = whole_string(lower->whole, file);
	free(file);
	return kept;
}

static uint32_t place_of(struct lower *lower, LLVMMetadataRef location)
{
	uintptr_t known = (uintptr_t)ptrmap_get(&lower->places, location, NULL);
	if (known)
		return (uint32_t)(known - 1);
	LLVMMetadataRef scope = LLVMDILocationGetScope(location), outer = LLVMDILocationGetInlinedAt(location);
	LLVMMetadataRef function = debug_subprogram(lower->context, scope);
	struct whole_place place = {
		.file = file_name(lower, scope),
		.function = function ? whole_string(lower->whole, debug_function_name(lower->context, function)) : NULL,
		.line = LLVMDILocationGetLine(location),
		.column = LLVMDILocationGetColumn(location),
		.inlined_at = outer ? place_of(lower, outer) : WHOLE_NONE,
	};
	uint32_t index = whole_add_place(lower->whole, &place);
	ptrmap_set(&lower->places, location, (void *)((uintptr_t)index + 1));
	return index;
}

uint32_t lower_place(struct lower *lower, LLVMValueRef instruction)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	return location ? place_of(lower, location) : WHOLE_NONE;
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
