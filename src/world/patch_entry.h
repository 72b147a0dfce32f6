/* patch_entry.h: what trampolines (world/patch.c) jump to. */
#ifndef WORLD_PATCH_ENTRY_H
#define WORLD_PATCH_ENTRY_H

#include <stdint.h>

/* In a trampoline. Packed: it stands between instructions. */
struct patch_record {
	uint64_t rip;    /* behind the system call in the library */
	uint8_t call[2]; /* the system call instruction; what follows continues */
} __attribute__((packed));

/* Not a C function: a trampoline jumps here with the address of its record in rcx. */
void patch_entry(void);

#endif
