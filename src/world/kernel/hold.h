/*
 * hold.h: ensures that a call that waits continues with the file for which it was made, whatever happens to the
 * descriptor number. The kernel looks up a number once, when the call begins, and holds the open file until the call
 * returns; the world looks it up each time that it polls. So before a number is closed or reused for another file, the
 * threads that wait with it get a copy of the descriptor and continue with that. Copies are made only then, because
 * waiting is common, but closing during a wait is not.
 *
 * While recording only: in a replay nothing is open.
 */
#ifndef WORLD_KERNEL_HOLD_H
#define WORLD_KERNEL_HOLD_H

#include <poll.h>

#include "world/world.h"

/* The descriptors among the arguments of a call, on the stack of the thread that makes it. */
struct hold {
	uint64_t *arguments;
	int8_t which[2]; /* index of the argument; -1: none */
	bool is_copy[2];
	bool is_number; /* the kernel would report that the number belongs to another file: EBADF */
};

/* Call these before and after a call of the current thread that may wait. In between, an argument that is a descriptor
 * may change at each wait: to a copy, or to -1 if no copy can be made. */
void hold_begin(struct hold *hold, long number, uint64_t arguments[6]);
void hold_end(struct hold *hold);

/* After a wait with a list of descriptors: closes the copies in it. The list must be ours, not the program's. */
void hold_end_list(struct pollfd *polls, uint32_t count);

/* The program is about to close the numbers from first to last. */
void hold_closing(uint64_t first, uint64_t last);

/* Whether a number is a copy: the program has not opened it. */
bool hold_is_copy(int fd);
/* The lowest copy from this number on, or UINT64_MAX. */
uint64_t hold_next_copy(uint64_t first);
/* The program is about to open this number, which is a copy: moves the copy. */
void hold_give_way(int fd);

/* In a forked child: drops the copies, which belong to waiting threads of the parent. */
void hold_leave(void);

#endif
