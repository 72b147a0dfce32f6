/*
 * vsyscall.h: the entry points at fixed addresses that kernels once had for gettimeofday, time and getcpu, and that most
 * still emulate. A call of one is no system call instruction: nothing lets us see it, and it tells the real time. No libc
 * of today makes one, so it is enough to say when a program has code that does.
 */
#ifndef WORLD_VSYSCALL_H
#define WORLD_VSYSCALL_H

/* Says in the report which files have such code, as far as they are loaded, if this kernel has the entry points. */
void vsyscall_tell(void);

#endif
