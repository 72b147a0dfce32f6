/*
 * proc_path.h: the program knows itself by ids of ours, so names in /proc that contain them are turned into names
 * that the kernel understands, and the name that /proc/self stands for into ours. What files in /proc contain is left
 * alone. Other names are changed only if they would make a library mistake two simultaneous runs for one.
 */
#ifndef WORLD_KERNEL_PROC_PATH_H
#define WORLD_KERNEL_PROC_PATH_H

#include "world/world.h"

/* Replaces the argument that is a path, if it names us by an id of ours. The new name is valid until the next call. */
void proc_path_translate(long number, uint64_t a[6]);

/* readlink of /proc/self: writes our id over what the kernel gave. Returns the new result. */
long proc_path_result(long number, const uint64_t a[6], long result);

#endif
