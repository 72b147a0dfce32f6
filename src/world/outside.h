/* outside.h: between outside.c and poll.c. */
#ifndef WORLD_OUTSIDE_H
#define WORLD_OUTSIDE_H

#include <poll.h>

#include "world/world.h"

long outside_raw(long number, const uint64_t a[6]);
enum wake outside_wait_list(struct pollfd *polls, uint32_t count, uint64_t deadline_ns);

/* By asking again from time to time. */
enum wake outside_wait_retry(uint64_t deadline_ns);

/* poll, select, epoll_wait and their kin: waits in the world, then asks the kernel with no time to wait. Returns what it
 * returned, or -RESTART when a signal came first. */
long outside_poll_call(long number, const uint64_t a[6]);

/* Those of them that have a signal mask: it holds until the call returns or its handler does. */
void outside_set_mask(struct thread *self, long number, const uint64_t a[6]);

#endif
