/*
 * vsyscall.h: the entry points at fixed addresses that kernels once had for gettimeofday, time and getcpu, and that
 * most still emulate. A call of one is not a system call instruction: Heddle cannot see it, and it returns the real
 * time. No current libc makes one, so a program that has code for it means to use it.
 */
#ifndef WORLD_KERNEL_VSYSCALL_H
#define WORLD_KERNEL_VSYSCALL_H

/* Ends the run when the program has such code, if this kernel has the entry points; for loaded system libraries that
 * have it, the report has a note. */
void vsyscall_check(void);

#endif
