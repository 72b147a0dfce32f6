/* signal_priv.h: declarations that the files of world/signals share. */
#ifndef WORLD_SIGNALS_SIGNAL_PRIV_H
#define WORLD_SIGNALS_SIGNAL_PRIV_H

#include "world/signals/frame.h"
#include "world/signals/signal.h"

#define SIGNALS 64
#define SIGRTMIN_FIRST 34 /* libc has the two before it */
#define SIGNAL_UNBLOCKABLE (1ul << (SIGKILL - 1) | 1ul << (SIGSTOP - 1))

static inline uint64_t signal_bit(int number)
{
	return 1ul << (number - 1);
}

/* By number. */
extern struct kernel_action signal_actions[SIGNALS + 1];
extern bool signal_is_caught[SIGNALS + 1]; /* the kernel calls us for it */

enum signal_effect { EFFECT_IGNORE, EFFECT_DIE, EFFECT_STOP, EFFECT_HANDLE };

enum signal_effect signal_effect_of(int number);

/* What is blocked while the handler of this action runs. */
uint64_t signal_mask_of(const struct thread *self, const struct kernel_action *action, int number);

/* Takes the signals that the thread lets through and puts a frame for the handler of each on its stack; the registers
 * become those of the last one, which runs first, as in the kernel. False: there was none with a handler. */
bool signal_push(struct thread *self, struct registers *registers) __attribute__((used));

/* signal_queue.c */
/* 0, or -1 when there is no memory. */
int signal_queue_start(void);
/* Takes a signal in the mask that is pending for the thread or for the process: the oldest one with the lowest number.
 * Returns the number, or 0 if there is none. */
int signal_take(struct thread *self, uint64_t mask, siginfo_t *info);
/* Returns the set of signals that signal_take could take. */
uint64_t signal_pending(const struct thread *self);
/* Sends the pending signals that the thread blocks to our kernel thread; they stay in our queues as well. Returns their
 * number. */
uint32_t signal_give_kernel(const struct thread *self);
/* Removes all pending signals with this number. */
void signal_drop(int number);
/* Whether the thread is blocked in a call that waits for this signal. */
bool signal_waits_for(const struct thread *thread, int number);

/* signal_kernel.c */
/* From here on the kernel calls our handler for this signal. */
void signal_catch(int number);
/* Whether the handler of this signal in the kernel is always ours. */
bool signal_is_fault(int number);

#endif
