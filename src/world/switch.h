/* switch.h: switches between coroutines. */
#ifndef WORLD_SWITCH_H
#define WORLD_SWITCH_H

#include "world/world.h"

/* Detects the features of the processor. Call it once, before any switch. Returns 0, or -1 if there is no memory. */
int switch_start(void);

/* Suspends the current thread and continues the other one; returns when another thread switches back.
 * The caller has set world.current. */
void switch_threads(struct thread *from, struct thread *to);

/* Continues the other thread and never returns, so the stack of the caller may be reused. */
_Noreturn void switch_away(struct thread *to);

/* Prepares a new thread that begins with these registers when it is switched to for the first time. They are copied
 * below registers->rsp. Returns the stack pointer of the new thread. */
void *switch_prepare(const struct registers *registers);

/* Saves the extended state at `at`, a multiple of 64, in the kernel's format for signal frames, and returns the number
 * of bytes used. If `at` is null, only returns that number. */
size_t switch_save_extended(void *at);

/* Loads the extended state back into the registers. */
void switch_load_extended(const void *at);

uint64_t switch_fs_base(void);
void switch_set_fs_base(uint64_t base);
/* The program may change gs with or without system calls: each thread has its own. */
uint64_t switch_gs_base(void);
void switch_set_gs_base(uint64_t base);

#endif
