/* address.h: address arithmetic, read backwards. */
#ifndef IR_ADDRESS_H
#define IR_ADDRESS_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdint.h>

/* Strips one step of address arithmetic (GEP, casts, as instruction or constant): the pointer it started from, or null
 * when value is not such a step. */
LLVMValueRef address_step_back(LLVMValueRef value);

/* Adds the constant part of what one step adds to the address. Where there is a part that is not constant, *stride gets
 * the number of bytes that it is a multiple of; else *stride stays. */
void address_add_step(LLVMTargetDataRef layout, LLVMValueRef step, int64_t *offset, uint64_t *stride);

#endif
