/*
 * landing.h: bad pointers in system calls that the world serves itself. Where the kernel would copy from or to the
 * program and return EFAULT, we use the program's memory as it is; when that faults, the thread continues at its
 * landing, as after longjmp, and the call fails. Rules for code that runs with a landing:
 *  1. Before it changes the state of the world, it has read everything that it needs from the program's memory; or its
 *     changes are complete whenever it reads or writes there.
 *     Assured by tests/control/run.t.
 *  2. It has no landing while other code decides which thread runs or while handlers run: thread_block and
 *     thread_yield ensure that.
 */
#ifndef WORLD_KERNEL_LANDING_H
#define WORLD_KERNEL_LANDING_H

#include "world/world.h"

struct landing {
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
};

/* Returns false. If later an instruction of ours faults while world.current->landing is this one, returns a second
 * time, with true. The caller sets world.current->landing, and sets it to null before it returns or after the fault. */
bool landing_prepare(struct landing *landing) __attribute__((returns_twice));

/* Call it when an instruction faulted at this address of memory. If the instruction is ours and there is a landing,
 * changes the registers to continue there and returns true. */
bool landing_take(struct registers *registers, uintptr_t address);

#endif
