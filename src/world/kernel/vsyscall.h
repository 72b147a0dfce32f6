/*
 * vsyscall.h: the entry points at fixed addresses that kernels once had for gettimeofday, time and getcpu, and that
 * most still emulate. A call of one is not a system call instruction: Heddle cannot see it, and it returns the real
 * time. No current libc makes one, so a program that has code for it means to use it.
 */
#ifndef WORLD_KERNEL_VSYSCALL_H
#define WORLD_KERNEL_VSYSCALL_H

/* If this kernel has the entry points, ends the run if the program has such code, and adds a note to the report if a
 * loaded system library has it. */
void vsyscall_check(void);

#endif
