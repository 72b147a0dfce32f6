/*
 * uses.h: what a function does with a value that it reads, and where a value that it writes comes from. Only what the instructions
 * show within a few steps: whatever is not understood uses all bits, and is no computation.
 *
 * For the reasons why a race is harmless (model/reason.h): a statistic is read to be written again, and a reader of flags tests bits
 * that others leave alone.
 */
#ifndef IR_USES_H
#define IR_USES_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

/* The bits of the value of a load that matter, from bit 0 on; all that the type has, if it is not an integer or its uses are not understood. */
uint64_t uses_bits(LLVMValueRef load);

/* Whether a store writes what is computed, by arithmetic, from a value that was read where it is written. */
bool uses_is_computed(LLVMValueRef store);

/* Whether the value of a load is used for such writes to the same place, and for nothing else. */
bool uses_only_computes(LLVMValueRef load);

#endif
