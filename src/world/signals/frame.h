/* frame.h: signal frames, in the kernel's own format. */
#ifndef WORLD_SIGNALS_FRAME_H
#define WORLD_SIGNALS_FRAME_H

#include <signal.h>

#include "rt/enter/context.h"
#include "world/world.h"

/* Makes the stack for our own handlers and the code to which handlers of the program return. Returns 0 or -1. */
int frame_start(void);

/* Puts a frame on the thread's stack (or its alternate one) and makes the registers those of a handler that begins. */
void frame_push(struct thread *self, struct registers *registers, const struct kernel_action *action, int number,
		const siginfo_t *info);

/* While frame_push writes to the program's stack: its registers. A fault then means that there is no room for the
 * frame. */
extern const struct registers *frame_unfinished;

/* At rt_sigreturn: restores the registers, the mask and the extended state from the frame. */
void frame_pop(struct thread *self, struct registers *registers);

/* At an event that is no system call: signal_push puts frames on the thread's stack that return to here, and the
 * handlers run. Returns when the last of them has returned. */
void frame_interrupt(struct thread *self);

/* report.c */
void report_fault(int number, const siginfo_t *info, const struct registers *registers);

#endif
