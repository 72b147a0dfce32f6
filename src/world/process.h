/*
 * process.h: other processes. What the program forks runs outside the world, on the kernel alone; what the program learns
 * of it (exit statuses, what comes through pipes) is in the log, so that a replay needs no child at all.
 */
#ifndef WORLD_PROCESS_H
#define WORLD_PROCESS_H

#include "world/world.h"

/* fork, vfork and every clone that does not make a thread. stack: of the child, or 0. Returns as the system call. */
long process_clone(struct registers *registers, uint64_t flags, uint64_t stack);

/* What getrandom gives follows from it. */
void process_seed(uint64_t seed);

/* A system call when the world is not on. */
void process_pass(struct registers *registers);

#endif
