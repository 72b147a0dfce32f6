/*
 * process.h: other processes. Processes that the program forks run outside the world, on the kernel alone. Everything
 * that the program learns from them (exit statuses, data from pipes) is in the log, so a replay needs no child
 * processes.
 */
#ifndef WORLD_KERNEL_PROCESS_H
#define WORLD_KERNEL_PROCESS_H

#include "world/world.h"

/* Serves fork, vfork and every clone that does not make a thread. A child that would share our memory
 * without making us wait ends the run. Returns the result of the system call. */
long process_clone(struct registers *registers, uint64_t flags);

/* Call these around the real posix_spawn, which the kernel serves alone. In a replay process_replay_spawn fills in the
 * result from the log and returns true: then posix_spawn is not called. */
bool process_replay_spawn(int *result, int *child);
void process_begin_spawn(void);
void process_end_spawn(int result, int child);

/* For kill(0, ...) and kill(-group, ...). If it is the process's own group, sends the signal to the whole group except
 * the process itself, and returns true; the caller sends it to the process. */
bool group_send(int32_t group, int number);

/* Sets the seed of getrandom and process_random. */
void process_seed(uint64_t seed);
void process_random(void *to, size_t size_bytes);

/* Serves a system call while the world is not on. */
void process_pass(struct registers *registers);

#endif
