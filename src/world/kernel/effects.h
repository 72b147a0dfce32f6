/*
 * effects.h: a hash of the bytes that leave the process, except through its standard streams: those that it writes to
 * files, and to sockets and pipes that other processes hold. It shows whether the order of two accesses makes a
 * difference to others.
 *
 * The hash is a sum over lines, like that of the standard streams (explore/capture.h): the same lines in another order,
 * or in other files, have the same sum. Writes at a position are summed by position and bytes; a later write of the
 * same bytes of a file replaces the earlier one. Data that the program removes or truncates again do not count: a file
 * that it deletes has no effect on others. Files are identified by the path with which they are opened, so that a
 * replay, which opens none, computes the same sum; after a rename, or under another path, a file counts as a different
 * one. Data that are written through shared mappings or moved between files by the kernel are not seen.
 */
#ifndef WORLD_KERNEL_EFFECTS_H
#define WORLD_KERNEL_EFFECTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Bytes that were written to the descriptor, in parts, of which only the first size_bytes count. at: the position;
 * null: where the file is. */
void effects_add(int fd, const struct iovec *parts, size_t count, size_t size_bytes, const int64_t *at);

/* The descriptor became that of the path, opened with these flags. */
void effects_open(int fd, const char *path, int flags);

/* The file of the descriptor, or of the path, lost its contents; the latter also its name. */
void effects_empty(int fd);
void effects_remove(const char *path);

/* The descriptor is closed: a line that has not ended stays what it is. */
void effects_close(int fd);

#endif
