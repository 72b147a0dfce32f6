/*
 * instrument.h: puts the calls of the hooks into one function: before each access that may be shared, and round each
 * atomic one.
 */
#ifndef IR_INSTRUMENT_H
#define IR_INSTRUMENT_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "ir/escape.h"
#include "ir/table.h"
#include "ir/variable.h"

struct instrument {
	LLVMModuleRef module;
	LLVMTargetDataRef layout;
	LLVMBuilderRef builder;
	LLVMTypeRef pointer, i32, i64, void_type;
	struct escape *escape;
	struct variable_names *names;
	struct table *table;
	unsigned invariant_kind;
	bool is_small;       /* all data of the object is within 32 bits of its code */
	bool is_replaceable; /* exported variables may be replaced by another object's */
};

void instrument_init(struct instrument *instrument, LLVMModuleRef module, LLVMTargetDataRef layout);
void instrument_release(struct instrument *instrument);

/* Instruments function, whose row in the table has been begun, and fills the row's counts and flags. */
void instrument_function(struct instrument *instrument, LLVMValueRef function, struct heddle_function *row);

#endif
