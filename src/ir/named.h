/*
 * named.h: calls that lock, wait or signal, and the arguments that say what. The weave keeps the names of these as the
 * source writes them, since a lock on the heap or on a stack has no symbol that a report could name it by.
 */
#ifndef IR_NAMED_H
#define IR_NAMED_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "base/sync_call.h"
#include "heddle/abi.h"

#define NAMED_MAX SYNC_CALL_MAX_ARGUMENTS

struct named {
	LLVMValueRef pointer; /* null: which it is is not known */
	LLVMValueRef where;   /* the instruction in whose words it is to be named: a guard is made elsewhere */
	enum heddle_named kind;
};

/* What the instruction locks, waits for or signals. Returns how many there are; 0 for other instructions, and for calls of functions
 * that the program defines itself, except those of the C++ library, which are defined in every program that uses them. */
unsigned named_find(LLVMValueRef instruction, struct named found[NAMED_MAX]);

#endif
