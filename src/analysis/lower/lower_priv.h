/* lower_priv.h: what the files of lowering share. One struct lower for the program; its second half is about the
 * current module. */
#ifndef ANALYSIS_LOWER_LOWER_PRIV_H
#define ANALYSIS_LOWER_LOWER_PRIV_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "analysis/program/whole.h"
#include "base/map.h"
#include "base/ptrmap.h"
#include "ir/instrument.h"

/* What was found of the accesses of an instruction before local variables became values. */
struct lower_sites {
	uint32_t first_ordinal;
	uint32_t is_site;       /* bit i: access number i of access_find is a site */
	const char **variables; /* one for each bit that is set, in order */
};

struct lower {
	struct whole *whole;
	struct map variables; /* name of a variable that units share -> 1 + object */
	struct map weak;      /* names of functions and variables whose definition so far is weak */
	struct map aliases;   /* names of aliases that units share -> 1 + object */
	uint32_t exceptions;  /* object */
	uint32_t files;       /* object: what is written to files, pipes and sockets */
	uint32_t opaque;      /* value */

	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMTargetDataRef layout;
	uint32_t unit;
	bool is_shared;            /* linked into a shared library */
	struct ptrmap values;      /* LLVM value of the current function -> 1 + value */
	struct ptrmap blocks;      /* LLVM basic block of it -> 1 + block */
	struct ptrmap globals;     /* LLVM global of the module -> 1 + object */
	struct ptrmap places;      /* debug location -> 1 + place */
	struct ptrmap layouts;     /* LLVM type -> 1 + layout, or the null pointer for none */
	struct ptrmap types;       /* metadata of a type -> 1 + type, or the null pointer for none */
	struct ptrmap sites;       /* instruction -> struct lower_sites */
	struct ptrmap site_counts; /* function -> number of its sites */
	struct ptrmap locks;       /* call -> name of the lock that it takes */
	struct ptrmap forged;      /* numbers of the current function that pointers are made of -> null */
	uint32_t function;         /* the current one */
	uint32_t block;
	uint32_t varargs; /* object with the variable arguments of the current function, or WHOLE_NONE */
};

/* ---- analysis/lower/type.c: layouts ---- */

/* The layout of a type, or WHOLE_NONE when there is no array in it. */
uint32_t lower_layout(struct lower *lower, LLVMTypeRef type);
/* That of elements of a type, of which there are many, one after the other. */
uint32_t lower_array_layout(struct lower *lower, LLVMTypeRef element);

/* ---- analysis/lower/constant.c: constants, addresses, variables and what they begin with ---- */

/* The object of a variable or a function of the current module. Aliases lead to what they stand for; WHOLE_NONE when
 * that is not known. */
uint32_t lower_global(struct lower *lower, LLVMValueRef global);
/* The value of a constant; an aggregate of several addresses becomes an instruction of the current block, that copies
 * one of them. */
uint32_t lower_constant(struct lower *lower, LLVMValueRef constant);
/* Whether a definition of a function or variable does not count because there is another (is_defined) that does. */
bool lower_is_replaced(struct lower *lower, LLVMValueRef global, bool is_defined);
/* Defines the variables of the module. */
void lower_variables(struct lower *lower);

/* ---- analysis/lower/place.c ---- */

/* Where an instruction, or its metadata location, is; WHOLE_NONE when not known. */
uint32_t lower_place(struct lower *lower, LLVMValueRef instruction);
uint32_t lower_function_place(struct lower *lower, LLVMValueRef function);
uint32_t lower_variable_place(struct lower *lower, LLVMValueRef variable);

/* ---- analysis/lower/tag.c ---- */

/* The type that an instruction accesses its memory with, or WHOLE_NONE: not known, or of several accesses. */
uint32_t lower_tag(struct lower *lower, LLVMValueRef at);

/* ---- analysis/lower/call.c ---- */

/* Lowers a call or invoke of the current block. */
void lower_call(struct lower *lower, LLVMValueRef call);

/* ---- analysis/lower/number.c: pointers in numbers ---- */

/* Finds the numbers of a function that pointers are made of, or may be where it returns to, before its instructions are lowered. */
void lower_find_forged(struct lower *lower, LLVMValueRef function);
/* Arithmetic on numbers that may be pointers: by a constant it is a step; otherwise it may lead anywhere in what either operand
 * points to. The distance of two pointers is none itself. */
void lower_arithmetic(struct lower *lower, LLVMValueRef at);
/* What arithmetic does not leave a pointer, but a part of it: shifts, products, what is cut off. */
void lower_mangled(struct lower *lower, LLVMValueRef at);
/* The same of an intrinsic: bytes or bits in another order, the lesser of two. Returns whether it is one that may leave a pointer. */
bool lower_mixed(struct lower *lower, LLVMValueRef call, const char *name);
/* A number that gets more bits. */
void lower_widened(struct lower *lower, LLVMValueRef at);
/* A number becomes a pointer. It points to what went into the number, if that can be followed. */
void lower_forged(struct lower *lower, LLVMValueRef at);

/* ---- analysis/lower/body.c ---- */

/* The value that an instruction's operand is. */
uint32_t lower_value(struct lower *lower, LLVMValueRef value);
/* Adds an instruction to the current block; result: the LLVM instruction whose value it makes, or null. */
uint32_t lower_add(struct lower *lower, enum whole_op op, LLVMValueRef at, LLVMValueRef result);
/* The same with a new value as its result, which is returned. */
uint32_t lower_make(struct lower *lower, enum whole_op op, LLVMValueRef at, uint32_t operand, uint32_t operand2);
/* The address of an access of `at`. */
uint32_t lower_access_place(struct lower *lower, LLVMValueRef at, const struct access *access);
/* Puts the accesses of `at` to the last instruction; those of inline assembly, to one of their own. */
void lower_accesses(struct lower *lower, LLVMValueRef at);
/* Makes the LLVM instruction's value come from one of the values. */
void lower_copy(struct lower *lower, LLVMValueRef at, const uint32_t *values, unsigned count);
/* The value `offset` bytes after another; and the value any multiple of stride after it (index: how often, or
 * WHOLE_NONE). */
uint32_t lower_offset(struct lower *lower, LLVMValueRef at, uint32_t base, int64_t offset);
uint32_t lower_stride(struct lower *lower, LLVMValueRef at, uint32_t base, uint64_t stride, uint32_t index);
/* The first of them for a number: see is_number of struct whole_instruction. */
uint32_t lower_sum(struct lower *lower, LLVMValueRef at, uint32_t base, int64_t offset);
void lower_body(struct lower *lower, LLVMValueRef function);

#endif
