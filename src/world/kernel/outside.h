/* outside.h: declarations that outside.c shares with the files that make its calls: stream.c, retry.c, poll.c. For use
 * while recording only. */
#ifndef WORLD_KERNEL_OUTSIDE_H
#define WORLD_KERNEL_OUTSIDE_H

#include <poll.h>

#include "world/world.h"

long outside_raw(long number, const uint64_t a[6]);

/*
 * Some calls wait in the kernel although poll said that the descriptor is ready: those that move many bytes or
 * messages, and those that wait for a peer's queue. They are made with the descriptor non-blocking for the time of
 * the call. Returns -EAGAIN where the call would have waited.
 */
long outside_raw_without_waiting(long number, const uint64_t a[6], int fd);

/* Block the current thread until the descriptor, or one of the list, is ready, or until it is time to retry. */
enum wake outside_wait_until(int fd, short events, uint64_t deadline_ns);
enum wake outside_wait_list(struct pollfd *polls, uint32_t count, uint64_t deadline_ns);
enum wake outside_wait_retry(uint64_t deadline_ns);

/* The following functions make a call, and wait in the world as often as necessary. They return the result of the call,
 * or -RESTART if a signal came first. */

/* stream.c: calls with CALL_BLOCKS_READ or CALL_BLOCKS_WRITE. */
long outside_stream_call(long number, const uint64_t a[6]);
/* Only waits until a call with CALL_BLOCKS_READ can read. Returns 0 when it can or need not wait. */
long outside_wait_input(long number, const uint64_t a[6]);
long outside_connect(const uint64_t a[6]);

/* retry.c: calls with CALL_BLOCKS_OTHER. */
long outside_retry_call(long number, const uint64_t a[6]);

/* poll.c: poll, select, epoll_wait and their variants. */
long outside_poll_call(long number, const uint64_t a[6]);

/* Return the time at which such a call that begins now stops waiting. Also for a replay; the call must have waited, so
 * that its arguments are valid. */
uint64_t outside_poll_deadline(long number, const uint64_t a[6]);
uint64_t outside_retry_deadline(long number, const uint64_t a[6]);

/* Sets the signal mask of those of these calls that have one, until the call or its handler returns. Also in a
 * replay. */
void outside_set_mask(struct thread *self, long number, const uint64_t a[6]);

#endif
