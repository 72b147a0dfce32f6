/*
 * landing.h: bad pointers in system calls that the world serves itself. Where the kernel would copy from or to the
 * program and return EFAULT, we use the program's memory as it is; when that faults, the thread continues at its
 * landing, as after longjmp, and the call fails. Rules for code that runs with a landing:
 *  1. Whatever it changes of the world, it has read all that it needs from the program before, or has nothing half done
 *     when it reads or writes there.
 *     Assured by tests/control/run.t.
 *  2. It keeps no landing while other code decides which thread runs or while handlers run: thread_block and
 *     thread_yield see to that.
 */
#ifndef WORLD_KERNEL_LANDING_H
#define WORLD_KERNEL_LANDING_H

#include "world/world.h"

struct landing {
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
};

/* Returns false; and then, if an instruction of ours faults while world.current->landing is this one, again, with true.
 * The caller sets that, and sets it to null before it returns or after the fault. */
bool landing_prepare(struct landing *landing) __attribute__((returns_twice));

/* An instruction faulted at this address of memory. If it is one of ours and there is a landing: changes the registers and returns true. */
bool landing_take(struct registers *registers, uintptr_t address);

#endif
