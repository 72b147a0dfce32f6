/*
 * dispatch.h: the net below everything: the kernel's syscall user dispatch turns every system call instruction outside
 * our own code into a signal, so none is missed. It is slow (some microseconds), so libc's instructions are patched as
 * well (patch.h). It applies to the thread that arms it, not to threads and processes that this thread makes, and the
 * kernel kills a process that has blocked the signal: so it suits only a mode that serves all system calls itself.
 */
#ifndef RT_ENTER_DISPATCH_H
#define RT_ENTER_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "rt/enter/registers.h"

/* What else arrives as SIGSYS. On the stack for handlers. */
struct dispatch_others {
	void (*timer)(const struct registers *registers);           /* a timer of the mode's */
	void (*other_interface)(const struct registers *registers); /* a call of the 32-bit interface */
};

/* Finds our code and the loader's, and arms this thread: its system calls arrive at entrance.syscall. A stack for
 * handlers must exist. Returns 0, or a negative number when the kernel cannot. */
int dispatch_start(uintptr_t loader_base, const struct dispatch_others *others);

/* Arms this thread, or this process after a fork. */
void dispatch_arm(void);

/* Whether the instruction belongs to the loader; to us. */
bool dispatch_is_loader(uintptr_t code);
bool dispatch_is_own(uintptr_t code);

#endif
