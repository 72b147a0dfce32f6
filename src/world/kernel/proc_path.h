/*
 * proc_path.h: translates names in /proc. The program sees ids of the world instead of the kernel's, so names with such
 * ids are translated to names that the kernel understands, and the target of /proc/self to the world's id. The contents
 * of files in /proc are not changed. Other names are changed only if they would make a library mistake two simultaneous
 * runs for one.
 */
#ifndef WORLD_KERNEL_PROC_PATH_H
#define WORLD_KERNEL_PROC_PATH_H

#include "world/world.h"

/* Replaces an argument that is a path and contains an id of the world. The new name is valid until the next call. */
void proc_path_translate(long number, uint64_t a[6]);

/* For readlink of /proc/self: replaces the kernel's id in the caller's buffer by the world's. Returns the new
 * result. */
long proc_path_result(long number, const uint64_t a[6], long result);

#endif
