/*
 * share.h: memory that the program shares with other processes, by mmap with MAP_SHARED. Another process can change
 * its contents and wake threads that wait on it, so such a thread waits for the outside. What other processes write
 * there is not in the log: a run that has waited for it cannot be replayed, and the replay says so.
 */
#ifndef WORLD_KERNEL_SHARE_H
#define WORLD_KERNEL_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program has mapped this memory MAP_SHARED. is_file: it is a file, so any process may map it; otherwise only our
 * children have it. */
void share_mapped(uintptr_t at, size_t size_bytes, bool is_file);

/* The program forked a child, which shares the memory. pid: 0 if it is not known (in a replay). */
void share_forked(long pid);

/* Whether the address is in such memory. */
bool share_has(const volatile void *address);

/* Whether a living process could change the memory at the address. Never true in a replay. */
bool share_is_outside(const volatile void *address);

/* If is_outside, or in a replay if the log says so, blocks the current thread until it should read the memory again,
 * and returns true. */
bool share_wait(bool is_outside);

/* Whether other processes could change our memory at any time in the run, even if they have ended; the same in a
 * replay. */
bool share_was_used(void);

#endif
