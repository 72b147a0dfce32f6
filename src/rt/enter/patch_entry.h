/* patch_entry.h: what trampolines (rt/enter/patch.c) jump to. */
#ifndef RT_ENTER_PATCH_ENTRY_H
#define RT_ENTER_PATCH_ENTRY_H

#include <stdint.h>

/* In a trampoline. Packed: it stands between instructions. */
struct patch_record {
	uint64_t rip;    /* behind the system call in the library */
	uint8_t call[2]; /* the system call instruction; what follows continues */
} __attribute__((packed));

/* Not a C function: a trampoline jumps here with the address of its record in rcx. */
void patch_entry(void);

/* Below the caller's stack pointer at an entry: what it may use there itself, the record's address, struct registers. */
#define PATCH_FRAME_BYTES 296u

/* Not C functions either. With rbp the address of a struct registers, on the stack, at PATCH_FRAME_BYTES below the stack
 * pointer that is in it, and rsp not above: patch_trap makes the system call in the registers; both continue with what
 * is in them, exactly. patch_leave works with a structure anywhere. */
void patch_trap(void);
void patch_leave(void);

#endif
