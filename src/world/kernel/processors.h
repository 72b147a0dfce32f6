/*
 * processors.h: which processors a thread may run on. All threads of the program share one kernel thread, and each has
 * its own mask, as the program set it: the kernel thread always has that of the current one. A program that binds
 * itself to each processor in turn and asks it for its number by cpuid, as OpenMP's runtime does at its start, gets the
 * same answers in every run, not those of wherever the kernel had put it.
 */
#ifndef WORLD_KERNEL_PROCESSORS_H
#define WORLD_KERNEL_PROCESSORS_H

#include "world/world.h"

/* sched_setaffinity and sched_getaffinity. */
bool processors_syscall(struct registers *r, long *result);

/* What getcpu returns to the current thread: the first processor of its mask, or 0 if it has none. */
unsigned processors_number(void);

/* Gives the mask of this thread, which runs next, to the kernel thread. Call it only if world.has_processors. */
void processors_switch(const struct thread *next);

#endif
