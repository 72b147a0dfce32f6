/*
 * syscalls.h: finds the system call instructions of shared libraries that the runtime can replace by jumps (see struct
 * heddle_patches in heddle/abi.h and rt/enter/patch.h). What cannot be replaced safely is left out: the kernel's user
 * dispatch catches it.
 */
#ifndef LAUNCH_SYSCALLS_H
#define LAUNCH_SYSCALLS_H

#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * Adds the libraries that are worth decoding: the libc of the tool itself, which is usually the program's too, and the threads libraries found in the standard folders. Real paths, as in /proc/PID/maps. A library
 * that the program does not load costs nothing. The loader is not among them: its calls must stay recognisable.
 */
void syscalls_paths(struct strings *paths);

/*
 * Decodes the files, or takes the results from the cache, and makes a sealed file in memory that holds struct
 * heddle_patches; files that have no such instruction are left out. Paths are made real ones. Returns 0 and the
 * descriptor (close-on-exec; the caller closes it), or a negative errno with err set: a file cannot be read or is
 * damaged. A cache that cannot be used is no error.
 */
int syscalls_find(const char *const *paths, size_t count, int *fd, struct err *err);

/* How many system call instructions the last syscalls_find found, and how many of them it left out; counts decoded
 * files, not those from the cache. For tests and people. */
struct syscalls_counts {
	size_t found, left_out, from_cache; /* from_cache: files */
};
extern struct syscalls_counts syscalls_counts;

#endif
