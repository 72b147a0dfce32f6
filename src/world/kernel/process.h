/*
 * process.h: other processes. What the program forks runs outside the world, on the kernel alone; what the program learns
 * from it (exit statuses, data from pipes) is in the log, so that a replay needs no child at all.
 */
#ifndef WORLD_KERNEL_PROCESS_H
#define WORLD_KERNEL_PROCESS_H

#include "world/world.h"

/* fork, vfork and every clone that does not make a thread. One that would share our memory
 * and not let us wait ends the run. Returns as the system call. */
long process_clone(struct registers *registers, uint64_t flags);

/* Around the real posix_spawn: the kernel serves it alone. In a replay there is nothing to do but to take the result:
 * process_replay_spawn returns true then. */
bool process_replay_spawn(int *result, int *child);
void process_begin_spawn(void);
void process_end_spawn(int result, int child);

/* kill(0, ...) and kill(-group, ...): if that is the process's own group, sends the signal to all of it but the process
 * itself, which is left to the caller, and returns true. */
bool group_send(int32_t group, int number);

/* Sets the seed of getrandom and process_random. */
void process_seed(uint64_t seed);
void process_random(void *to, size_t size_bytes);

/* A system call when the world is not on. */
void process_pass(struct registers *registers);

#endif
