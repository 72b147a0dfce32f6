/*
 * guard_entry.h: the entry of guarded accesses (parallel/probe.h), in assembly. It handles the frequent cases itself:
 * the last access to the cell was by this thread, either from the same place, or from another place while the remote
 * predecessor is unknown or in the set. It calls guard_hit and guard_stop for all other cases.
 *
 * Invariants:
 *  1. The entry changes no register but r10, r11 and the flags, whatever the functions that it calls do.
 *     Assured by tests/cases/run.t.
 */
#ifndef PARALLEL_GUARD_ENTRY_H
#define PARALLEL_GUARD_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "parallel/probe.h"

void guard_entry(void) __attribute__((visibility("hidden")));

/* This thread's number in the recorder; 0: none assigned yet. */
extern __thread uint32_t guard_thread __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The callee-saved registers at the guarded access, for unwinding. */
struct guard_frame {
	uint64_t r15, r14, r13, r12, rbx, rbp;
};

/* Both are defined in guard.c and called by guard_entry alone. probe->own is the set of the place, as for
 * recorder_access, and never null. guard_hit records the access and returns false; if it returns true, guard_stop must
 * be called. */
bool guard_hit(uintptr_t address, const struct probe *probe) __attribute__((visibility("hidden")));
/* frame and rsp: the registers at the call of the probe; *rsp is the return address of that call. */
void guard_stop(uintptr_t address, const struct probe *probe, const struct guard_frame *frame, const uint64_t *rsp)
	__attribute__((visibility("hidden")));

#endif
