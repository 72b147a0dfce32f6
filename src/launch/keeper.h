/*
 * keeper.h: a process between us and the program, so that no process of the program outlives the run. It is the reaper
 * of all processes that the program starts, including daemons (PR_SET_CHILD_SUBREAPER), and ends those that are left when
 * the program has ended. If we are gone, for whatever reason, it ends everything at once.
 *
 * It ends only processes that are its own children and that it has not waited for: their ids cannot belong to other
 * processes. So nothing but descendants of the program is ever ended.
 */
#ifndef LAUNCH_KEEPER_H
#define LAUNCH_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"

struct keeper {
	pid_t pid; /* 0: there is none */
	int fd;    /* our end of the socket to it; -1: none */
};

#define KEEPER_NAMES_ROOM 200u

/* Processes that were ended because the program had left them running. */
struct keeper_left {
	uint32_t count;                /* of processes */
	uint32_t refused_count;        /* those that could not be ended */
	char names[KEEPER_NAMES_ROOM]; /* of the first ones, with commas */
};

/* No keeper yet. */
void keeper_init(struct keeper *self);

/* Starts it, and the program by it: program(data, parent) is called in the new process, where parent is the keeper's
 * process id, and must not return. Returns the program's process id, or a negative errno. */
pid_t keeper_start(struct keeper *self, void (*program)(void *data, pid_t parent), void *data);

/* Waits for the program's end until a time of the monotonic clock, in seconds. Returns whether it has ended, so that keeper_wait will not block. */
bool keeper_poll(struct keeper *self, double deadline);

/*
 * Waits for the program's end. Returns 0 with *status as from waitpid, or a negative errno when there is no keeper any
 * more. Its process id stays taken until keeper_end, so that a signal to it reaches no other process.
 */
int keeper_wait(struct keeper *self, int *status);

/* While the program runs: ends the processes that it has left behind so far, that is, whose parent is gone, after giving
 * them a tenth of a second to end by themselves. Returns 0, or a negative errno. */
int keeper_sweep(struct keeper *self, struct keeper_left *left);

/* After keeper_wait: ends what the program left behind, after a second, and the keeper. Returns 0, or a negative errno. */
int keeper_end(struct keeper *self, struct keeper_left *left);

/* Kills everything at once. Does nothing if there is no keeper. */
void keeper_release(struct keeper *self);

/* Adds left to the sum. */
void keeper_add_left(struct keeper_left *sum, const struct keeper_left *left);

/* Appends a line about the processes that were left, or nothing. */
void keeper_describe(struct buf *out, const struct keeper_left *left);

#endif
