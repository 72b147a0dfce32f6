/*
 * instrument.h: puts the calls of the hooks into one function: before each access that may be shared, and round each
 * atomic one.
 */
#ifndef IR_INSTRUMENT_H
#define IR_INSTRUMENT_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "ir/escape.h"
#include "ir/named.h"
#include "ir/proof.h"
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
	char **promised; /* as in struct proof */
	unsigned invariant_kind;
	bool is_small;       /* all data of the object is within 32 bits of its code */
	bool is_replaceable; /* exported variables may be replaced by another object's */
};

void instrument_init(struct instrument *instrument, LLVMModuleRef module, LLVMTargetDataRef layout);
void instrument_release(struct instrument *instrument);

/* What becomes of an access: it is a site, or not because it is provably not shared, or because it is in an address space that
 * is not known. */
enum instrument_fate { INSTRUMENT_SITE, INSTRUMENT_SKIPPED, INSTRUMENT_STRANGE };
enum instrument_fate instrument_fate(struct instrument *instrument, LLVMValueRef instruction,
				     const struct access *access);

/* The name of what a site accesses; null when there is none. Caller frees. */
char *instrument_name(struct variable_names *names, LLVMValueRef instruction, const struct access *access);

/* The name of what a call locks or waits for, without members that are the implementation's; null when there is none that says something.
 * Caller frees. */
char *instrument_object_name(struct variable_names *names, const struct named *object);

/* Instruments function, whose row in the table has been begun, and fills the row's counts and flags. proof (may be null): sites
 * that get no hook; if it is about another number of sites, which is known at the end only, that is a fault of ours. */
void instrument_function(struct instrument *instrument, LLVMValueRef function, const struct proof_function *proof,
			 struct heddle_function *row);

#endif
