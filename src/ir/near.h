/*
 * near.h: the line of an instruction, also of one that has none. The optimiser merges accesses of several lines into
 * one and then gives it line 0. The line of the nearest instruction in the same function is still useful: it is found
 * here, and marked as near.
 */
#ifndef IR_NEAR_H
#define IR_NEAR_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdbool.h>
#include <stdint.h>

struct near_line {
	uint32_t line, column; /* 0: not known */
	bool is_near;          /* it is not the instruction's own */
};

/* location: that of the instruction, or one of those that it was inlined at; null: it has none. Where it has no line, that of
 * the nearest instruction of the same function (of the same inlined copy, in the same file), before it if there is one in its
 * block; where there is none, that of the function's declaration. The same for the same code with calls added to it that have
 * the locations of their neighbours. */
struct near_line near_line(LLVMContextRef context, LLVMValueRef instruction, LLVMMetadataRef location);

#endif
