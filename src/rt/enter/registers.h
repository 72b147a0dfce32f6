/* registers.h: the general registers at a system call instruction: what the caller sees afterwards, too. */
#ifndef RT_ENTER_REGISTERS_H
#define RT_ENTER_REGISTERS_H

#include <stdint.h>

struct registers {
	uint64_t r15, r14, r13, r12, rbp, rbx;
	uint64_t r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
	uint64_t number; /* of the call; rax becomes its result */
	uint64_t rip;    /* after the instruction, in the program's own code, also when that was patched */
	uint64_t rflags;
	uint64_t rsp;
	/* The extended state (xsave) at the call when it was saved already, else null: the registers themselves have it. */
	void *extended;
};

#endif
