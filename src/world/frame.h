/* frame.h: signal frames, in the kernel's own format. */
#ifndef WORLD_FRAME_H
#define WORLD_FRAME_H

#include <signal.h>

#include "world/world.h"

/* struct sigaction as the system call has it. */
struct kernel_action {
	uintptr_t handler;
	uint64_t flags;
	uintptr_t restorer;
	uint64_t mask;
};

/* Makes the stack for handlers of ours and the code that handlers of the program return to. 0 or -1. */
int frame_start(void);

/* Lets the kernel call our handler. flags: SA_* beside SA_SIGINFO and SA_RESTORER. */
void frame_install(int number, void (*handler)(int, siginfo_t *, void *), uint64_t flags, uint64_t mask);

/* Between the context that the kernel passed to a handler and registers. */
void frame_read(const void *context, struct registers *registers);
void frame_write(void *context, const struct registers *registers);

/* Puts a frame on the thread's stack (or its alternate one) and makes the registers those of a handler that begins. */
void frame_push(struct thread *self, struct registers *registers, const struct kernel_action *action, int number,
		const siginfo_t *info);

/* While frame_push writes to the program's stack: its registers. A fault then means that there is no room for the frame. */
extern const struct registers *frame_unfinished;

/* At rt_sigreturn: the registers of the frame, its mask, its extended state. */
void frame_pop(struct thread *self, struct registers *registers);

/* At an event that is no system call: lets signal_push put frames on the thread's stack that lead back here, and runs the
 * handlers. Returns when the last of them has. */
void frame_interrupt(struct thread *self);

/* report.c */
void report_fault(int number, const siginfo_t *info, const struct registers *registers);

#endif
