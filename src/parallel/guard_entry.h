/*
 * guard_entry.h: the entry of guarded accesses (parallel/probe.h), in assembly. What is frequent is decided here: the thread accesses the
 * cell from the same place as before, or from another one, after an access of another thread that the set has. The rest is for
 * guard_hit and guard_stop.
 *
 * Invariants:
 *  1. The entry changes no register but r10, r11 and the flags, whatever the functions do.
 *     Assured by tests/cases/run.t.
 */
#ifndef PARALLEL_GUARD_ENTRY_H
#define PARALLEL_GUARD_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "parallel/probe.h"

void guard_entry(void) __attribute__((visibility("hidden")));

/* This thread's number in the recorder; 0: it has none yet. */
extern __thread uint32_t guard_thread __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The registers that functions keep, as they are at the call, for unwinding. */
struct guard_frame {
	uint64_t r15, r14, r13, r12, rbx, rbp;
};

/* In guard.c. probe->own: the set, as of recorder_access, never null. True: guard_stop is to be called. */
bool guard_hit(uintptr_t address, const struct probe *probe) __attribute__((visibility("hidden")));
/* rsp: at the call; *rsp is where it returns to. */
void guard_stop(uintptr_t address, const struct probe *probe, const struct guard_frame *frame, const uint64_t *rsp)
	__attribute__((visibility("hidden")));

#endif
