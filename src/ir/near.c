/* near.c: see near.h. */
#include "ir/near.h"

#include <string.h>

#include "ir/debug.h"

/* Instructions that are examined in each direction: a function with thousands of accesses without a line must not take
 * forever. */
#define MAX_STEPS 500u

/* The function that is looked for: of one inlined copy, in one file. */
struct level {
	LLVMContextRef context;
	LLVMMetadataRef subprogram, file, inlined_at;
};

/* Declarations of variables have locations that are not those of code. */
static bool is_code(LLVMValueRef instruction)
{
	size_t size;
	if (!LLVMIsACallInst(instruction))
		return true;
	const char *name = LLVMGetValueName2(LLVMGetCalledValue(instruction), &size);
	return size < 9 || strncmp(name, "llvm.dbg.", 9) != 0;
}

/* Its line at that level, if it has one. */
static bool has_line(const struct level *level, LLVMValueRef instruction, struct near_line *found)
{
	LLVMMetadataRef location = is_code(instruction) ? LLVMInstructionGetDebugLoc(instruction) : NULL;
	for (; location; location = LLVMDILocationGetInlinedAt(location)) {
		LLVMMetadataRef scope = LLVMDILocationGetScope(location);
		if (LLVMDILocationGetInlinedAt(location) != level->inlined_at || !LLVMDILocationGetLine(location) ||
		    LLVMDIScopeGetFile(scope) != level->file ||
		    debug_subprogram(level->context, scope) != level->subprogram)
			continue;
		*found = (struct near_line){ LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location), true };
		return true;
	}
	return false;
}

static bool look_back(const struct level *level, LLVMValueRef at, unsigned *steps, struct near_line *found)
{
	for (; at && *steps < MAX_STEPS; at = LLVMGetPreviousInstruction(at), ++*steps)
		if (has_line(level, at, found))
			return true;
	return false;
}

static bool look_ahead(const struct level *level, LLVMValueRef at, unsigned *steps, struct near_line *found)
{
	for (; at && *steps < MAX_STEPS; at = LLVMGetNextInstruction(at), ++*steps)
		if (has_line(level, at, found))
			return true;
	return false;
}

/* In its block first, then in those before it, then in those after it, as the compiler has ordered them. */
static bool look_around(const struct level *level, LLVMValueRef instruction, struct near_line *found)
{
	unsigned back = 0, ahead = 0;
	LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction), at;
	if (look_back(level, LLVMGetPreviousInstruction(instruction), &back, found) ||
	    look_ahead(level, LLVMGetNextInstruction(instruction), &ahead, found))
		return true;
	for (at = LLVMGetPreviousBasicBlock(block); at && back < MAX_STEPS; at = LLVMGetPreviousBasicBlock(at))
		if (look_back(level, LLVMGetLastInstruction(at), &back, found))
			return true;
	for (at = LLVMGetNextBasicBlock(block); at && ahead < MAX_STEPS; at = LLVMGetNextBasicBlock(at))
		if (look_ahead(level, LLVMGetFirstInstruction(at), &ahead, found))
			return true;
	return false;
}

struct near_line near_line(LLVMContextRef context, LLVMValueRef instruction, LLVMMetadataRef location)
{
	struct near_line found = { 0, 0, false };
	struct level level = { .context = context };
	if (location && LLVMDILocationGetLine(location))
		return (struct near_line){ LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location), false };
	if (location) {
		LLVMMetadataRef scope = LLVMDILocationGetScope(location);
		level.subprogram = debug_subprogram(context, scope);
		level.file = LLVMDIScopeGetFile(scope);
		level.inlined_at = LLVMDILocationGetInlinedAt(location);
	} else {
		level.subprogram = LLVMGetSubprogram(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
		level.file = level.subprogram ? LLVMDIScopeGetFile(level.subprogram) : NULL;
	}
	if (!level.subprogram || !level.file || look_around(&level, instruction, &found))
		return found;
	if (LLVMDIScopeGetFile(level.subprogram) == level.file)
		found.line = LLVMDISubprogramGetLine(level.subprogram);
	found.is_near = found.line != 0;
	return found;
}
