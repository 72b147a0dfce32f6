/*
 * vsyscall.h: the entry points at fixed addresses that kernels once had for gettimeofday, time and getcpu, and that most
 * still emulate. A call of one is no system call instruction: nothing lets us see it, and it tells the real time. No libc
 * of today makes one, so a program that has code for it means to use it.
 */
#ifndef WORLD_KERNEL_VSYSCALL_H
#define WORLD_KERNEL_VSYSCALL_H

/* Ends the run when the program has such code, if this kernel has the entry points; of libraries of the system that have it, as far as they are
 * loaded, the report has a note. */
void vsyscall_check(void);

#endif
