/*
 * effects.h: a hash of the bytes that leave the process other than by its standard streams: what it writes to files, and to sockets and pipes
 * that others hold. Which order of two accesses makes a difference is seen by it (campaign/classify.h).
 *
 * It is a sum over lines, like that of the standard streams (explore/capture.h): the same lines in another order, or in other
 * files, have the same sum. Writes at a position are summed by position and bytes. What is written through shared mappings, and
 * what the kernel moves between files, is not seen.
 */
#ifndef WORLD_KERNEL_EFFECTS_H
#define WORLD_KERNEL_EFFECTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Bytes that were written to the descriptor, in parts, of which only the first size_bytes count. at: the position; null: where the file is. */
void effects_add(int fd, const struct iovec *parts, size_t count, size_t size_bytes, const int64_t *at);

/* The descriptor is closed: a line that has not ended stays what it is. */
void effects_close(int fd);

#endif
