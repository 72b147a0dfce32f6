/* switch.h: switches between coroutines. */
#ifndef WORLD_SWITCH_H
#define WORLD_SWITCH_H

#include "world/world.h"

/* Detects the features of the processor. Call it once, before any switch. Returns 0, or -1 if there is no memory. */
int switch_start(void);

/* Leaves the current thread where it stands and continues the other one; returns when another thread switches back.
 * The caller has set world.current. */
void switch_threads(struct thread *from, struct thread *to);

/* Continues the other thread and never returns: the stack of the caller may be reused. */
_Noreturn void switch_away(struct thread *to);

/* Lets a thread that is switched to for the first time begin with these registers. They are copied below registers->rsp.
 * Returns the stack pointer of the thread that does not run. */
void *switch_prepare(const struct registers *registers);

/* Saves the extended state in the kernel's format for signal frames; returns the bytes used. With at null only
 * returns that number. at is a multiple of 64. */
size_t switch_save_extended(void *at);

/* The same, back into the registers. */
void switch_load_extended(const void *at);

uint64_t switch_fs_base(void);
void switch_set_fs_base(uint64_t base);
/* The program may change gs with or without system calls: each thread has its own. */
uint64_t switch_gs_base(void);
void switch_set_gs_base(uint64_t base);

#endif
