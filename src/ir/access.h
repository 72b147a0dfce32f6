/*
 * access.h: what one IR instruction does to memory, in the terms of the ABI. Whether the memory can be shared is not
 * asked here (escape.h).
 *
 * A call of a library function is an access, too, if access.c lists the function: the bytes that memcpy, strlen and the
 * like certainly read or write, which the clone announces at run time. What library functions do to pointers, threads and
 * locks is in src/analysis/models, for the static analysis only. A function that reads or writes its caller's memory needs a row in both.
 */
#ifndef IR_ACCESS_H
#define IR_ACCESS_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

#include "ir/assembly.h"

/* How the hook learns what is accessed. */
enum access_form {
	ACCESS_FIXED,    /* size_bytes at pointer */
	ACCESS_RANGE,    /* length (an IR value) bytes at pointer, or size_bytes when length is null */
	ACCESS_MASKED,   /* elements of size_bytes at pointer, those whose bit in mask is set */
	ACCESS_PACKED,   /* as many elements of size_bytes at pointer as mask has bits */
	ACCESS_GATHERED, /* pointer is a vector; each element, if its bit in mask is set, points to size_bytes */
	ACCESS_FENCE,
	ACCESS_OPAQUE, /* inline assembly that is not understood */
};

struct access {
	LLVMValueRef pointer;
	LLVMValueRef length;
	LLVMValueRef mask;
	enum access_form form;
	uint8_t kind;  /* enum heddle_access */
	uint8_t order; /* packed, as in struct heddle_site */
	uint32_t flags;
	uint64_t size_bytes;
	/* Of inline assembly. The address is pointer + displacement + (index >> index_shift) * scale; index may be null. */
	int64_t displacement;
	LLVMValueRef index;
	uint8_t index_shift, scale;
	LLVMValueRef
		expected; /* what a compare and exchange must find; null: the memory itself shows whether it was done */
};

/* The most accesses that are reported for one instruction. Only a call that copies more arguments by value has more; it
 * then counts as opaque too. */
enum { ACCESS_MAX = 16 };

/* Fills found with the accesses of instruction and returns how many there are. *is_opaque is set when the instruction
 * may access memory in a way that is not known: inline assembly that is not understood (assembly.h), or an unknown intrinsic. */
unsigned access_find(LLVMValueRef instruction, LLVMTargetDataRef layout, struct access found[ACCESS_MAX],
		     bool *is_opaque);

/* Whether it is one of the kinds that are bracketed: atomic accesses and fences. */
bool access_is_atomic(const struct access *access);

/* Whether it is at another address than pointer. */
bool access_is_elsewhere(const struct access *access);

/* Reads a call of inline assembly. */
void access_read_assembly(LLVMValueRef call, LLVMTargetDataRef layout, struct assembly *assembly);

#endif
