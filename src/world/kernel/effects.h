/*
 * effects.h: a hash of the bytes that leave the process other than by its standard streams: what it writes to files, and to sockets and pipes
 * that others hold. Which order of two accesses makes a difference is seen by it (campaign/classify.h).
 *
 * It is a sum over lines, like that of the standard streams (explore/capture.h): the same lines in another order, or in other
 * files, have the same sum. Writes at a position are summed by position and bytes; a later one of the same bytes of a file takes the place of
 * the earlier. What is removed or cut off again does not count: a file that the program deletes has no effect on others. Files are
 * known by the path that they are opened with, so that a replay, which opens none, says the same; after a rename, and by
 * another path, a file is another one. What is written through shared mappings, and what the kernel moves between files, is not seen.
 */
#ifndef WORLD_KERNEL_EFFECTS_H
#define WORLD_KERNEL_EFFECTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Bytes that were written to the descriptor, in parts, of which only the first size_bytes count. at: the position; null: where the file is. */
void effects_add(int fd, const struct iovec *parts, size_t count, size_t size_bytes, const int64_t *at);

/* The descriptor became that of the path, opened with these flags. */
void effects_open(int fd, const char *path, int flags);

/* The file of the descriptor, or of the path, lost its contents; the latter also its name. */
void effects_empty(int fd);
void effects_remove(const char *path);

/* The descriptor is closed: a line that has not ended stays what it is. */
void effects_close(int fd);

#endif
